"""A stand-in for TensorRT-LLM, typed as its documentation describes it; a driver does what its decoder does.

The library itself needs NVIDIA's own stack, so what is shown here is that the processors do what the documented calls
ask of them: for a request, for a batch of requests that come and go, and for beams that are reordered.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import page
import torch
from battery import BUDGET, FORMS, PROMPTS, microseconds, record, texts
from tensorrt_double import installed

import formwright as fw

with installed():
    from formwright.engines.tensorrt_llm import FormProcessor, FormProcessors

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import PROGRAMS, Row, find_fault
from host_texts import PROMPT, HostText, RowTexts, pack_scores

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
    """Our own loop; a trace calls the model for each token, as the host does: tokens read together round otherwise."""
    return TINY.generate(TINY.encode(prompt), form, max_tokens=BUDGET, trace=True).text


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


class RequestTexts(RowTexts):
    """Beams of requests with a processor each, for the kit of `conformance`."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        return FormProcessor(constraint, max_tokens=limit)

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        logits = torch.zeros((1, len(rows), maker._rows.vocabulary.logits_size))
        maker(1, logits, rows, None, None)
        return [pack_scores(row) for row in logits[0]]


class BatchedTexts(RowTexts):
    """Requests of an engine's one processor; the living texts of a step are a batch, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.processors, self.clients = FormProcessors(), 0

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        self.clients += 1
        self.processors.add(self.clients, constraint, max_tokens=limit)
        return self.clients, constraint.vocabulary.logits_size

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        return self.ask_batch([maker], [rows])[0]

    def ask_batch(self, makers: Sequence[Any], rows: list[list[list[int]]]) -> list[list[Row]]:
        logits = [torch.zeros((1, len(beams), size)) for (_, size), beams in zip(makers, rows, strict=True)]
        clients = [client for client, _ in makers]
        self.processors([1000 + client for client in clients], logits, rows, None, clients)
        return [[pack_scores(row) for row in beams[0]] for beams in logits]

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        if drafts:
            return super().masks(keys, drafts)
        found = self.ask_batch(
            [self.texts[key].maker for key in keys], [[[*PROMPT, *self.texts[key].ids]] for key in keys]
        )
        return dict(zip(keys, found, strict=True))

    def end(self, key: int) -> None:
        text: HostText = self.texts.pop(key)
        if all(other.maker != text.maker for other in self.texts.values()):
            self.processors.remove(text.maker[0])


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
    for adapter in (RequestTexts, BatchedTexts):
        assert (fault := find_fault(adapter, PROGRAMS)) is None, fault
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
    record(
        "tensorrt_llm",
        "double",
        features,
        **counts,
        microseconds={"added": microseconds(free)["added"]},
        programs=PROGRAMS,
    )


if __name__ == "__main__":
    main()
    with installed():
        page.imported("tensorrt_llm", only="formwright")
