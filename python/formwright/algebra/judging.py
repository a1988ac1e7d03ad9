"""Which of several engines is right about a schema: probes through each of them, with validators as a third opinion.

    judge({"orders.json": schema}, ["llguidance", "xgrammar"], tell=print)

    xgrammar 0.2.8, orders.json: admits {"age":-1}, which is invalid (#/properties/age, minimum)

Each engine runs in a process of its own, so that one that crashes or hangs is a finding, and the others go on: as many
schemas are tried at the same time as there are processors. A probe counts only if every installed validator says what
formwright says of it, whether it asserts formats or ignores them; if they disagree, that is a finding of its own, about
formwright.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

from formwright._kernel import __version__
from formwright.algebra.opinions import ask, load_validators
from formwright.algebra.peers import load_engine
from formwright.algebra.probes import Probe, find_probes
from formwright.errors import FormwrightError
from formwright.forms.json_options import complete_options
from formwright.forms.schema_sets import SchemaSource

__all__ = ["Judgement", "Summary", "judge", "list_probes"]

Kind = Literal["admits", "rejects", "answers", "ignores", "refuses", "fails", "disputed"]
"""What an engine or a service does wrong, as `Judgement` says."""

_MOST_PROBES = 200
"""Probes of a schema, at most."""


class Judgement(NamedTuple):
    """Something that an engine does wrong, or a schema that it does not take.

    Attributes:
        engine: The engine; of a service, its host.
        version: Its version; of a service, the name of the model.
        schema: The name of the schema.
        kind: ``"admits"`` an invalid text, ``"rejects"`` a valid one; a service ``"answers"`` with an invalid text, or
            ``"ignores"`` the schema: its answer is not JSON; ``"refuses"`` the schema; ``"fails"``: it crashed, or
            took too long; ``"disputed"``: a validator does not say of the text what formwright says.
        text: The text; of a refusal or a failure, the message.
        pointer: JSON Pointer of the place that the text is about.
        keyword: The keyword there.
    """

    engine: str
    version: str
    schema: str
    kind: Kind
    text: str
    pointer: str = ""
    keyword: str = ""

    def __str__(self) -> str:
        place = f" (#{self.pointer}, {self.keyword})" if self.keyword else ""
        what = {
            "admits": f"admits {self.text}, which is invalid{place}",
            "rejects": f"rejects {self.text}, which is valid{place}",
            "answers": f"answers {self.text}, which is invalid{place}",
            "ignores": f"ignores the schema and answers {self.text}, which is not JSON",
            "refuses": f"refuses the schema: {self.text}",
            "fails": f"fails: {self.text}{place}",
            "disputed": f"{self.text} is disputed{place}",
        }[self.kind]
        return f"{self.engine} {self.version}, {self.schema}: {what}"


class Summary(NamedTuple):
    """What was tried of one engine.

    Attributes:
        engine: The engine.
        version: Its version.
        schemas: Schemas that it was asked to read.
        refused: Schemas that it refused.
        failed: Schemas on which it crashed or took too long.
        probes: Texts that were tried.
        admits: Invalid texts that it admits.
        rejects: Valid texts that it rejects.
        wrong: Schemas on which it is wrong about some text.
    """

    engine: str
    version: str
    schemas: int = 0
    refused: int = 0
    failed: int = 0
    probes: int = 0
    admits: int = 0
    rejects: int = 0
    wrong: int = 0


def judge(
    schemas: Mapping[str, Any],
    engines: Sequence[str],
    *,
    timeout: float = 10.0,
    tell: Callable[[Judgement], None] | None = None,
) -> tuple[list[Judgement], list[Summary]]:
    """Try the probes of some schemas on some engines.

    Args:
        schemas: The schemas by name.
        engines: The engines; formwright is tried too, first.
        timeout: Seconds for one schema on one engine; reading it is a part of them.
        tell: Called with each finding when it is made.

    Returns:
        The findings, and for each engine what was tried.

    Raises:
        ArgumentError: There is no such engine.
        MissingDependency: An engine is not installed.
    """
    names = list(dict.fromkeys(("formwright", *engines)))
    summaries = {name: Summary(name, load_engine(name).version) for name in names}  # what is missing is said at once
    findings: list[Judgement] = []
    pool, teams = ThreadPoolExecutor(os.cpu_count()), _Teams(names, timeout)
    try:
        for trials, disputed in pool.map(partial(_try_schema, teams), schemas, schemas.values()):
            found = [*disputed, *chain.from_iterable(trial.findings for trial in trials)]
            for trial in trials:
                summaries[trial.engine] = _add(summaries[trial.engine], trial)
            findings += found
            for finding in found:
                if tell is not None:
                    tell(finding)
    finally:
        pool.shutdown(cancel_futures=True)
        teams.close()
    return findings, list(summaries.values())


class _Trial(NamedTuple):
    """What one schema has shown of an engine: findings, and how many texts were tried."""

    engine: str
    findings: list[Judgement]
    probes: int


def _try_schema(teams: _Teams, name: str, schema: Any) -> tuple[list[_Trial], list[Judgement]]:
    """Try the probes of a schema on each engine; and the disputed ones."""
    probes, disputed = list_probes(name, schema)
    trials = []
    with teams.take() as workers:
        for worker in workers:
            answer = worker.try_probes(json.dumps(schema), [probe.text for probe in probes])
            tried = len(probes) if answer[0] == "verdicts" else 0
            trials.append(_Trial(worker.name, list(_list_findings(worker, name, probes, answer)), tried))
    return trials, disputed


def _add(summary: Summary, trial: _Trial) -> Summary:
    kinds = [finding.kind for finding in trial.findings]
    return summary._replace(
        schemas=summary.schemas + 1,
        refused=summary.refused + kinds.count("refuses"),
        failed=summary.failed + ("fails" in kinds),
        probes=summary.probes + trial.probes,
        admits=summary.admits + kinds.count("admits"),
        rejects=summary.rejects + kinds.count("rejects"),
        wrong=summary.wrong + ("admits" in kinds or "rejects" in kinds),
    )


def list_probes(name: str, schema: Any, most: int = _MOST_PROBES) -> tuple[list[Probe], list[Judgement]]:
    """List the probes on which all validators agree with formwright, and findings about the others."""
    options, _ = complete_options({"unknown_keywords": "ignore"})
    probes: list[Probe] = []
    with suppress(FormwrightError):  # which formwright says itself when it is asked to read the schema
        probes.extend(islice(find_probes(SchemaSource(json.dumps(schema), options)), most))
    validators = list(load_validators(schema))
    agreed, disputed = [], []
    for probe in probes:
        verdicts = {ask(is_valid, json.loads(probe.text)) for is_valid in validators}
        if verdicts <= {probe.is_valid}:
            agreed.append(probe)
        elif None not in verdicts:
            place = (probe.pointer, probe.keyword)
            disputed.append(Judgement("formwright", __version__, name, "disputed", probe.text, *place))
    return agreed, disputed


def _list_findings(worker: _Worker, name: str, probes: Sequence[Probe], answer: _Answer) -> Iterator[Judgement]:
    outcome, told = answer
    if outcome != "verdicts":
        yield Judgement(worker.name, worker.version, name, outcome, told)
        return
    for probe, verdict in zip(probes, told, strict=True):
        place = (probe.pointer, probe.keyword)
        if isinstance(verdict, str):
            yield Judgement(worker.name, worker.version, name, "fails", f"{verdict}, on {probe.text}", *place)
        elif verdict != probe.is_valid:
            kind: Kind = "admits" if verdict else "rejects"
            yield Judgement(worker.name, worker.version, name, kind, probe.text, *place)


# --- one engine in a process of its own -----------------------------------------------------------

_Answer = tuple[Any, Any]
"""``"verdicts"``, and of each text whether it is admitted, or an error; or ``"refuses"`` or ``"fails"``, and why."""


class _Worker:
    """An engine in a process of its own, which is started again after it has died."""

    def __init__(self, name: str, timeout: float) -> None:
        self.name, self.timeout = name, timeout
        self.version = load_engine(name).version
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(self.name, other), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()  # it is ready

    def try_probes(self, schema: str, texts: list[str]) -> _Answer:
        """Let the engine read a schema and try texts."""
        try:
            self._pipe.send((schema, texts))
            if self._pipe.poll(self.timeout):
                answer: _Answer = self._pipe.recv()
                return answer
            why = f"no answer after {self.timeout:g} seconds"
        except (EOFError, OSError):
            self._process.join(1)
            why = f"its process ended with {self._process.exitcode}"
        self.close()
        self._start()
        return "fails", why

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


class _Teams:
    """Workers, one for each engine, for as many schemas as are tried at the same time."""

    def __init__(self, engines: Sequence[str], timeout: float) -> None:
        self._engines, self._timeout = engines, timeout
        self._all, self._idle = list[list[_Worker]](), list[list[_Worker]]()

    @contextmanager
    def take(self) -> Iterator[list[_Worker]]:
        """Take a team that does nothing; one more is started where there is none."""
        try:
            team = self._idle.pop()
        except IndexError:
            team = [_Worker(name, self._timeout) for name in self._engines]
            self._all.append(team)
        try:
            yield team
        finally:
            self._idle.append(team)

    def close(self) -> None:
        """End all processes."""
        for worker in chain.from_iterable(self._all):
            worker.close()


def _serve(name: str, pipe: Connection) -> None:
    """Answer questions about schemas until there are no more."""
    engine = load_engine(name)
    pipe.send("ready")
    while True:
        schema, texts = pipe.recv()
        try:
            reader = engine.read(schema)
        except Exception as error:  # whatever the engine raises, it has refused the schema
            pipe.send(("refuses", _show_error(error)))
            continue
        pipe.send(("verdicts", [_try(reader, text) for text in texts]))


def _try(reader: Any, text: str) -> bool | str:
    """Whether an engine admits a text, or the error that it raised."""
    try:
        return bool(reader.admits(text.encode()))
    except Exception as error:
        return _show_error(error)


def _show_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
