"""Every example of a docstring runs; where a comment behind an expression is a value, it is the value.

An example is a block after ``::``. It finds the names of its module, and what a reader would have at hand: a model,
a type, a vocabulary, a matcher, logits. Blocks that are no Python are listed here.
"""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

import mistral_common
import numpy as np
import pytest
from makers import CHECKOUT_MODEL
from pydantic import BaseModel

import formwright as fw
from formwright.generation import Limits, Sampler, Writing
from formwright.models import embedded

PACKAGE = Path(fw.__file__).parent
NO_PYTHON = {
    "formwright.errors",
    "formwright.jobs.ray",
    "formwright.engines.sglang",
    "formwright.engines.sglang.budgets",
    "formwright.engines.sglang.speculation",
    "formwright.engines.sglang.stamped_server",
    "formwright.device.device_tables",
    "formwright.device.triton_kernels",
    "formwright.engines.middleware",
    "formwright.engines.vllm",
    "formwright.engines.vllm.drafts",
    "formwright.engines.vllm.manager",
    "formwright.engines.vllm.processor",
    "formwright.engines.vllm.stamp",
    "formwright.models.embedded",
}
"""Modules whose block is a drawing, or commands of a shell."""
NEEDS = {
    "formwright.device": "torch",
    "formwright.device.torch_choice": "torch",
    "formwright.device.torch_decoder": "torch",
    "formwright.device.torch_masks": "torch",
    "formwright.evaluation": "statsmodels",
    "formwright.evaluation.report": "matplotlib",
    "formwright.evaluation.statistics": "statsmodels",
    "formwright.evaluation.tables": "statsmodels",
    "formwright.evaluation.verdicts": "statsmodels",
    "formwright.masks.tensors": "torch",
    "formwright.models.runtimes.templated": "transformers",
    "formwright.models.runtimes.transformers": "transformers",
    "formwright.frameworks.haystack": "haystack",
    "formwright.frameworks.langchain": "langchain_core",
    "formwright._hosts": "transformers",
    "formwright.engines.llama_cpp": "llama_cpp",
    "formwright.frameworks.llama_index": "llama_index",
    "formwright.engines.mlx": "mlx_lm",
    "formwright.engines.exllamav2": "exllamav2",
    "formwright.engines.exllamav3": "exllamav3",
    "formwright.engines.tensorrt_llm": "tensorrt_llm",
    "formwright.engines.sglang.algorithm": "sglang",
    "formwright.engines.sglang.factory": "sglang",
    "formwright.engines.sglang.grammar": "sglang",
    "formwright.engines.sglang.registration": "sglang",
    "formwright.engines.vllm.backend": "vllm",
    "formwright.models.runtimes.llama_cpp": "llama_cpp",
    "formwright.models.runtimes.mlx": "mlx_lm",
    "formwright.models.runtimes.onnx_genai": "onnxruntime_genai",
    "formwright.tokenizers.llama_cpp": "llama_cpp",
    "formwright.engines.transformers": "transformers",
    "formwright.engines.transformers_diffusion": "transformers",
}
"""Modules of frameworks that need not be there."""


def modules() -> list[str]:
    sources = [*PACKAGE.rglob("*.py"), PACKAGE / "_kernel.pyi"]
    files = (file.relative_to(PACKAGE).with_suffix("") for file in sources)
    return sorted(".".join(["formwright", *(part for part in file.parts if part != "__init__")]) for file in files)


def source(module: str) -> str:
    path = PACKAGE.parent / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".pyi" if path.name == "_kernel" else ".py")
    return file.read_text(encoding="utf-8")


def examples(module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source(module))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for block in re.findall(r"::\n\n((?:    .*\n|\n)+)", (ast.get_docstring(node) or "") + "\n"):
                yield dedent(block)


class Person(BaseModel):
    name: str
    age: int = 0


def at_hand(tiny: fw.models.LocalModel) -> dict[str, Any]:
    """What an example may use without saying where it comes from."""
    vocabulary = tiny.vocabulary
    constraint = fw.compile(fw.choice("yes", "no"), vocabulary)
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    return {
        "Literal": Literal,
        "Path": Path,
        "Person": Person,
        "Sampler": Sampler,
        "Writing": Writing,
        "answer": '{"name": "Ada"}',
        "allocate_bitmask": fw.allocate_bitmask,
        "batch": 4,
        "constraint": constraint,
        "folder": CHECKOUT_MODEL,
        "formwright": fw,
        "fw": fw,
        "ids": [5, 6],
        "limits": Limits(max_tokens=64),
        "logits": np.zeros(vocabulary.logits_size, dtype=np.float32),
        "mask": fw.allocate_bitmask(2, vocabulary),
        "matcher": constraint.matcher(),
        "matchers": [constraint.matcher() for _ in range(4)],
        "model": tiny,
        "name": str(CHECKOUT_MODEL),
        "np": np,
        "prompt": "Ada is 36.",
        "prompt_ids": [5, 6],
        "runtime": tiny.runtime.fork(),
        "schema": schema | {"additionalProperties": False},
        "token": 7,
        "vocabulary": vocabulary,
        "writings": [Writing(constraint, [5, 6], Limits(max_tokens=64), Sampler()) for _ in range(3)],
        **made_once(),
    }


@functools.cache
def made_once() -> dict[str, Any]:
    """What takes long to make, and no example changes."""
    tokenizers = importlib.import_module("tokenizers")
    return {
        "result": fw.load("formwright-tiny").generate("Ada is 36.", Person, trace=True),
        "tokenizer": tokenizers.Tokenizer.from_file(str(embedded.FOLDER / "tokenizer.json")),
    }


def with_examples() -> list[str]:
    """Told by their text: to parse all modules takes longer than most tests, and what is listed is parsed later."""
    return [module for module in modules() if module not in NO_PYTHON and "::\n\n    " in source(module)]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("module", with_examples())  # connections that an example leaves open
def test_examples_run(
    module: str, tiny: fw.models.LocalModel, served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if module in NEEDS:
        pytest.importorskip(NEEDS[module])
    (tmp_path / "tokenizer.json").write_bytes((embedded.FOLDER / "tokenizer.json").read_bytes())
    model = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
    (tmp_path / "tokenizer.model").write_bytes(model.read_bytes())
    monkeypatch.chdir(tmp_path)
    names = vars(importlib.import_module(module)) | at_hand(tiny) | of_frameworks(module)
    if module.startswith(("formwright.client", "formwright._retries")):
        names |= of_client(module, served)
    blocks = [*examples(module)]
    assert blocks
    for block in blocks:
        if ">>>" not in block:
            for name, own in (("http://127.0.0.1:8000/v1", served), ("some-model", MODEL), ("gpt-5-mini", MODEL)):
                block = block.replace(name, own)
            run(block, names, module)


MODEL = "formwright-tiny"


@pytest.fixture(scope="module")
def served(tiny: fw.models.LocalModel) -> Iterator[str]:
    """The URL of the embedded model, which stands for any service."""
    from formwright.server import running

    with running(tiny) as server:
        yield server.base_url


def of_client(module: str, url: str) -> dict[str, Any]:
    """What examples of the client have at hand: a client object, a query, answers."""
    from openai import OpenAI

    steps = importlib.import_module("formwright.client.flow.steps")
    plans, services = (importlib.import_module(f"formwright.client.plans.{name}") for name in ("plan", "services"))
    messages = [{"role": "user", "content": "Ada is 36 years old."}]
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    query = steps.TextQuery(model=MODEL, messages=messages, mode="strict", schema=schema)
    plan = plans.make_plan(fw.form(Person), "strict", services.SERVICES["compatible"])
    remote = fw.connect(url, MODEL, request_retries=0)
    jobs, wires = (importlib.import_module(f"formwright.client.{name}") for name in ("flow.remote_job", "wires"))
    answer = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
    return {
        "Response": steps.Response,
        "AnswerCache": importlib.import_module("formwright.client.transport.cache").AnswerCache,
        "OpenAI": lambda: OpenAI(base_url=url, api_key="none"),
        "Request": steps.Request,
        "User": Person,
        "WIRES": wires.WIRES,
        "attempt": lambda number: iter(()),
        "Incoming": importlib.import_module("formwright.incremental").Incoming,
        "SERVICES": services.SERVICES,
        "body": answer if ".wires" in module else {"model": MODEL, "messages": messages, "max_tokens": 4},
        "job": jobs.RemoteJob(wire=wires.WIRES["openai"], query=query, modes=("strict",), plan=lambda mode: plan),
        "make_plan": plans.make_plan,
        "flow": remote._make_flow("Ada is 36 years old.", Person, {}),
        "model": remote,
        "person": fw.form(Person),
        "plan": plan,
        "query": query,
        "reply": steps.Reply('{"value": [1, 2]}'),
        "transport": remote.transport,
        "url": url,
    }


def of_frameworks(module: str) -> dict[str, Any]:
    """The classes of the framework that a module is named after."""
    if module == "formwright.masks.tensors":
        size = fw.load("formwright-tiny").vocabulary.logits_size
        return {"logits": importlib.import_module("torch").zeros((4, size))}
    if module.startswith("formwright.device"):
        torch, known = importlib.import_module("torch"), fw.load("formwright-tiny").vocabulary
        tables = fw.compile(fw.choice("yes", "no"), known).device_tables()
        masks = torch.zeros((4, known.mask_words), dtype=torch.int32)
        return {"logits": torch.zeros((4, known.logits_size)), "masks": masks, "tables": tables}
    if module == "formwright.engines.transformers":
        library = importlib.import_module("transformers")
        network = library.AutoModelForCausalLM.from_pretrained(CHECKOUT_MODEL)
        ids = importlib.import_module("torch").tensor([[5, 6]])
        inputs = {"input_ids": ids, "attention_mask": ids.new_ones(1, 2), "max_new_tokens": 8, "pad_token_id": 2}
        return {"model": network, "inputs": inputs}
    if module == "formwright.models.runtimes.contexts":
        from formwright.models.runtimes.contexts import Context

        class Held(Context):
            """A context that evaluates nothing."""

            size = 100

            def read_ids(self) -> Any:
                return np.zeros(0, np.intc)

            def shorten(self, length: int) -> bool:
                return True

            def append(self, token_ids: Any) -> Any:
                return np.zeros(8, np.float32)

        return {"context": Held()}
    if module == "formwright.models.runtimes.templated":
        return {"tokenizer": importlib.import_module("transformers").AutoTokenizer.from_pretrained(embedded.FOLDER)}
    if module == "formwright.models.runtimes.transformers":
        library = importlib.import_module("transformers")
        return {name: getattr(library, name) for name in ("AutoModelForCausalLM", "AutoTokenizer")}
    if module == "formwright.schemas.providers.converted":
        return {"convert": importlib.import_module("formwright.schemas.providers").convert}
    if module.startswith("formwright.tokenizers"):
        mistral = importlib.import_module("mistral_common.tokens.tokenizers.mistral")
        return {
            "MistralTokenizer": mistral.MistralTokenizer,
            "SentencePieceProcessor": importlib.import_module("sentencepiece").SentencePieceProcessor,
            "Tokenizer": importlib.import_module("tokenizers").Tokenizer,
            "tiktoken": importlib.import_module("tiktoken"),
        }
    return {}


def run(block: str, names: dict[str, Any], module: str) -> None:
    """Statement by statement; an expression is compared with the comment behind it."""
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        code = ast.Module([statement], [])
        if not isinstance(statement, ast.Expr):
            exec(compile(code, module, "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), module, "eval"), names)
        comment = lines[(statement.end_lineno or 1) - 1][statement.end_col_offset or 0 :].strip().removeprefix("# ")
        try:
            expected = ast.literal_eval(comment)
        except (SyntaxError, ValueError):
            continue  # the comment is a remark
        assert value == expected, f"{module}: {ast.unparse(statement)}"


@pytest.mark.parametrize("module", ["reference.languages", "forms.python_types"])
def test_doctests(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"formwright.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_a_wrong_comment_is_noticed() -> None:
    with pytest.raises(AssertionError):
        run("1 + 1   # 3", {}, "here")


def test_every_drawing_is_no_python() -> None:
    for module in NO_PYTHON:
        with pytest.raises(SyntaxError):
            ast.parse("\n".join(examples(module)))
