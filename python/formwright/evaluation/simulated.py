"""A model that is right as often as it is told to be: for tests of an evaluation, and to see what unfairness does.

::

    from formwright.evaluation.arms import ARMS, form_of
    from formwright.evaluation.built_in import built_in
    from formwright.evaluation.prompts import prompt_of

    task = built_in("arithmetic", "en", 3)
    model = Simulated(task, right=lambda prompt: 1.0)
    prompt = prompt_of(task, ARMS["free"], task.items[0])
    model.generate_many([prompt], form_of(ARMS["free"], task.answer, 60))[0].text.splitlines()[-1]    # "Answer: 34"

It looks up the question of a prompt, draws whether it knows the answer, and writes that or another answer as it was
asked to. The same prompt always gets the same text. Cost: microseconds for each text.

The wrinkle: with ``shared`` above 0, what is hard in one arm is hard in the others too, as it is for real models.
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

__all__ = ["Simulated", "by_steps"]

_STEPS = ("step", "Explain", "步", "推理")


def by_steps(prompt: str) -> float:
    """Right in 7 of 10 where the prompt asks for steps, in 4 of 10 where it does not: whatever the form."""
    return 0.7 if any(word in prompt for word in _STEPS) else 0.4


@dataclass(frozen=True)
class Simulated:
    """A model that is right as often as it is told to be.

    Attributes:
        task: The questions that it may be asked.
        right: How likely it is to answer a prompt rightly.
        shared: In what share of the questions one draw decides for all prompts.
        seed: Of the draws.
        vocabulary: That of a real model, so that this one counts as one that runs here.
    """

    task: Task
    right: Callable[[str], float] = by_steps
    shared: float = 0.5
    seed: int = 0
    vocabulary: Any = None

    def generate_many(self, prompts: Sequence[str], forms: Any, **options: Any) -> list[Complete[Any]]:
        """One text for each prompt, in form."""
        form = getattr(forms, "form", forms)
        return [self._write(prompt, form, options.get("seed") or 0) for prompt in prompts]

    def _write(self, prompt: str, form: Any, draw: int) -> Complete[Any]:
        item = self._question_in(prompt)
        alone = Random(f"{self.seed} {draw} {prompt}")
        together = Random(f"{self.seed} {draw} {item.question}")
        level = together.random() if together.random() < self.shared else alone.random()
        answer = item.answer if level < self.right(prompt) else self._other(item, alone)
        text = next(
            each for each in self._texts(Item(item.id, "", answer, item.reasoning), prompt) if form.matches(each)
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

    def _question_in(self, prompt: str) -> Item:
        """The question that stands last in a prompt."""
        mark = MARKS[self.task.language][0]
        said = prompt.rpartition(mark)[2].partition("\n\n")[0] if mark in prompt else prompt.removesuffix(" JSON.")
        found = self._items.get(said)
        if found is None:
            raise ArgumentError(f"the simulated model knows no answer to {said!r}", argument="prompts")
        return found

    def _other(self, item: Item, random: Random) -> Any:
        while self.task.is_right(other := random.choice(self.task.items).answer, item):
            pass
        return other

    def _texts(self, item: Item, prompt: str) -> Iterator[str]:
        """An answer in all ways that arms ask for, that of the prompt first where nothing is enforced."""
        names = ["schema", "answer_only", "thinking"]
        if "JSON" not in prompt:
            yield write_answer(self.task, ARMS["free"], item)
        yield from (write_answer(self.task, ARMS[name], item) for name in names)
        yield json.dumps({"answer": item.answer, "reasoning": item.reasoning}, ensure_ascii=False)
