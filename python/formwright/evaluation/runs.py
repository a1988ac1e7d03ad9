"""Run an evaluation: every question in every arm for every model; each answer is a row of a store.

::

    from formwright.evaluation.built_in import make_built_in_task
    from formwright.evaluation.arms import choose_arms

    grid = Grid(task=make_built_in_task("arithmetic", "en", 4), arms=choose_arms("free,schema"))
    with FinishedRows("answers.jsonl") as finished:
        fill_store(finished, grid, {"formwright-tiny": model})
    len(finished)                        # 8

A row has the prompt, what was written, what was read, whether it is right, and what it cost (`rows.AnswerRow`): a
report is computed from rows alone. A run that was killed continues with the missing rows, and asks at most one batch
again; a finished run can be extended by more questions, arms, wordings or models. Rows of other prompts or forms under
the same ids are refused.

Cost: besides the model, microseconds for each row. Neighbouring questions share a batch with one arm and one wording,
and a row's ``seconds`` are its share of that batch.

If a service does not answer, there is no row, and the next run asks again. An answer that cannot be written (a budget
too small for the form) is a row, and wrong.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from formwright._kernel import Vocabulary
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
from formwright.evaluation.arms import Arm, make_arm_form
from formwright.evaluation.prompts import ANSWER_INSTRUCTIONS, write_answer, write_prompt
from formwright.evaluation.reading import read_answer
from formwright.evaluation.rows import AnswerCost, AnswerRow, AskedQuestion, JudgedAnswer
from formwright.evaluation.tasks import Item, Task
from formwright.evaluation.traces import summarize_trace
from formwright.forms.coerce import compile
from formwright.generation import MAX_TOKENS
from formwright.generation.result import Failed
from formwright.jobs.finished import FinishedRows

__all__ = ["UNFAIR", "Cell", "Grid", "check_store", "fill_store", "write_cell_prompt"]

UNFAIR = ("prompts", "parser", "wording")
"""Ways to be unfair: bare prompts for structured arms, a rule that misreads free text, one chosen wording."""

_TRACED_QUESTIONS = 2
"""Questions whose traces are kept for heat maps."""

_WRONG = (AttemptsExhausted, LimitExceeded, OutputInvalid, OutputTruncated, Refused)
"""Errors that count as a wrong answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The questions of a run, and the ways to ask them.

    Attributes:
        task: The questions.
        arms: The ways to ask.
        wordings: The number of wordings of the prompt.
        shots: Numbers of examples; each number makes a prompt of its own.
        seeds: The number of draws; more than one needs a temperature.
        sentences: Sentences of one's own for the prompt, by their kind.
        max_tokens: The most tokens of an answer.
        temperature: 0 is greedy.
        batch_size: The number of questions in a batch.
        trace: Whether to keep the probability that arms allow, and some traces; needs local models.
        unfair: Some of `UNFAIR`, to see their effect.
    """

    task: Task
    arms: Sequence[Arm]
    wordings: int = 1
    shots: Sequence[int] = (0,)
    seeds: int = 1
    sentences: Mapping[str, Sequence[str]] | None = None
    max_tokens: int = MAX_TOKENS
    temperature: float = 0.0
    batch_size: int = 64
    trace: bool = False
    unfair: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.seeds > 1 and not self.temperature:
            raise ArgumentError(
                f"seeds={self.seeds}: without a temperature all draws are equal",
                hint="temperature=1",
                argument="seeds",
            )
        if not self.temperature and (greedy := [arm.name for arm in self.arms if arm.fidelity != "mask"]):
            raise ArgumentError(
                f"temperature=0: the arm {greedy[0]!r} draws its answers",
                hint="temperature=1, or leave it out",
                argument="temperature",
            )
        if most := max([0, *(shots - len(self.task.examples) for shots in self.shots)]):
            raise ArgumentError(f"shots: the task has {most} examples too few", argument="shots")
        instructions = {**ANSWER_INSTRUCTIONS[self.task.language], **(self.sentences or {})}
        known = min((max(len(self.task.about), len(instructions[arm.asks])) for arm in self.arms), default=1)
        if not 1 <= self.wordings <= known:  # else the answers to one prompt would count as several
            raise ArgumentError(
                f"wordings={self.wordings}: there are {known}",
                hint="write more sentences, or use fewer wordings",
                argument="wordings",
            )
        if wrong := [name for name in self.unfair if name not in UNFAIR]:
            raise ArgumentError(f"unfair: expected some of {', '.join(UNFAIR)}, got {wrong[0]!r}", argument="unfair")
        _check_rule(self.task, self.arms)

    def list_cells(self) -> Iterator[Cell]:
        """List the ways to ask a question. Arms alternate, so that a run that is killed has answers of all arms."""
        for shots in self.shots:
            for seed in range(self.seeds):
                for wording in range(self.wordings):
                    for arm in self.arms:
                        yield Cell(arm, wording, shots, seed)

    def __len__(self) -> int:
        return len(self.task.items) * len(self.arms) * self.wordings * len(self.shots) * self.seeds


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to ask a question."""

    arm: Arm
    wording: int
    shots: int
    seed: int

    def make_id(self, task: str, model: str, question: str) -> str:
        """Make the id of the row of a question."""
        return f"{task}/{model}/{self.arm.name}/{self.wording}/{self.shots}/{self.seed}/{question}"


def fill_store(
    finished: FinishedRows, grid: Grid, models: Mapping[str, Any], done: Callable[[], None] = lambda: None
) -> dict[str, int]:
    """Ask the questions that have no row yet.

    Args:
        finished: The store.
        grid: The questions, and the ways to ask them.
        models: Models with ``generate_many``, by the names that rows have for them.
        done: Called for each new row.

    Returns:
        The number of answers that could not be got, by error.

    Raises:
        ArgumentError: The store has answers to other prompts under these ids.
        OptionUnsupported: A model cannot do what an arm, or ``trace``, needs.
        FormwrightError: A form or a prompt cannot be used with a model.
    """
    for name, model in models.items():
        _check_model(grid, name, model)
    check_store(finished, grid, models)
    missing: dict[str, int] = {}
    for name, model in models.items():
        asker = _Asker(grid, name, model, finished)
        for start in range(0, len(grid.task.items), grid.batch_size):
            for cell in grid.list_cells():
                for row in asker.ask(cell, range(start, min(start + grid.batch_size, len(grid.task.items)))):
                    if isinstance(row, str):
                        missing[row] = missing.get(row, 0) + 1
                    else:
                        finished.add(row)
                        done()
    return missing


def check_store(finished: FinishedRows, grid: Grid, models: Mapping[str, Any]) -> None:
    """Refuse a store whose rows are answers to other prompts. Raises ArgumentError."""
    if not len(finished):
        return
    inputs = {
        cell.make_id(grid.task.name, name, item.id): (cell, item)
        for name in models
        for cell in grid.list_cells()
        for item in grid.task.items
    }
    with finished.path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["id"] not in inputs:
                continue
            where = f"see the row {row['id']!r}"
            if row.get("digest") != _digest_inputs(grid, *inputs[row["id"]]):
                message = f"{finished.path} holds answers to other prompts, or of other settings: {where}"
                raise ArgumentError(message, hint="name another folder", argument="out")
            if grid.trace and row.get("error") is None and "allowed_mass" not in row:
                message = f"{finished.path} holds answers without traces: {where}"
                raise ArgumentError(message, hint="name another folder, or leave --trace out", argument="out")


class _Asker:
    """Asks one model."""

    def __init__(self, grid: Grid, name: str, model: Any, finished: FinishedRows) -> None:
        self._grid, self._name, self._model, self._finished = grid, name, model, finished
        self._is_local = getattr(model, "vocabulary", None) is not None
        self._forms = {arm.name: self._make_form(arm) for arm in grid.arms}

    def ask(self, cell: Cell, numbers: range) -> Iterator[AnswerRow | str]:
        """Ask the questions that have no row yet; give their rows, or the error of an answer that could not be got."""
        items = self._grid.task.items
        unanswered = [
            at for at in numbers if cell.make_id(self._grid.task.name, self._name, items[at].id) not in self._finished
        ]
        for some in _group_neighbours(unanswered):
            prompts = [write_cell_prompt(self._grid, cell, items[at]) for at in some]
            start = time.perf_counter()
            results = self._model.generate_many(
                prompts, self._forms[cell.arm.name], **self._make_options(cell, some[0])
            )
            seconds = (time.perf_counter() - start) / len(some)
            for at, prompt, result in zip(some, prompts, results, strict=True):
                if _find_fatal_error(result) is None:
                    yield self._make_row(cell, at, prompt, result, seconds)
            if error := next(filter(None, map(_find_fatal_error, results)), None):
                raise error  # only now, so that the other answers of the batch, which are paid for, are kept

    def _make_form(self, arm: Arm) -> Any:
        answer, max_tokens = self._grid.task.answer, self._grid.max_tokens
        if not self._is_local:
            return make_arm_form(arm, answer, max_tokens)
        vocabulary = self._model.vocabulary
        form = make_arm_form(arm, answer, max_tokens, bounds_thought=_spells_every_byte(vocabulary))
        return compile(form, vocabulary, **arm.options)

    def _make_options(self, cell: Cell, first: int) -> dict[str, Any]:
        """Make the options of a batch. A question has the same seed in every arm, whichever batch it is in."""
        grid = self._grid
        options: dict[str, Any] = {"max_tokens": grid.max_tokens, "temperature": grid.temperature, "progress": False}
        if grid.temperature:
            options["seed"] = 1_000_000 * cell.seed + first
        if self._is_local:
            options |= {"batch_size": grid.batch_size, "trace": grid.trace, "fidelity": cell.arm.fidelity}
        return options

    def _make_row(self, cell: Cell, at: int, prompt: str, result: Any, seconds: float) -> AnswerRow | str:
        """Make the row of an answer, or return the error of one that could not be got."""
        grid, item = self._grid, self._grid.task.items[at]
        error = result.error if isinstance(result, Failed) else None
        if isinstance(error, RequestFailed):
            return f"{type(error).__name__}: {error}"
        keeps_trace = at < _TRACED_QUESTIONS and not cell.wording and not cell.seed
        return {
            "id": cell.make_id(grid.task.name, self._name, item.id),
            "model": self._name,
            **_describe_question(grid, cell, item, prompt),
            **_judge_answer(grid, cell, item, getattr(result if error is None else error, "text", None) or ""),
            **_measure_cost(result, grid.max_tokens),
            "seconds": round(seconds, 6),
            "enforced": getattr(result, "enforced", None),
            "error": None if error is None else f"{type(error).__name__}: {error}",
            **summarize_trace(getattr(result, "trace", None), kept=keeps_trace),
        }


def _spells_every_byte(vocabulary: Vocabulary) -> bool:
    """Whether every byte is a token."""
    tokens = {vocabulary.token(token_id) for token_id in range(len(vocabulary))}
    return all(bytes([byte]) in tokens for byte in range(256))


def _find_fatal_error(result: Any) -> Exception | None:
    """Find the error that ends a run: it does not count as an answer, and asking again does not help."""
    error = result.error if isinstance(result, Failed) else None
    return None if isinstance(error, (RequestFailed, *_WRONG)) else error


def _describe_question(grid: Grid, cell: Cell, item: Item, prompt: str) -> AskedQuestion:
    """Describe what was asked, and how."""
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
        "digest": _digest_inputs(grid, cell, item, prompt),
    }


def _judge_answer(grid: Grid, cell: Cell, item: Item, text: str) -> JudgedAnswer:
    """Read the answer in a text, and judge it."""
    reading = read_answer(cell.arm, text, grid.task.answer, unfair="parser" in grid.unfair)
    return {
        "text": text,
        "answer": reading.answer,
        "is_readable": reading.is_readable,
        "is_right": reading.is_readable and grid.task.is_right(reading.answer, item),
        "fields_right": grid.task.compare_fields(reading.answer, item),
    }


def _check_rule(task: Task, arms: Sequence[Arm]) -> None:
    """Refuse answers that the rule of free text cannot read even if they are written as requested.

    Such a question would be hard for that arm alone: a text of two lines, an item with a comma.
    """
    for arm in (each for each in arms if each.reads == "rule"):
        for item in task.items:
            reading = read_answer(arm, write_answer(task, arm, replace(item, reasoning="")), task.answer)
            if not (reading.is_readable and task.is_right(reading.answer, item)):
                shown = json.dumps(item.answer, ensure_ascii=False)
                raise ArgumentError(
                    f"the arm {arm.name!r} could not be right: its rule cannot read {shown}, of question {item.id}",
                    hint=f"leave {arm.name!r} out, or describe the answer as an object",
                    argument="arms",
                )


def _check_model(grid: Grid, name: str, model: Any) -> None:
    """Refuse arms and options that a remote model cannot have. Raises OptionUnsupported."""
    if getattr(model, "vocabulary", None) is not None:
        return
    needs = [f"the arm {arm.name!r}" for arm in grid.arms if arm.needs_tokens] + ["trace"] * grid.trace
    if needs:
        raise OptionUnsupported(
            f"{name} is a remote model: {needs[0]} needs a model that runs here",
            hint="leave it out",
            argument="arms" if needs[0] != "trace" else "trace",
        )


def write_cell_prompt(grid: Grid, cell: Cell, item: Item) -> str:
    """Write the prompt of a question in a cell."""
    bare = "prompts" in grid.unfair and cell.arm.is_structured
    how: dict[str, Any] = {"wording": cell.wording, "shots": cell.shots, "sentences": grid.sentences, "bare": bare}
    return write_prompt(grid.task, cell.arm, item, **how)


def _digest_inputs(grid: Grid, cell: Cell, item: Item, prompt: str | None = None) -> str:
    """Return a digest of everything that an answer depends on, except the model."""
    arm: list[Any] = [cell.arm.enforces, cell.arm.reads, cell.arm.order, dict(cell.arm.options)]
    arm += [cell.arm.fidelity] * (cell.arm.fidelity != "mask")
    how = [arm, grid.task.answer, item.answer, grid.max_tokens, grid.temperature, "parser" in grid.unfair]
    text = json.dumps([prompt or write_cell_prompt(grid, cell, item), *how], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _group_neighbours(numbers: Sequence[int]) -> list[list[int]]:
    """Group ascending numbers into lists of neighbours."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _measure_cost(result: Any, max_tokens: int) -> AnswerCost:
    """Measure the cost of an answer."""
    if isinstance(result, Failed):
        return {
            "tokens": None,
            "prompt_tokens": None,
            "model_calls": None,
            "forced_tokens": None,
            "is_cut": isinstance(result.error, OutputTruncated),
        }
    tokens = len(result.token_ids) if result.exchange is None else result.exchange.usage.completion_tokens
    return {
        "tokens": tokens,
        "prompt_tokens": result.prompt_tokens,
        "model_calls": result.model_calls,
        "forced_tokens": result.forced_tokens,
        "is_cut": tokens >= max_tokens,
    }
