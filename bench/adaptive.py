"""What adaptive draws cost, beside masks, particles and scores of all texts: calls of the model, time, and bias.

::

    python bench/adaptive.py calls                      # calls after 1, 5 and 20 draws, beside a plain tree
    python bench/adaptive.py calls --prototype FILE     # beside a script that does the same, with the same seeds
    python bench/adaptive.py bias                       # total variation of each strategy, and its cost

The embedded model, format instructions in the prompt, canonical tokens. *Plain* is the algorithm in its shortest form:
a row of all tokens for each prefix, and a call for each. *Calls* are means over seeds, one call being one run of the
model, whatever it holds; draws that did not come count as ``--max-calls``, and ">" says so. *Ratio* compares the calls
after 20 draws, *prefixes* the prefixes that were visited: a call for forced tokens visits several. *Total variation* is
that of the mean weights (particles) or of the counts of texts from the distribution that scoring all texts gives;
*ideal* is what as many perfect draws would have.
"""

from __future__ import annotations

import argparse
import ast
import math
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import formwright as fw
from formwright.conversations.prompts import Prompt, with_instruction
from formwright.generation import Limits
from formwright.generation.adaptive import AdaptiveDraws
from formwright.generation.scorer import Scorer
from formwright.generation.strategies.beams import log_softmax
from formwright.models import LocalModel

LETTER = "The parcel is late again and the box was open. I want my money back."
PERSON = "Clara Novak is a 34-year-old architect from Prague. She is married."
DRAWS = (1, 5, 20)


def compact(schema: dict[str, Any]) -> fw.Form[Any]:
    return fw.json_schema(schema, whitespace="compact")


def close_object(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    needed = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


MOOD, URGENT = {"enum": ["good", "bad", "neutral"]}, {"type": "boolean"}
SHORT = {"type": "string", "maxLength": 20}
PEOPLE = {
    "type": "array",
    "items": close_object(name={"type": "string"}, age={"type": "integer"}),
    "minItems": 2,
    "maxItems": 3,
}

FINITE: dict[str, tuple[str, fw.Form[Any]]] = {
    "two enums": (LETTER, compact(close_object(mood=MOOD, urgent=URGENT))),
    "optional members": (
        LETTER,
        compact(
            close_object(
                ["mood"], mood=MOOD, urgent=URGENT, topic={"enum": ["delivery", "praise", "booking", "person"]}
            )
        ),
    ),
    "a list of enums": (LETTER, compact({"type": "array", "items": {"enum": ["good", "bad", "late"]}, "maxItems": 3})),
    "96 sentences": (
        LETTER,
        fw.regex(r"(The|A) (parcel|person|table) (is|was) (late|married|booked|open)( again)?\."),
    ),
}
LARGE: dict[str, tuple[str, fw.Form[Any]]] = {
    "two short strings, an integer": (
        PERSON,
        compact(close_object(name=SHORT, age={"type": "integer", "minimum": 0, "maximum": 130}, city=SHORT)),
    ),
    "a string of at most 40": (LETTER, compact(close_object(summary={"type": "string", "maxLength": 40}))),
    "2-3 objects, free strings": (PERSON, compact(PEOPLE)),
    r"[A-Z]{3}-\d{4}": (LETTER, fw.regex(r"[A-Z]{3}-\d{4}")),
}
OPTIONS: dict[str, Any] = {"canonical": True, "instruct": True, "max_tokens": 80}


def open_draws(model: LocalModel, prompt: str, form: fw.Form[Any]) -> AdaptiveDraws:
    """Draws of which nothing is known yet."""
    constraint = fw.compile(form, model.vocabulary, canonical=True)
    task = model.make_task(add_instruction(prompt, form), constraint, Limits(max_tokens=OPTIONS["max_tokens"]))
    scorer = Scorer(model.runtime.fork, task.prompt_ids)
    return AdaptiveDraws(scorer, task.constraint, task.prompt_ids, task.limits, temperature=1.0)


def add_instruction(prompt: str, form: fw.Form[Any]) -> Prompt:
    """The prompt that ``instruct=True`` makes."""
    return with_instruction(prompt, fw.instructions(form))


def draw_plainly(model: LocalModel, prompt: str, form: fw.Form[Any], seed: int, most: int) -> Iterator[tuple[str, int]]:
    """The algorithm in its shortest form: each text with the calls of the model so far; ends after ``most`` calls."""
    constraint, random = fw.compile(form, model.vocabulary, canonical=True), np.random.default_rng(seed)
    prompt_ids, score = model.score_after(add_instruction(prompt, form))
    ends, mask = set(model.vocabulary.eos_token_ids), fw.allocate_bitmask(1, model.vocabulary)
    given: dict[tuple[int, ...], np.ndarray] = {}
    left: dict[tuple[int, ...], np.ndarray] = {}
    calls = 0
    while True:
        matcher, prefix = constraint.matcher(prompt_ids), ()
        path: list[tuple[tuple[int, ...], int]] = []
        while True:
            if prefix not in given:
                if calls == most:
                    return
                calls += 1
                matcher.fill_bitmask(mask, budget=OPTIONS["max_tokens"] - len(prefix))
                row = np.zeros(model.vocabulary.logits_size)
                allowed = fw.allowed_tokens(mask)
                row[allowed] = np.exp(score(prefix)[allowed])
                given[prefix], left[prefix] = row, row.copy()
                if random.random() >= row.sum():
                    mass = float(row.sum())
                    break
            weights = left[prefix]
            if not weights.sum():
                mass = 0.0
                break
            token_id = int(random.choice(len(weights), p=weights / weights.sum()))
            path.append((prefix, token_id))
            if token_id in ends:
                mass = 1.0
                break
            matcher.accept_token(token_id)
            prefix = (*prefix, token_id)
        for at, token_id in reversed(path):
            left[at][token_id] = given[at][token_id] * mass
            mass = float(left[at].sum())
        if path and path[-1][1] in ends:
            yield matcher.accepted_bytes.decode(), calls


def draw_adaptively(draws: AdaptiveDraws, seed: int, most: int) -> Iterator[tuple[str, int]]:
    """The same by `AdaptiveDraws`."""
    random, calls = np.random.default_rng(seed), 0
    while True:
        try:
            drawn = draws.draw(random, max_calls=most - calls)
        except (fw.errors.LimitExceeded, fw.errors.ArgumentError):
            return
        calls += drawn.model_calls
        yield drawn.text, calls


def count_calls(drawn: Iterable[tuple[str, int]]) -> list[float]:
    """The calls after some numbers of draws; infinite where they did not come."""
    calls = [count for _, (_, count) in zip(range(max(DRAWS)), drawn, strict=False)]
    return [calls[number - 1] if len(calls) >= number else math.inf for number in DRAWS]


class Prototype:
    """A script that makes adaptive draws, one form after the other: run with our model, forms, seeds and budget.

    It assigns ``m``, ``CASES``, ``g`` and ``LEFT`` at its top, and leaves the calls after some numbers of draws in
    ``marks``. A bound on the calls is its own.
    """

    def __init__(self, path: Path, model: LocalModel) -> None:
        self._model, self._given = model, {"CASES", "LEFT", "g", "log_softmax", "m"}
        body = [line for line in ast.parse(path.read_text(encoding="utf-8")).body if not self._is_given(line)]
        self._code = compile(ast.Module(body, type_ignores=[]), str(path), "exec")

    def _is_given(self, line: ast.stmt) -> bool:
        """Whether a line of the script assigns, or imports, what is given instead."""
        names = [each for each in ast.walk(line) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
        assigned = {each.id for each in names} if isinstance(line, ast.Assign) else set[str]()
        imported = {each.name for each in line.names} if isinstance(line, ast.ImportFrom) else set[str]()
        return bool((assigned | imported) & self._given)

    def count_calls(self, prompt: str, form: fw.Form[Any], seed: int) -> list[float]:
        """The calls after some numbers of draws; infinite where they did not come."""
        names: dict[str, Any] = {
            "CASES": [("", form, prompt)],
            "LEFT": OPTIONS["max_tokens"],
            "g": np.random.default_rng(seed),
            "log_softmax": log_softmax,
            "m": self._imitate_model(),
        }
        with redirect_stdout(StringIO()):
            exec(self._code, names)
        return [names["marks"].get(number, (math.inf,))[0] for number in DRAWS]

    def _imitate_model(self) -> Any:
        """Make what a script calls of a model, some of it by former names."""

        def open_score(prompt_ids: list[int]) -> Callable[[Sequence[int]], Any]:
            score = self._model.score_after(prompt_ids)[1]
            return lambda token_ids: [score(token_ids)]

        return SimpleNamespace(
            vocabulary=self._model.vocabulary,
            prompt_ids=self._model.prompt_ids,
            _instructed=lambda prompt, constraint, _: add_instruction(prompt, constraint.form),
            _score=open_score,
        )


def compare_calls(model: LocalModel, seeds: int, most: int, prototype: Path | None) -> None:
    """Calls after 1, 5 and 20 draws: of the plain tree or of a prototype, and ours."""
    other, script = "plain" if prototype is None else "prototype", prototype and Prototype(prototype, model)
    print(
        f"{'form':<30} {'log P':>7}  {other + ': calls':>22} {'s':>6}  {'adaptive: calls':>22} {'s':>6} {'prefixes':>8}"
        f" {'ratio':>6}"
    )
    for name, (prompt, form) in {**FINITE, **LARGE}.items():
        bounds, prefixes = list[float](), list[int]()

        def count_theirs(seed: int, prompt: str = prompt, form: fw.Form[Any] = form) -> list[float]:
            if script:
                return script.count_calls(prompt, form, seed)
            return count_calls(draw_plainly(model, prompt, form, seed, most))

        def count_ours(
            seed: int, prompt: str = prompt, form: fw.Form[Any] = form, to: Any = (bounds, prefixes)
        ) -> list[float]:
            draws = open_draws(model, prompt, form)
            counted = count_calls(draw_adaptively(draws, seed, most))
            to[0].append(draws.tree.log_form_probability)
            to[1].append(len(draws.tree))
            return counted

        few = seeds if name != r"[A-Z]{3}-\d{4}" else 1
        theirs, their_time = time_each(few, count_theirs)
        ours, our_time = time_each(few, count_ours)
        ratio = f"{mean(ours, most) / mean(theirs, most):6.2f}" if math.inf not in (*ours[-1], *theirs[-1]) else ""
        print(
            f"{name:<30} {statistics.mean(bounds):7.1f}  {show(theirs, most):>22} {their_time:6.2f}  "
            f"{show(ours, most):>22} {our_time:6.2f} {statistics.mean(prefixes):8.0f} {ratio:>6}",
            flush=True,
        )


def time_each(seeds: int, count: Callable[[int], list[float]]) -> tuple[list[tuple[float, ...]], float]:
    """Numbers of each seed, by number; and the mean of the seconds."""
    start = time.perf_counter()
    counted = [count(seed) for seed in range(seeds)]
    return [*zip(*counted, strict=True)], (time.perf_counter() - start) / seeds


def show(calls: Sequence[Sequence[float]], most: int) -> str:
    return " / ".join(f"{'>' * (math.inf in each)}{mean([each], most):.0f}" for each in calls)


def mean(calls: Sequence[Sequence[float]], most: int) -> float:
    """The mean of the last numbers, where what did not come counts as the bound."""
    return statistics.mean(min(each, most) for each in calls[-1])


def compare_bias(model: LocalModel, draws: int, seeds: int) -> None:
    """Total variation from the model's own distribution, and what one draw costs."""
    print(f"{'form':<20} {'texts':>6}  strategy                        TV  ideal   calls      ms")
    for name, (prompt, form) in FINITE.items():
        exact, seconds = time_one(lambda p=prompt, f=form: model.generate(p, f, fidelity="exact", seed=0, **OPTIONS))
        law = shares(exact.particles.texts, exact.particles.log_weights)
        print(f"{name:<20} {len(law):>6}  {'exact':<25} {0:8.3f} {0:6.3f} {exact.model_calls:>7} {1e3 * seconds:7.1f}")
        masked, seconds = time_one(
            lambda p=prompt, f=form: model.generate_many([p] * draws, f, seed=0, temperature=1.0, **OPTIONS)
        )
        calls = statistics.mean(result.model_calls for result in masked)
        tell("masks", (result.text for result in masked), law, draws, calls, seconds / draws)
        found: defaultdict[str, float] = defaultdict(float)
        start, calls = time.perf_counter(), 0.0
        for seed in range(seeds):
            result = model.generate(prompt, form, fidelity="smc", particles=16, seed=seed, **OPTIONS)
            calls += result.model_calls / seeds
            for text, share in shares(result.particles.texts, result.particles.log_weights).items():
                found[text] += share / seeds
        seconds = (time.perf_counter() - start) / seeds
        print(
            f"{'':<28} {'smc, 16 particles':<25} {distance(found, law):8.3f} {ideal(law, seeds):6.3f} "
            f"{calls:7.1f} {1e3 * seconds:7.1f}"
        )
        for count in (1, 20, draws):
            options: dict[str, Any] = {"fidelity": "adaptive", "returns": count, "max_calls": 10**6, **OPTIONS}
            runs = draws // count
            results, seconds = time_one(
                lambda p=prompt, f=form, r=runs, o=options: [model.generate(p, f, seed=seed, **o) for seed in range(r)]
            )
            texts = (drawn.text for result in results for drawn in result.alternatives)
            calls = statistics.mean(result.model_calls for result in results)
            tell(f"adaptive, returns={count}", texts, law, draws, calls / count, seconds / draws)


def tell(name: str, texts: Iterable[str], law: Mapping[str, float], draws: int, calls: float, seconds: float) -> None:
    found = {text: count / draws for text, count in Counter(texts).items()}
    shown = f"{distance(found, law):8.3f} {ideal(law, draws):6.3f} {calls:7.1f} {1e3 * seconds:7.1f}"
    print(f"{'':<28} {name:<25} {shown}", flush=True)


def shares(texts: Iterable[str], log_weights: Iterable[float]) -> Mapping[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for text, log_weight in zip(texts, log_weights, strict=True):
        found[text] += math.exp(log_weight)
    return found


def distance(found: Mapping[str, float], law: Mapping[str, float]) -> float:
    """Total variation."""
    return sum(abs(found.get(text, 0.0) - law.get(text, 0.0)) for text in {*found, *law}) / 2


def ideal(law: Mapping[str, float], draws: int, rounds: int = 200) -> float:
    """The mean total variation of as many perfect draws."""
    weights = np.array([*law.values()])
    weights /= weights.sum()
    counts = np.random.default_rng(0).multinomial(draws, weights, size=rounds)
    return float(np.abs(counts / draws - weights).sum(-1).mean() / 2)


def time_one(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "bias"])
    parser.add_argument("--seeds", type=int, default=5, help="runs whose means are shown; of particles, forty times")
    parser.add_argument("--draws", type=int, default=1000, help="texts whose distribution is measured")
    parser.add_argument("--max-calls", type=int, default=1200, help="calls after which draws are given up")
    parser.add_argument("--prototype", type=Path, help="a script to compare calls with, in place of the plain tree")
    options = parser.parse_args()
    model = fw.load("formwright-tiny")
    if options.what == "calls":
        compare_calls(model, options.seeds, options.max_calls, options.prototype)
    else:
        compare_bias(model, options.draws, 40 * options.seeds)


if __name__ == "__main__":
    main()
