"""A stand-in for TensorRT-LLM, typed as its documentation describes it; a driver does what its decoder does.

The library itself needs NVIDIA's own stack, so what is shown here is that the processors do what the documented calls
ask of them: for a request, for a batch of requests that come and go, and for beams that are reordered.
"""

from __future__ import annotations

from typing import Any

import page
import torch
from battery import BUDGET, FORMS, PROMPTS, microseconds, record, texts
from tensorrt_double import installed

import formwright as fw

with installed():
    from formwright.engines.tensorrt_llm import FormProcessor, FormProcessors

TINY = fw.load("formwright-tiny")
END, WIDTH = 1, TINY.vocabulary.logits_size
FREE = fw.regex(r"[\s\S]{400}")
BEAMS = 3


class Request:
    """What a decoder keeps of a request: the ids of its beams, the prompt included, and their scores."""

    def __init__(self, number: int, prompt: str, beams: int = 1) -> None:
        self.number, self.beams = number, beams
        self.prompt = TINY.encode(prompt)
        self.ids, self.scores = [list(self.prompt)], [0.0]
        first = TINY.runtime.fork()
        self.logits = [torch.from_numpy(first.prefill(self.prompt).copy())]
        self.runtimes = [first]

    @property
    def is_over(self) -> bool:
        return len(self.ids[0]) - len(self.prompt) == BUDGET or all(row[-1] == END for row in self.ids)

    def asked(self) -> torch.Tensor:
        """The logits as a processor is handed them: of shape (1, beams, width)."""
        return torch.stack(self.logits)[None].clone()

    def go_on(self, logits: torch.Tensor) -> None:
        """Keep the best beams; one that has ended goes on with its end, at no cost."""
        chances = torch.log_softmax(logits[0], dim=-1)
        ways = []
        for beam, score in enumerate(self.scores):
            if self.ids[beam][-1] == END and len(self.ids[beam]) > len(self.prompt):
                assert chances[beam].isfinite().nonzero().flatten().tolist() == [END]
                ways.append((score, beam, END))
                continue
            best = chances[beam].topk(self.beams)
            ways += [
                (score + chance, beam, token) for chance, token in zip(*map(torch.Tensor.tolist, best), strict=True)
            ]
        kept = sorted((way for way in ways if way[0] > float("-inf")), reverse=True)[: self.beams]
        self.ids = [[*self.ids[beam], token] for _, beam, token in kept]
        self.scores = [score for score, _, _ in kept]
        self.runtimes = [self.runtimes[beam].fork() for _, beam, _ in kept]
        self.logits = [
            self.logits[beam] if token == END else torch.from_numpy(runtime.step(token).copy())
            for runtime, (_, beam, token) in zip(self.runtimes, kept, strict=True)
        ]

    def texts(self) -> list[str]:
        rows = [row[len(self.prompt) :] for row in self.ids]
        return [b"".join(TINY.vocabulary.token(token) for token in row if token != END).decode() for row in rows]


def written(prompt: str, form: Any, beams: int = 1) -> list[str]:
    """A request with a processor of its own."""
    processor = FormProcessor(fw.compile(form, TINY.vocabulary), max_tokens=BUDGET)
    request = Request(1, prompt, beams)
    while not request.is_over:
        logits = request.asked()
        processor(request.number, logits, request.ids, None, None)
        request.go_on(logits)
    return request.texts()


def own(prompt: str, form: Any) -> str:
    return TINY.generate(TINY.encode(prompt), form, max_tokens=BUDGET).text


def check_batch(expected: dict[tuple[str, str], str]) -> None:
    """All forms behind a prompt as requests that begin one after another, beside one without a form."""
    processors = FormProcessors()
    for prompt in PROMPTS:
        waiting = [Request(number, prompt) for number in range(len(FORMS))]
        free, running = Request(len(FORMS), prompt), []
        for number, form in enumerate(FORMS.values()):
            processors.add(number, fw.compile(form, TINY.vocabulary), max_tokens=BUDGET)
        while waiting or running:
            running += [waiting.pop()] if waiting else []
            step = [*running, free]
            logits, before = [request.asked() for request in step], free.asked()
            numbers = [request.number for request in step]
            clients = [*numbers[:-1], None]
            processors(numbers, logits, [request.ids for request in step], None, clients)
            assert torch.equal(logits[-1], before)
            for request, scores in zip(running, logits, strict=False):
                request.go_on(scores)
            for request in [request for request in running if request.is_over]:
                assert request.texts() == [expected[prompt, list(FORMS)[request.number]]]
                processors.remove(request.number)
                running.remove(request)


def check_beams() -> None:
    """Every beam of every request is in form, however they were reordered."""
    for form in FORMS.values():
        for prompt in PROMPTS:
            found = written(prompt, form, BEAMS)
            assert found
            assert all(fw.form(form).check(text).is_complete for text in found), (prompt, form, found)


def main() -> None:
    expected: dict[tuple[str, str], str] = {}
    names = {id(form): name for name, form in FORMS.items()}

    def host(prompt: str, form: Any) -> str:
        (text,) = written(prompt, form)
        expected[prompt, names[id(form)]] = text
        return text

    counts = texts(host, own)
    check_batch(expected)
    check_beams()
    ids = TINY.encode(PROMPTS[0])

    def free(constrained: bool) -> int:
        """A hundred tokens of one text; no model is asked."""
        processor, row = FormProcessor(fw.compile(FREE, TINY.vocabulary)), [*ids]
        logits = torch.zeros((1, 1, WIDTH))
        for token in TINY.vocabulary.merges.encode("and " * 100)[:100]:
            if constrained:
                processor(1, logits, [row], None, None)
            row.append(token)
        return 100

    features = {"batch": "yes", "beams": "yes", "speculation": "no"}
    features |= {"reasoning": "fw.thinking", "tools": "fw.tools", "forced tokens": "no"}
    record("tensorrt_llm", "double", features, **counts, microseconds={"added": microseconds(free)["added"]})


if __name__ == "__main__":
    main()
    page.imported("tensorrt_llm", only="formwright")
