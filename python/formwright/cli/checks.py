"""What ``formwright doctor`` looks at, with nothing but the core: it runs where the other commands cannot."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module, metadata
from importlib.util import find_spec

import formwright as fw
from formwright._hosts import HOSTS, Host

__all__ = ["EXTRAS", "examine"]

EXTRAS = {
    "cli": ("click", "rich"),
    "client": ("httpx", "tenacity", "docstring_parser", "jinja2", "pydantic"),
    "evaluate": ("matplotlib", "pandas", "scipy", "statsmodels"),
    "local": ("onnxruntime", "tokenizers"),
    "mistral": ("mistral_common", "sentencepiece"),
    "otel": ("opentelemetry.trace",),
    "pandas": ("pandas",),
    "pydantic": ("pydantic",),
    "sentencepiece": ("sentencepiece", "google.protobuf"),
    "server": ("prometheus_client", "starlette", "uvicorn"),
    "tiktoken": ("tiktoken",),
    "tokenizers": ("tokenizers",),
}
"""What each extra lets us import; those of hosts are in `HOSTS`."""

_ENTERED = {"vllm": "formwright.engines.vllm.backend", "mlx": "formwright.models.runtimes.mlx"}
"""The modules that import a host, where those of `HOSTS` do not import all of it."""

_FORM = {"type": "integer", "minimum": 0, "maximum": 9}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: ``"works"``, ``"missing"``, ``"too old"``, ``"too new"`` or ``"fails"``; more in words."""

    state: str
    version: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that can be looked at. One that raises has found that it fails."""

    group: str
    name: str
    look: Callable[[], Finding]

    def run(self) -> Finding:
        """What is there; what a package prints while it is imported goes to stderr."""
        try:
            with redirect_stdout(sys.stderr):
                return self.look()
        except Exception as error:  # whatever an import raises is what the user wants to know
            return Finding("fails", detail=_line_of_error(error))


def _line_of_error(error: Exception) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def examine(*, as_json: bool) -> bool:
    """Write down what each check has found, on stdout. Returns whether the core works."""
    found = [(check, check.run()) for check in _checks()]
    works = all(finding.state == "works" for check, finding in found if check.group == "core")
    if as_json:
        rows = [{"group": check.group, "name": check.name, **asdict(finding)} for check, finding in found]
        lines = [json.dumps({"works": works, "checks": rows}, indent=2)]
    else:
        lines = list(_lines(found))
    sys.stdout.write("\n".join([*lines, ""]))
    return works


def _checks() -> Iterator[Check]:
    """Everything that is looked at, in the order in which it is shown."""
    yield Check("core", "python", lambda: Finding("works", platform.python_version(), platform.platform()))
    yield Check("core", "numpy", lambda: Finding("works", metadata.version("numpy")))
    yield Check("core", "kernel", _kernel)
    yield Check("models", "formwright-tiny", _check_embedded)
    for extra, modules in EXTRAS.items():
        yield Check("extras", extra, partial(_extra, extra, modules))
    for key, host in HOSTS.items():
        yield Check("hosts", host.name, partial(_host, host, _ENTERED.get(key, host.module)))


def _kernel() -> Finding:
    """The kernel masks a text of bytes: ten of them may come."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    mask = fw.allocate_bitmask(1, vocabulary)
    fw.compile(_FORM, vocabulary).matcher().fill_bitmask(mask)
    allowed = bytes(fw.allowed_tokens(mask).tolist())
    if allowed != b"0123456789":
        return Finding("fails", fw.__version__, f"expected the digits to be allowed, got {allowed!r}")
    return Finding("works", fw.__version__)


def _check_embedded() -> Finding:
    """The embedded model writes a text."""
    text = fw.load("formwright-tiny").generate("Bo is 7 years old. How old is Bo?", _FORM, temperature=0).text
    return Finding("works", detail=f"it wrote {text}")


def _extra(extra: str, modules: tuple[str, ...]) -> Finding:
    """The packages of an extra are imported."""
    if missing := [name for name in modules if find_spec(name.partition(".")[0]) is None]:
        return Finding("missing", detail=f'no {", ".join(missing)}: pip install "formwright[{extra}]"')
    for name in modules:
        import_module(name)
    return Finding("works", detail=", ".join(map(_name_with_version, modules)))


def _name_with_version(module: str) -> str:
    """A module with the version of its package."""
    package = module.rpartition(".")[2]
    return f"{package} {metadata.version(package)}"


def _host(host: Host, module: str) -> Finding:
    """A host of a known version is imported, and all that we use of it found."""
    version, state = host.version(), host.state()
    if state == "missing":
        return Finding(state, detail=host.install)
    if state != "known":
        return Finding(state, version, f'known are {host.window}: pip install "{host.package}{host.window}"')
    try:
        import_module(module)
    except Exception as error:  # of its libraries and drivers, too
        return Finding("fails", version, _line_of_error(error))
    return Finding("works", version, f"known are {host.window}")


def _lines(found: list[tuple[Check, Finding]]) -> Iterator[str]:
    """A line for each check, under the name of its group."""
    width = max(len(check.name) for check, _ in found)
    group = None
    for check, finding in found:
        if check.group != group:
            yield f"{'' if group is None else chr(10)}{check.group}"
        group = check.group
        yield f"  {check.name:{width}}  {finding.state:7}  {finding.version or '':9}  {finding.detail}".rstrip()
