"""ONNX Runtime GenAI, with the embedded model as a folder of its own kind."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import genai_folder
import numpy as np
import onnxruntime_genai
from battery import BUDGET, PROMPTS, Person, microseconds, record, texts

import formwright as fw

FREE = fw.regex(r"[\s\S]{400}")


def main() -> None:
    tiny = fw.load("formwright-tiny")
    folder = genai_folder.write(Path(tempfile.mkdtemp()))
    network = onnxruntime_genai.Model(str(folder))
    model = fw.from_onnx_genai(network, folder)
    assert model.vocabulary.fingerprint == tiny.vocabulary.fingerprint

    def own(prompt: str, form: Any) -> str:
        return model.generate(tiny.encode(prompt), form, max_tokens=BUDGET).text

    counts = texts(own, lambda prompt, form: by_hand(network, model, tiny.encode(prompt), form))
    check_rewinds(model, tiny)
    check_many(model, tiny)

    def free(constrained: bool) -> int:
        ids, runtime = tiny.encode(PROMPTS[0]), model.runtime.fork()
        logits = runtime.prefill(ids)
        matcher = fw.compile(FREE, model.vocabulary).matcher()
        mask = fw.allocate_bitmask(1, model.vocabulary)
        for _ in range(100):
            if constrained:
                matcher.fill_bitmask(mask)
                fw.apply_bitmask(logits, mask[0])
            token = int(logits.argmax())
            if constrained:
                matcher.accept_token(token)
            logits = runtime.step(token)
        return 100

    features = {"batch": "rows take turns", "beams": "our loop", "speculation": "", "reasoning": "fw.thinking"}
    record(
        "onnx_genai",
        "real host",
        {**features, "tools": "fw.tools", "forced tokens": "our loop"},
        **counts,
        microseconds=microseconds(free),
    )


def by_hand(network: Any, model: Any, ids: list[int], form: Any) -> str:
    """The library's own generator, masked by ``set_logits`` at each step: no code of our loop."""
    options = onnxruntime_genai.GeneratorParams(network)
    options.set_search_options(max_length=2048, do_sample=False)
    generator = onnxruntime_genai.Generator(network, options)
    generator.append_tokens(np.array(ids, np.int32))
    matcher, mask = fw.compile(form, model.vocabulary).matcher(ids), fw.allocate_bitmask(1, model.vocabulary)
    written: list[int] = []
    while True:
        matcher.fill_bitmask(mask, budget=BUDGET - len(written))
        logits = np.array(generator.get_logits())
        fw.apply_bitmask(logits.reshape(1, -1), mask)
        generator.set_logits(logits)
        generator.generate_next_token()
        token = int(generator.get_next_tokens()[0])
        matcher.accept_token(token)
        if matcher.is_finished:
            break
        written.append(token)
        if len(written) == BUDGET:
            break
    return b"".join(map(model.vocabulary.token, written)).decode()


def check_rewinds(model: Any, tiny: Any) -> None:
    """A text that begins like the last one costs its other tokens only, and has the same logits."""
    first, fresh = [*tiny.encode(PROMPTS[0]), 9], model.runtime.fork()
    expected = fresh.prefill(first)
    model.runtime.fork().prefill([3, 5])
    model.runtime.fork().prefill([*first, 6, 7])
    runtime = model.runtime.fork()
    assert np.allclose(runtime.prefill(first), expected, atol=1e-4)
    assert np.allclose(model.runtime.fork().prefill(first), expected, atol=1e-4)
    assert runtime.length == len(first)


def check_many(model: Any, tiny: Any) -> None:
    prompts = [tiny.encode(prompt) for prompt in PROMPTS[:6]]
    together = [result.text for result in model.generate_many(prompts, Person, max_tokens=60)]
    assert together == [model.generate(prompt, Person, max_tokens=60).text for prompt in prompts]
    assert model.score(prompts[0], ["36", "London"])
    began = time.perf_counter()
    assert len(model.generate(prompts[0], Person, beams=3, returns=2, max_tokens=60).alternatives) == 2
    print(f"three beams in {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
