"""Every program of the documentation runs and prints what it says it prints; `docs/programs.py` is for type checkers.

What a program is, `page_blocks` says. Pages of hosts are run here where the host is; ``tests/hosts/run`` has an
environment for each.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import page_blocks
import pytest
from page_blocks import blocks
from parameters import slow_except

import formwright as fw

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
QUICK = [file for file in FILES if file.name != "measure.md"]
NEEDS = {
    "haystack.md": "haystack",
    "langchain.md": "langchain_core",
    "llama_index.md": "llama_index",
    "llama_cpp.md": "llama_cpp",
    "mlx.md": "mlx_lm",
    "onnx_genai.md": "onnxruntime_genai",
    "ray.md": "ray",
}
"""Pages that run where a module is there, in a folder with a model of its kind: ``tests/hosts/page.py`` makes one."""
LIBRARIES = {"device.md": "torch", "measure.md": "statsmodels"}
"""Pages that run where a library is there."""
MODELS = {"real_model.md"}
"""Pages of a model that is not here, and whose texts depend on the processor: `tests/real` runs them."""
WITHOUT_A_DEVICE = {"exllama.md", "sglang.md", "tensorrt_llm.md", "vllm.md"}
"""Pages whose programs need a GPU: they are compiled here, and what they import is imported by the scripts of hosts."""


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize("file", slow_except(QUICK, FILES), ids=lambda file: file.relative_to(ROOT).as_posix())
def test_blocks_run(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if file.name in NEEDS.keys() | WITHOUT_A_DEVICE | MODELS:
        assert page_blocks.compiled(file)
    if file.name in WITHOUT_A_DEVICE:
        pytest.skip("its programs need a GPU: compiled only")
    if file.name in MODELS:
        pytest.skip("a page of the model smollm2: compiled only, `just real` runs it")
    if file.name in LIBRARIES:
        pytest.importorskip(LIBRARIES[file.name], reason="the page of a library that is not here")
    if file.name in NEEDS:
        pytest.importorskip(NEEDS[file.name], reason="a page that tests/hosts/run runs, where the host is")
        importlib.import_module("hosts.page").prepared(file.stem, tmp_path)
        monkeypatch.chdir(tmp_path)
    page_blocks.run(file)


def test_the_readme_has_runnable_blocks() -> None:
    assert any(language == "python" for language, _, _ in blocks(ROOT / "README.md"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_what_smollm2_prints_follows_what_the_embedded_model_prints(file: Path) -> None:
    """`tests/real` runs those programs again; a block elsewhere would be run by nobody."""
    languages = ["", "", *(language for language, _, _ in blocks(file))]
    for program, output, language in zip(languages, languages[1:], languages[2:], strict=False):
        assert language != page_blocks.REAL or (program in ("python", "sh") and output == "text")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(file: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", file.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (file.parent / target).exists()] == []


def test_the_guide_to_grammars_says_how_each_text_is_cut() -> None:
    """The last two columns of its table of programs are ours."""
    page = (ROOT / "docs" / "guides" / "grammars.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \|(?: [-+a-z]+ \|){4} ([-+]) \| ([-+]) \|$", page, re.MULTILINE)
    assert len(rows) == 13
    named = {"NAME": "/[a-z]+/", "INT": "/[0-9]+/", "FLOAT": r"/[0-9]+\.[0-9]*/"}
    for cell, sample, longest, loosely in rows:
        lines = ["start: " + cell.replace("\\|", "|").replace("; ", "\n")]
        lines += [f"{name}: {regex}" for name, regex in named.items() if re.search(rf"\b{name}\b", cell)]
        for lexing, shown in (("longest", longest), ("any", loosely)):
            form = fw.grammar("\n".join(lines), syntax="lark", lexing=lexing)  # type: ignore[arg-type]
            assert form.matches(sample) == (shown == "+"), (cell, sample, lexing)
