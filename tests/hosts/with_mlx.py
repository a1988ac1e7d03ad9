"""MLX-LM on its CPU build, with the embedded model's own files."""

from __future__ import annotations

import itertools
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx_lm
from battery import BUDGET, FORMS, PROMPTS, Person, microseconds, record, texts
from mlx_lm.generate import BatchGenerator, generate_step, speculative_generate_step

import formwright as fw
from formwright.engines.mlx import FormProcessor

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import PROGRAMS, Row, find_fault
from host_texts import StepTexts, pack_scores

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
FREE = fw.regex(r"[\s\S]{400}")


def main() -> None:
    folder = Path(tempfile.mkdtemp()) / "tiny"
    shutil.copytree(FOLDER, folder)
    network, tokenizer = mlx_lm.load(str(folder))
    model, tiny = fw.from_mlx(network, tokenizer), fw.load("formwright-tiny")
    assert model.vocabulary.fingerprint == tiny.vocabulary.fingerprint
    assert model.encode([{"role": "user", "content": "Hi"}]) == tiny.encode("Hi")
    ends = model.vocabulary.eos_token_ids
    waits, tokens = [0], [0]

    def host(prompt: str, form: Any) -> str:
        processor, written = model.logits_processor(form, max_tokens=BUDGET), []
        steps = generate_step(mx.array(tiny.encode(prompt)), network, max_tokens=BUDGET, logits_processors=[processor])
        for token, _ in steps:
            if token in ends:
                break
            written.append(int(token))
        waits[0] += processor.waits
        tokens[0] += len(written) + 1
        return b"".join(map(model.vocabulary.token, written)).decode()

    def own(prompt: str, form: Any) -> str:
        return model.generate(tiny.encode(prompt), form, max_tokens=BUDGET).text

    counts = texts(host, own)
    print(f"{waits[0]} waits for {tokens[0]} tokens")
    check_batch(model, tiny, host)
    check_speculation(model, tiny, host)
    check_faults(model, tiny)
    assert (fault := find_fault(SteppedTexts, PROGRAMS)) is None, fault

    def free(constrained: bool) -> int:
        processors = [model.logits_processor(FREE)] if constrained else []
        steps = generate_step(mx.array(tiny.encode(PROMPTS[0])), network, max_tokens=100, logits_processors=processors)
        return sum(1 for _ in itertools.islice(steps, 100))

    record(
        "mlx",
        "real host",
        {
            "batch": "batch_generate",
            "beams": "our loop",
            "speculation": "draft model",
            "reasoning": "fw.thinking",
            "tools": "fw.tools",
            "forced tokens": "our loop; not waited for",
        },
        **counts,
        waits=waits[0],
        tokens=tokens[0],
        microseconds={**microseconds(free), "added": microseconds_alone(model, tiny)},
        programs=PROGRAMS,
    )


class SteppedTexts(StepTexts):
    """Texts with a processor each, for the kit of `conformance`; speculation is `check_speculation`."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        return FormProcessor(constraint, max_tokens=limit)

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        (ids,) = rows
        scores = maker(mx.array(ids), mx.zeros((1, maker._rows.vocabulary.logits_size)))
        return [pack_scores(scores[0])]


def microseconds_alone(model: Any, tiny: Any) -> float:
    """What a processor costs by itself: a step of the CPU build takes ten milliseconds, give or take more than that."""
    ids, logits, times = tiny.encode(PROMPTS[0]) + [5, 6, 7] * 40, mx.zeros((1, model.vocabulary.logits_size)), []
    histories = [mx.array(ids[:length]) for length in range(30, len(ids))]
    mx.eval(histories, logits)
    for _ in range(5):
        processor = model.logits_processor(FREE)
        began = time.perf_counter()
        for tokens in histories:
            mx.eval(processor(tokens, logits))
        times.append((time.perf_counter() - began) / len(histories) * 1e6)
    print(f"{statistics.median(times):.1f} us alone")
    return round(statistics.median(times), 1)


def check_batch(model: Any, tiny: Any, host: Any) -> None:
    """Several texts at a time: a form each, and one processor for all, which waits for every token then."""
    forms = list(FORMS.values())[:6]
    prompts = [tiny.encode(prompt) for prompt in PROMPTS[:6]]
    rows = BatchGenerator(
        model.network, max_tokens=BUDGET, stop_tokens=[[end] for end in model.vocabulary.eos_token_ids]
    )
    processors = [[model.logits_processor(form, max_tokens=BUDGET)] for form in forms]
    numbers = rows.insert(prompts, logits_processors=processors)
    written: dict[int, list[int]] = {number: [] for number in numbers}
    while responses := rows.next_generated():
        for response in responses:
            if response.finish_reason != "stop":
                written[response.uid].append(response.token)
    for number, form, prompt in zip(numbers, forms, PROMPTS, strict=False):
        text = b"".join(map(model.vocabulary.token, written[number])).decode()
        assert fw.form(form).check(text).is_complete, text
        assert text == host(prompt, form)
    one = [model.logits_processor(Person, max_tokens=BUDGET)]
    answer = mlx_lm.batch_generate(model.network, model.tokenizer, prompts, max_tokens=BUDGET, logits_processors=one)
    for text in answer.texts:
        Person.model_validate_json(text)


def check_speculation(model: Any, tiny: Any, host: Any) -> None:
    """A draft model that guesses three tokens; the texts are the same."""
    for form, prompt in itertools.product(FORMS.values(), PROMPTS[:2]):
        processor, written = model.logits_processor(form, max_tokens=BUDGET), []
        steps = speculative_generate_step(
            mx.array(tiny.encode(prompt)),
            model.network,
            model.network,
            num_draft_tokens=3,
            max_tokens=BUDGET,
            logits_processors=[processor],
        )
        for token, _, _ in steps:
            if token in model.vocabulary.eos_token_ids:
                break
            written.append(int(token))
        text = b"".join(map(model.vocabulary.token, written)).decode()
        assert fw.form(form).check(text).is_complete, (form, text)


def check_faults(model: Any, tiny: Any) -> None:
    """One processor for two texts, and logits of another width."""
    processor = model.logits_processor(fw.literal("just this"))
    for token, _ in generate_step(mx.array([3, 4]), model.network, max_tokens=3, logits_processors=[processor]):
        assert token is not None
    try:
        for _ in generate_step(mx.array([3] * 5), model.network, max_tokens=3, logits_processors=[processor]):
            pass
    except fw.errors.HostMismatch:
        pass
    else:
        raise AssertionError("the second text went unnoticed")
    try:
        model.logits_processor(int)(mx.array([3, 4]), mx.zeros((1, 7)))
    except fw.errors.VocabularyError:
        pass
    else:
        raise AssertionError("logits of another width went unnoticed")


if __name__ == "__main__":
    main()
