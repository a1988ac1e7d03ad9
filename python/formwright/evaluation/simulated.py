"""Simulate a model with a given share of right answers: for tests of an evaluation, and to see what unfairness does.

::

    from formwright.evaluation.arms import ARMS, make_arm_form
    from formwright.evaluation.built_in import make_built_in_task
    from formwright.evaluation.prompts import write_prompt

    task = make_built_in_task("arithmetic", "en", 3)
    model = SimulatedModel(task, right=lambda prompt: 1.0)
    prompt = write_prompt(task, ARMS["free"], task.items[0])
    form = make_arm_form(ARMS["free"], task.answer, 60)
    model.generate_many([prompt], form)[0].text.splitlines()[-1]            # "Answer: 34"

It looks up the question of a prompt, draws whether it knows the answer, and writes the right or another answer in the
requested form. The same prompt always gets the same text. Cost: microseconds for each text.

With ``shared`` above 0, a question that is hard in one arm is hard in the others too, as it is for real models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from formwright.errors import ArgumentError
from formwright.evaluation.arms import ARMS
from formwright.evaluation.prompts import MARKS, write_answer
from formwright.evaluation.tasks import Item, Task
from formwright.generation.result import Complete

__all__ = ["SimulatedModel", "rate_by_steps"]

_STEPS = ("step", "Explain", "步", "推理")


def rate_by_steps(prompt: str) -> float:
    """Return 0.7 if a prompt asks for steps, else 0.4, whatever the form."""
    return 0.7 if any(word in prompt for word in _STEPS) else 0.4


@dataclass(frozen=True)
class SimulatedModel:
    """A model with a given probability of a right answer.

    Attributes:
        task: The questions that it knows.
        right: The probability of a right answer to a prompt.
        shared: The share of questions for which one draw decides for all prompts.
        seed: The seed of the draws.
        vocabulary: That of a real model, so that this one counts as a local model.
    """

    task: Task
    right: Callable[[str], float] = rate_by_steps
    shared: float = 0.5
    seed: int = 0
    vocabulary: Any = None

    def generate_many(self, prompts: Sequence[str], forms: Any, **options: Any) -> list[Complete[Any]]:
        """Write one conforming text for each prompt."""
        form = getattr(forms, "form", forms)
        return [self._write(prompt, form, options.get("seed") or 0) for prompt in prompts]

    def _write(self, prompt: str, form: Any, draw: int) -> Complete[Any]:
        item = self._find_question(prompt)
        alone = Random(f"{self.seed} {draw} {prompt}")
        together = Random(f"{self.seed} {draw} {item.question}")
        level = together.random() if together.random() < self.shared else alone.random()
        answer = item.answer if level < self.right(prompt) else self._choose_wrong_answer(item, alone)
        text = next(
            each for each in self._list_texts(Item(item.id, "", answer, item.reasoning), prompt) if form.matches(each)
        )
        count = len(text.split())
        ids, prompt_tokens = tuple(range(count)), len(prompt.split())
        return Complete(
            value=text,
            text=text,
            token_ids=ids,
            prompt_tokens=prompt_tokens,
            model_calls=count,
            forced_tokens=0,
            seconds=0.0,
        )

    @cached_property
    def _items(self) -> dict[str, Item]:
        return {item.question: item for item in self.task.items}

    def _find_question(self, prompt: str) -> Item:
        """Find the last question in a prompt."""
        mark = MARKS[self.task.language][0]
        question = prompt.rpartition(mark)[2].partition("\n\n")[0] if mark in prompt else prompt.removesuffix(" JSON.")
        found = self._items.get(question)
        if found is None:
            raise ArgumentError(f"the simulated model knows no answer to {question!r}", argument="prompts")
        return found

    def _choose_wrong_answer(self, item: Item, random: Random) -> Any:
        while self.task.is_right(other := random.choice(self.task.items).answer, item):
            pass
        return other

    def _list_texts(self, item: Item, prompt: str) -> Iterator[str]:
        """List an answer in the forms of all arms; free text comes first if the prompt does not ask for JSON."""
        names = ["schema", "answer_only", "thinking"]
        if "JSON" not in prompt:
            yield write_answer(self.task, ARMS["free"], item)
        yield from (write_answer(self.task, ARMS[name], item) for name in names)
        yield json.dumps({"answer": item.answer, "reasoning": item.reasoning}, ensure_ascii=False)
