"""A run: every question to every arm of every model, each answer a row of a store that outlives the run.

::

    from formwright.evaluation.built_in import built_in
    from formwright.evaluation.arms import chosen

    grid = Grid(task=built_in("arithmetic", "en", 4), arms=chosen("free,schema"))
    with Finished("answers.jsonl") as finished:
        fill(finished, grid, {"formwright-tiny": model})
    len(finished)                        # 8

A row has the prompt, what was written, what was read, whether it is right, and what it cost: everything a report says
is computed from rows. A run that was killed goes on with the rows that are missing (what was being written when it
ended is asked again, a batch at most), and one that is done can be extended: more questions, arms, wordings, models.
Rows of other prompts or forms under the same ids are refused.

Cost: beside the model, microseconds for each row. Neighbouring questions share a batch with one arm and one wording,
and a row's ``seconds`` are its share of that batch.

An answer that could not be got (a service that does not answer) is not a row, and the next run asks again. An
answer that cannot be written (a budget too small for the form) is a row, and wrong.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from formwright.errors import (
    ArgumentError,
    AttemptsExhausted,
    LimitExceeded,
    OptionUnsupported,
    OutputInvalid,
    OutputTruncated,
    Refused,
    RequestFailed,
)
from formwright.evaluation.arms import Arm, form_of
from formwright.evaluation.prompts import ANSWER_INSTRUCTIONS, prompt_of, write_answer
from formwright.evaluation.reading import read
from formwright.evaluation.tasks import Item, Task
from formwright.evaluation.traces import summarize_trace
from formwright.forms.coerce import compile
from formwright.generation import MAX_TOKENS
from formwright.generation.result import Failed
from formwright.jobs.finished import Finished

__all__ = ["UNFAIR", "Cell", "Grid", "check_store", "fill", "prompt_in"]

UNFAIR = ("prompts", "parser", "wording")
"""What can be made unfair: bare prompts of structured arms, a rule that reads free text wrongly, one chosen wording."""

_TRACED_QUESTIONS = 2
"""Questions whose traces are kept for heat maps."""

_WRONG = (AttemptsExhausted, LimitExceeded, OutputInvalid, OutputTruncated, Refused)
"""Errors that are an answer, and a wrong one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What is asked, and how.

    Attributes:
        task: The questions.
        arms: The ways to ask.
        wordings: How many wordings of the prompt.
        shots: How many examples the prompts show; each number is a prompt of its own.
        seeds: How many draws; more than one needs a temperature.
        tells: Sentences of one's own; see `formwright.evaluation.prompts`.
        max_tokens: Tokens of an answer at most.
        temperature: 0 is greedy.
        batch_size: Questions asked at a time.
        trace: Whether the probability that arms allow is kept, and some traces; of models that run here.
        unfair: Some of `UNFAIR`, to see what they do.
    """

    task: Task
    arms: Sequence[Arm]
    wordings: int = 1
    shots: Sequence[int] = (0,)
    seeds: int = 1
    tells: Mapping[str, Sequence[str]] | None = None
    max_tokens: int = MAX_TOKENS
    temperature: float = 0.0
    batch_size: int = 64
    trace: bool = False
    unfair: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.seeds > 1 and not self.temperature:
            raise ArgumentError(
                f"seeds={self.seeds}: without a temperature all draws are the same",
                hint="temperature=1",
                argument="seeds",
            )
        if most := max([0, *(shots - len(self.task.examples) for shots in self.shots)]):
            raise ArgumentError(f"shots: the task has {most} examples too few", argument="shots")
        said = {**ANSWER_INSTRUCTIONS[self.task.language], **(self.tells or {})}
        known = min((max(len(self.task.about), len(said[arm.asks])) for arm in self.arms), default=1)
        if not 1 <= self.wordings <= known:  # the same prompt again would count as another answer
            raise ArgumentError(
                f"wordings={self.wordings}: there are {known}",
                hint="write more sentences, or ask in fewer wordings",
                argument="wordings",
            )
        if wrong := [name for name in self.unfair if name not in UNFAIR]:
            raise ArgumentError(f"unfair={wrong[0]!r}: one of {', '.join(UNFAIR)}", argument="unfair")
        _check_rule(self.task, self.arms)

    def cells(self) -> Iterator[Cell]:
        """Everything but the question: arms side by side, so that a run that is cut has asked all of them."""
        for shots in self.shots:
            for seed in range(self.seeds):
                for wording in range(self.wordings):
                    for arm in self.arms:
                        yield Cell(arm, wording, shots, seed)

    def __len__(self) -> int:
        return len(self.task.items) * len(self.arms) * self.wordings * len(self.shots) * self.seeds


@dataclass(frozen=True, slots=True)
class Cell:
    """How a question is asked."""

    arm: Arm
    wording: int
    shots: int
    seed: int

    def id(self, task: str, model: str, question: str) -> str:
        """The id of the row of a question."""
        return f"{task}/{model}/{self.arm.name}/{self.wording}/{self.shots}/{self.seed}/{question}"


def fill(
    finished: Finished, grid: Grid, models: Mapping[str, Any], done: Callable[[], None] = lambda: None
) -> dict[str, int]:
    """Ask what is not answered yet.

    Args:
        finished: The store.
        grid: What is asked.
        models: Models with ``generate_many``, by the names that rows have for them.
        done: Called for each new row.

    Returns:
        How many answers could not be got, by the error.

    Raises:
        ArgumentError: The store has answers to other prompts under these ids.
        OptionUnsupported: A model cannot do what an arm, or ``trace``, needs.
        FormwrightError: A form or a prompt cannot be used with a model.
    """
    for name, model in models.items():
        _check(grid, name, model)
    check_store(finished, grid, models)
    missing: dict[str, int] = {}
    for name, model in models.items():
        asker = _Asker(grid, name, model, finished)
        for start in range(0, len(grid.task.items), grid.batch_size):
            for cell in grid.cells():
                for row in asker.rows(cell, range(start, min(start + grid.batch_size, len(grid.task.items)))):
                    if isinstance(row, str):
                        missing[row] = missing.get(row, 0) + 1
                    else:
                        finished.add(row)
                        done()
    return missing


def check_store(finished: Finished, grid: Grid, models: Mapping[str, Any]) -> None:
    """Refuse a store whose rows are answers to other prompts. Raises ArgumentError."""
    if not len(finished):
        return
    asked = {
        cell.id(grid.task.name, name, item.id): (cell, item)
        for name in models
        for cell in grid.cells()
        for item in grid.task.items
    }
    with finished.path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["id"] not in asked:
                continue
            where = f"see the row {row['id']!r}"
            if row.get("digest") != _digest(grid, *asked[row["id"]]):
                said = f"{finished.path} holds answers to other prompts, or of other settings: {where}"
                raise ArgumentError(said, hint="name another folder", argument="out")
            if grid.trace and row.get("error") is None and "allowed_mass" not in row:
                said = f"{finished.path} holds answers without traces: {where}"
                raise ArgumentError(said, hint="name another folder, or leave --trace out", argument="out")


class _Asker:
    """Asks one model."""

    def __init__(self, grid: Grid, name: str, model: Any, finished: Finished) -> None:
        self._grid, self._name, self._model, self._finished = grid, name, model, finished
        self._is_local = getattr(model, "vocabulary", None) is not None
        self._forms = {arm.name: self._form(arm) for arm in grid.arms}

    def rows(self, cell: Cell, numbers: range) -> Iterator[dict[str, Any] | str]:
        """The rows of questions that have none yet; the error of an answer that could not be got."""
        items = self._grid.task.items
        open_ = [at for at in numbers if cell.id(self._grid.task.name, self._name, items[at].id) not in self._finished]
        for some in _runs(open_):
            prompts = [prompt_in(self._grid, cell, items[at]) for at in some]
            start = time.perf_counter()
            results = self._model.generate_many(prompts, self._forms[cell.arm.name], **self._options(cell, some[0]))
            seconds = (time.perf_counter() - start) / len(some)
            for at, prompt, result in zip(some, prompts, results, strict=True):
                if _fault(result) is None:
                    yield self._row(cell, at, prompt, result, seconds)
            if fault := next(filter(None, map(_fault, results)), None):
                raise fault  # after what was answered beside it, which is paid for

    def _form(self, arm: Arm) -> Any:
        form = form_of(arm, self._grid.task.answer, self._grid.max_tokens)
        return compile(form, self._model.vocabulary, **arm.options) if self._is_local else form

    def _options(self, cell: Cell, first: int) -> dict[str, Any]:
        """A question draws with the same seed whichever batch it is in, and in every arm."""
        grid = self._grid
        options: dict[str, Any] = {"max_tokens": grid.max_tokens, "temperature": grid.temperature, "progress": False}
        if grid.temperature:
            options["seed"] = 1_000_000 * cell.seed + first
        if self._is_local:
            options |= {"batch_size": grid.batch_size, "trace": grid.trace}
        return options

    def _row(self, cell: Cell, at: int, prompt: str, result: Any, seconds: float) -> dict[str, Any] | str:
        """The row of an answer, or the error of one that could not be got."""
        grid, item = self._grid, self._grid.task.items[at]
        error = result.error if isinstance(result, Failed) else None
        if isinstance(error, RequestFailed):
            return f"{type(error).__name__}: {error}"
        keeps_trace = at < _TRACED_QUESTIONS and not cell.wording and not cell.seed
        return {
            "id": cell.id(grid.task.name, self._name, item.id),
            "model": self._name,
            **_question(grid, cell, item, prompt),
            **_answer(grid, cell, item, getattr(result if error is None else error, "text", None) or ""),
            **_cost(result, grid.max_tokens),
            "seconds": round(seconds, 6),
            "enforced": getattr(result, "enforced", None),
            "error": None if error is None else f"{type(error).__name__}: {error}",
            **summarize_trace(getattr(result, "trace", None), kept=keeps_trace),
        }


def _fault(result: Any) -> Exception | None:
    """The error that ends a run: no answer, and none that asking again would bring."""
    error = result.error if isinstance(result, Failed) else None
    return None if isinstance(error, (RequestFailed, *_WRONG)) else error


def _question(grid: Grid, cell: Cell, item: Item, prompt: str) -> dict[str, Any]:
    """What was asked, and how."""
    return {
        "task": grid.task.name,
        "language": grid.task.language,
        "arm": cell.arm.name,
        "wording": cell.wording,
        "shots": cell.shots,
        "seed": cell.seed,
        "question": item.id,
        "asked": item.question,
        "expected": item.answer,
        "prompt": prompt,
        "unfair": sorted(grid.unfair - {"wording"}),
        "digest": _digest(grid, cell, item, prompt),
    }


def _answer(grid: Grid, cell: Cell, item: Item, text: str) -> dict[str, Any]:
    """What was written, what was read in it, and whether that is right."""
    reading = read(cell.arm, text, grid.task.answer, unfair="parser" in grid.unfair)
    return {
        "text": text,
        "answer": reading.answer,
        "is_readable": reading.is_readable,
        "is_right": reading.is_readable and grid.task.is_right(reading.answer, item),
        "fields_right": grid.task.fields_right(reading.answer, item),
    }


def _check_rule(task: Task, arms: Sequence[Arm]) -> None:
    """Refuse answers that the rule of free text would not read even if they were written as asked.

    Such a question would be a hard one for that arm alone: a text of two lines, an item with a comma in it.
    """
    for arm in (each for each in arms if each.reads == "rule"):
        for item in task.items:
            reading = read(arm, write_answer(task, arm, replace(item, reasoning="")), task.answer)
            if not (reading.is_readable and task.is_right(reading.answer, item)):
                said = json.dumps(item.answer, ensure_ascii=False)
                raise ArgumentError(
                    f"the arm {arm.name!r} could not be right: its rule cannot read {said}, of question {item.id}",
                    hint=f"leave {arm.name!r} out, or describe the answer as an object",
                    argument="arms",
                )


def _check(grid: Grid, name: str, model: Any) -> None:
    """Refuse what a model behind an API cannot do. Raises OptionUnsupported."""
    if getattr(model, "vocabulary", None) is not None:
        return
    needs = [f"the arm {arm.name!r}" for arm in grid.arms if arm.needs_tokens] + ["trace"] * grid.trace
    if needs:
        raise OptionUnsupported(
            f"{name} runs elsewhere: {needs[0]} needs a model whose tokens are chosen here",
            hint="leave it out",
            argument="arms" if needs[0] != "trace" else "trace",
        )


def prompt_in(grid: Grid, cell: Cell, item: Item) -> str:
    """The prompt of a question in a cell."""
    bare = "prompts" in grid.unfair and cell.arm.is_structured
    how: dict[str, Any] = {"wording": cell.wording, "shots": cell.shots, "tells": grid.tells, "bare": bare}
    return prompt_of(grid.task, cell.arm, item, **how)


def _digest(grid: Grid, cell: Cell, item: Item, prompt: str | None = None) -> str:
    """What an answer depends on, beside the model."""
    arm = [cell.arm.enforces, cell.arm.reads, cell.arm.order, dict(cell.arm.options)]
    how = [arm, grid.task.answer, item.answer, grid.max_tokens, grid.temperature, "parser" in grid.unfair]
    said = json.dumps([prompt or prompt_in(grid, cell, item), *how], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Numbers in lists of neighbours."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _cost(result: Any, max_tokens: int) -> dict[str, Any]:
    """What an answer took; what is not known of one that failed is ``None``."""
    if isinstance(result, Failed):
        names = ("tokens", "prompt_tokens", "model_calls", "forced_tokens")
        return {**dict.fromkeys(names), "is_cut": isinstance(result.error, OutputTruncated)}
    tokens = len(result.token_ids) if result.exchange is None else result.exchange.usage.completion_tokens
    return {
        "tokens": tokens,
        "prompt_tokens": result.prompt_tokens,
        "model_calls": result.model_calls,
        "forced_tokens": result.forced_tokens,
        "is_cut": tokens >= max_tokens,
    }
