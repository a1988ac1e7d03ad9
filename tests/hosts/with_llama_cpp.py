"""llama-cpp-python, with the embedded model as a file of its own kind."""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gguf_file
import llama_cpp
import numpy as np
from battery import BUDGET, FORMS, PROMPTS, Person, microseconds, record, texts
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

import formwright as fw
from formwright.engines.llama_cpp import FormProcessors

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import PROGRAMS, Row, find_fault
from host_texts import StepTexts, pack_scores

FREE = fw.regex(r"[\s\S]{400}")


def main() -> None:
    tiny = fw.load("formwright-tiny")
    path = gguf_file.write(Path(tempfile.mkdtemp()) / "tiny.gguf")
    llama = llama_cpp.Llama(str(path), n_ctx=2048, n_threads=1, n_threads_batch=1, verbose=False)
    model = fw.from_llama_cpp(llama)
    assert model.vocabulary.fingerprint == tiny.vocabulary.fingerprint
    assert model.encode([{"role": "user", "content": "Hi"}]) == tiny.encode("Hi")

    def host(prompt: str, form: Any, model: Any = model) -> str:
        with model.logits_processor(form, max_tokens=BUDGET) as processor:
            answer = model.llama.create_completion(
                tiny.encode(prompt), max_tokens=BUDGET, temperature=0, repeat_penalty=1, logits_processor=processor
            )
        return str(answer["choices"][0]["text"])

    def own(prompt: str, form: Any) -> str:
        return model.generate(tiny.encode(prompt), form, max_tokens=BUDGET).text

    counts = texts(host, own)
    check_batches(model, tiny)
    check_biased(model, llama, tiny)
    check_chat(model, llama)
    check_speculation(model, path, host)
    check_faults(model, llama, tiny)
    for guesses in (0, 3):
        assert (fault := find_fault(lambda guesses=guesses: SteppedTexts(guesses), PROGRAMS)) is None, fault

    keeps, passes = model.logits_processor(FREE), llama_cpp.LogitsProcessorList([lambda ids, scores: scores])

    def free(constrained: bool) -> int:
        """A hundred tokens; any processor costs the host some 30 us by itself, so one that does nothing stands in."""
        keeps.reset()
        llama.reset()
        tokens = llama.generate(tiny.encode(PROMPTS[0]), temp=0.0, logits_processor=keeps if constrained else passes)
        return sum(1 for _ in itertools.islice(tokens, 100))

    record(
        "llama_cpp",
        "real host",
        {
            "batch": "our loop",
            "beams": "our loop",
            "speculation": "prompt lookup",
            "reasoning": "fw.thinking",
            "tools": "fw.tools",
            "forced tokens": "our loop",
        },
        **counts,
        microseconds=microseconds(free),
        programs=PROGRAMS,
    )


class SteppedTexts(StepTexts):
    """Texts with a list of processors each, for the kit of `conformance`; ids of guesses may follow those to stay."""

    def __init__(self, guesses: int) -> None:
        super().__init__()
        draft_model = object() if guesses else None
        self.llama = SimpleNamespace(input_ids=np.zeros(2048, np.intc), draft_model=draft_model)
        self.guesses, self.chance = guesses, random.Random(guesses)

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        return FormProcessors(self.llama, constraint, max_tokens=limit)

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        (ids,) = rows
        # A prompt has no guesses after it: they come when a token was written.
        guesses = [] if maker._known is None else self.chance.choices(range(200), k=self.guesses)
        self.llama.input_ids[: len(ids) + len(guesses)] = [*ids, *guesses]
        scores = maker(self.llama.input_ids[: len(ids) + len(guesses)], np.zeros(self.width(maker), np.float32))
        assert maker.error is None, maker.error
        return [pack_scores(scores)]

    @staticmethod
    def width(maker: Any) -> int:
        return int(maker._rows.vocabulary.logits_size)


def check_batches(model: Any, tiny: Any) -> None:
    """Rows of a batch write what they write alone; the context grows when it is full."""
    prompts = [tiny.encode(prompt) for prompt in PROMPTS * 3]
    forms = [Person] * len(prompts)
    together = [result.text for result in model.generate_many(prompts, forms, max_tokens=60)]
    assert together == [model.generate(prompt, Person, max_tokens=60).text for prompt in prompts]
    best = model.generate(prompts[0], Person, beams=4, returns=2, max_tokens=60)
    assert len(best.alternatives) == 2
    assert best.alternatives[0].log_probability >= best.alternatives[1].log_probability
    scores = model.score(prompts[0], ["36", "London"], canonical=False)
    assert len(scores) == 2


def check_biased(model: Any, llama: Any, tiny: Any) -> None:
    """With logit_bias, which drops a plain list, the form holds."""
    one, other = (tiny.vocabulary.merges.encode(text)[0] for text in ("yes", "no"))
    for favoured, text in ((one, "yes"), (other, "no")):
        with model.logits_processor(fw.choice("yes", "no")) as processor:
            answer = llama.create_completion(
                tiny.encode("Yes?"),
                max_tokens=8,
                temperature=0,
                logits_processor=processor,
                logit_bias={favoured: 50.0},
            )
        assert answer["choices"][0]["text"] == text


def check_chat(model: Any, llama: Any) -> None:
    """Its chat completions, whole and streamed."""
    messages = [{"role": "user", "content": "Bo is 7."}]
    with model.logits_processor(Person, max_tokens=BUDGET) as processor:
        whole = llama.create_chat_completion(messages, max_tokens=BUDGET, temperature=0, logits_processor=processor)
    text = whole["choices"][0]["message"]["content"]
    Person.model_validate_json(text)
    with model.logits_processor(Person, max_tokens=BUDGET) as processor:
        chunks = llama.create_chat_completion(
            messages, max_tokens=BUDGET, temperature=0, logits_processor=processor, stream=True
        )
        pieces = [chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks]
    assert "".join(pieces) == text


def check_speculation(model: Any, path: Path, host: Any) -> None:
    """Drafts of prompt lookup are kept or taken back; the texts are the same."""
    lookup = LlamaPromptLookupDecoding(4)
    llama = llama_cpp.Llama(
        str(path), n_ctx=2048, n_threads=1, n_threads_batch=1, verbose=False, logits_all=True, draft_model=lookup
    )
    drafted = fw.from_llama_cpp(llama)
    for form in FORMS.values():
        for prompt in PROMPTS[:3]:
            assert host(prompt, form, drafted) == host(prompt, form)
    with drafted.logits_processor(Person) as processor:  # for two texts: the second one is ended, and told
        for text in ("whole", ""):
            answer = llama.create_completion([3, 875, 4], max_tokens=60, temperature=0, logits_processor=processor)
            assert (answer["choices"][0]["text"] == "") == (text == ""), answer
        assert isinstance(processor.error, fw.errors.ArgumentError)
        processor.reset()
    with model.logits_processor(Person) as processor:  # of the other Llama: ended, and told
        answer = llama.create_completion([3, 875, 4], max_tokens=8, temperature=0, logits_processor=processor)
        assert answer["choices"][0]["text"] == ""
        assert isinstance(processor.error, fw.errors.HostMismatch)
        processor.reset()


def check_faults(model: Any, llama: Any, tiny: Any) -> None:
    """A processor that forbids what the form wants ends the text, and is told."""

    def forbids(ids: Any, scores: Any) -> Any:
        return np.where(np.arange(len(scores)) == 1, scores, -np.inf).astype(np.float32)

    processor = model.logits_processor(fw.literal("never"))
    try:
        with processor:
            answer = llama.create_completion(
                tiny.encode("Hi"),
                max_tokens=8,
                temperature=0,
                logits_processor=processor.extend([forbids]),
            )
    except fw.errors.DeadEnd:
        assert answer["choices"][0]["text"] == ""
    else:
        raise AssertionError("nothing was told")
    with model.logits_processor(fw.choice("yes", "no")) as processor:  # a prompt that was a text under way is a prompt
        ids = tiny.encode("Hi")
        for _ in range(3):
            answer = llama.create_completion(ids, max_tokens=8, temperature=0, logits_processor=processor)
            assert answer["choices"][0]["text"] in ("yes", "no"), answer
            ids = [*ids, *tiny.vocabulary.merges.encode(answer["choices"][0]["text"])]
    raises(fw.errors.LimitExceeded, lambda: model.logits_processor(Person, max_tokens=3))

    def forces(ids: Any, scores: Any) -> Any:
        """What a call does that llama.cpp has lost: another token, when the form has spoken."""
        return np.where(np.arange(len(scores)) == 97, np.float32(0), np.float32(-np.inf))

    def complete(processor: Any, *others: Any) -> None:
        several = llama_cpp.LogitsProcessorList([processor, *others])
        with processor:
            llama.create_completion(tiny.encode("Hi"), max_tokens=8, temperature=0, logits_processor=several)

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    processor = model.logits_processor(Person)
    raises(fw.errors.HostMismatch, lambda: complete(processor, forces))
    processor._rows.fill = interrupted  # Ctrl-C in a call that cannot raise
    raises(KeyboardInterrupt, lambda: complete(processor))


def raises(kind: type[BaseException], run: Any) -> None:
    """It is refused so."""
    try:
        run()
    except kind:
        return
    raise AssertionError(f"nothing was told: {kind}")


if __name__ == "__main__":
    main()
