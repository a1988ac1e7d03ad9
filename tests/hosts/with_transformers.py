"""transformers' own ``generate``, with the embedded model's files. The tests of models run its other strategies."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from battery import BUDGET, PROMPTS, microseconds, record, texts

import formwright as fw
from formwright.engines.transformers import AllowedTokens, FormProcessor

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import PROGRAMS, Row, find_fault
from host_texts import RowTexts, pack_scores

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""

FREE = fw.regex(r"[\s\S]{400}")


def main() -> None:
    torch.set_num_threads(1)
    network = transformers.AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    model, tiny = fw.from_transformers(network, tokenizer), fw.load("formwright-tiny")

    def generated(prompt: str, tokens: int, processors: list[Any]) -> list[int]:
        ids = torch.tensor([tiny.encode(prompt)])
        more = {"attention_mask": torch.ones_like(ids), "pad_token_id": 2, "max_new_tokens": tokens}
        return network.generate(ids, do_sample=False, logits_processor=processors, **more)[0, ids.shape[1] :].tolist()

    def host(prompt: str, form: Any) -> str:
        ids = generated(prompt, BUDGET, [model.logits_processor(form, max_tokens=BUDGET)])
        return b"".join(map(model.vocabulary.token, ids)).decode()

    def own(prompt: str, form: Any) -> str:
        return model.generate(tiny.encode(prompt), form, max_tokens=BUDGET).text

    counts = texts(host, own)
    for adapter in (ProcessedTexts, ListedTexts):
        assert (fault := find_fault(adapter, PROGRAMS)) is None, fault
    keeps = model.logits_processor(FREE)

    def free(constrained: bool) -> int:
        keeps.reset()
        return len(generated(PROMPTS[0], 60, [keeps] if constrained else [lambda ids, scores: scores]))

    record(
        "transformers",
        "real host",
        {
            "batch": "yes",
            "beams": "yes",
            "speculation": "assisted generation",
            "reasoning": "fw.thinking",
            "tools": "fw.tools",
            "forced tokens": "our loop; custom_generate",
        },
        **counts,
        microseconds={**microseconds(free), "added": alone(keeps, tiny)},
        programs=PROGRAMS,
    )


class ProcessedTexts(RowTexts):
    """Rows of a logits processor, for the kit of `conformance`."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        return FormProcessor([constraint], max_tokens=limit)

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        scores = torch.zeros((len(rows), maker.rows.vocabulary.logits_size))
        return [pack_scores(row) for row in maker(torch.tensor(rows), scores)]


class ListedTexts(RowTexts):
    """Rows of a ``prefix_allowed_tokens_fn``."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        return AllowedTokens([constraint], max_tokens=limit)

    def ask(self, maker: Any, rows: list[list[int]]) -> list[Row]:
        scores = np.full((len(rows), maker.rows.vocabulary.logits_size), -np.inf)
        for row, ids in zip(scores, rows, strict=True):
            row[maker(0, torch.tensor(ids))] = 0
        return [pack_scores(row) for row in scores]


def alone(keeps: Any, tiny: Any) -> float:
    """What the processor costs by itself: a step takes milliseconds, give or take more than that."""
    ids, times = torch.tensor([tiny.encode(PROMPTS[0]) + [5, 6, 7] * 40]), []
    scores = torch.zeros((1, tiny.vocabulary.logits_size))
    for _ in range(9):
        keeps.reset()
        began = time.perf_counter()
        for length in range(30, ids.shape[1]):
            keeps(ids[:, :length], scores)
        times.append((time.perf_counter() - began) / (ids.shape[1] - 30) * 1e6)
    print(f"{statistics.median(times):.1f} us alone")
    return round(statistics.median(times), 1)


if __name__ == "__main__":
    main()
