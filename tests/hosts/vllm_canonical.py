"""What masks do to a model's own answers inside vLLM, with tokens of every spelling and with canonical ones.

::

    python vllm_canonical.py 0                  # FORMWRIGHT_CANONICAL: every spelling
    python vllm_canonical.py 1 drafts           # canonical tokens only, forced ones as drafts

Answers are drawn through ``LLM.generate`` at temperature 1. Each must be as frequent as `measure_distortion` calculates
for the same masks, within `ERRORS` standard errors; drafts must not change that. Kept in the record is how far the
answers are from the model's own shares.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from typing import Any

CANONICAL = sys.argv[1]
os.environ["FORMWRIGHT_CANONICAL"] = CANONICAL

import torch  # noqa: E402
from battery import RECORDS  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402
from vllm import LLM  # noqa: E402
from vllm_engine import DRAFTS, FOLDER, make_params  # noqa: E402  # sets the other variables, before vLLM is imported

import formwright as fw  # noqa: E402
from formwright.reference.canonical.mask_distortion import Distortion, measure_distortion  # noqa: E402

DRAWS = 2000
ERRORS = 4.5
QUESTIONS = {
    "Is the sky blue?": ["yes", "no", "maybe", "not really"],
    "Great film, I loved it.": ["positive", "negative", "neutral", "none of these"],
}


def draw_answers(engine: LLM, prompt_ids: list[int], answers: list[str]) -> Counter[str]:
    """How often each answer comes."""
    params = make_params("choice", json.dumps(answers), max_tokens=64, temperature=1)
    replies = engine.generate([{"prompt_token_ids": prompt_ids}] * DRAWS, params, use_tqdm=False)
    return Counter(reply.outputs[0].text for reply in replies)


def check_shares(drawn: Counter[str], expected: Distortion, masks: str) -> None:
    """Compare what was drawn with what is calculated."""
    assert sum(drawn.values()) == DRAWS
    for row in expected.rows:
        share = getattr(row, masks)
        error = (DRAWS * share * (1 - share)) ** 0.5
        assert abs(drawn[row.text] - DRAWS * share) <= ERRORS * error + 1, (row, drawn)


def main() -> None:
    options: dict[str, Any] = DRAFTS if "drafts" in sys.argv else {}
    masks = "canonical" if CANONICAL == "1" else "lenient"
    network = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32)  # the weights that vLLM has
    tiny = fw.from_transformers(network, AutoTokenizer.from_pretrained(FOLDER))
    sizes = {"max_model_len": 512, "max_num_seqs": 64, "seed": 7}
    engine = LLM(str(FOLDER), dtype="float32", enforce_eager=True, async_scheduling=False, **sizes, **options)
    away: dict[str, float] = {}
    for prompt, answers in QUESTIONS.items():
        ids, log_probabilities = tiny.score_after(prompt)
        expected = measure_distortion(log_probabilities, fw.choice(answers), tiny.vocabulary, prompt_ids=ids)
        drawn = draw_answers(engine, list(ids), answers)
        print(prompt, masks, dict(drawn), expected, sep="\n")
        check_shares(drawn, expected, masks)
        away[prompt] = round(sum(abs(drawn[row.text] / DRAWS - row.free) for row in expected.rows) / 2, 3)
    path = RECORDS / "vllm.json"
    seen = json.loads(path.read_text())
    name = masks + (" with drafts" if options else "")
    seen["total variation from the model's own shares"] = {
        **seen.get("total variation from the model's own shares", {}),
        name: away,
    }
    path.write_text(json.dumps(seen, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
