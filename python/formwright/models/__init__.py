"""Models that run here. Each runtime is in the module named after it, and is imported when it is used.

::

    model = fw.load("formwright-tiny")             # embedded, by ONNX Runtime: formwright[local]

``"smollm2"`` is a model of 135 million weights (formwright[smollm2]). The folder of a causal language model of
transformers and a GGUF file of llama.cpp are loaded by their paths; `from_transformers` and `from_llama_cpp` wrap a
model that is already loaded. ``fw.load("http://127.0.0.1:8000/v1#some-model")`` is `formwright.connect`, for programs
whose model is named by one word.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from formwright.conversations.prompts import Prompt
from formwright.errors import UnknownModel
from formwright.models.local import LocalModel
from formwright.models.local_runtime import LocalRuntime
from formwright.tokenizers import gguf

if TYPE_CHECKING:
    from formwright.client import RemoteModel
    from formwright.models.runtimes.llama_cpp import LlamaCppModel
    from formwright.models.runtimes.mlx import MlxModel
    from formwright.models.runtimes.transformers import TransformersModel

__all__ = [
    "LocalModel",
    "LocalRuntime",
    "Prompt",
    "from_llama_cpp",
    "from_mlx",
    "from_onnx_genai",
    "from_transformers",
    "load",
]


@overload
def load(name: Literal["formwright-tiny", "smollm2"] | Path = ...) -> LocalModel: ...
@overload
def load(name: str) -> LocalModel | RemoteModel: ...
def load(name: str | Path = "formwright-tiny") -> LocalModel | RemoteModel:
    """Load a model by its name, by its folder or file, or by the URL where it is served.

    Args:
        name: ``"formwright-tiny"``, the one that comes with the package; ``"smollm2"``, which comes with
            formwright[smollm2]; the folder of a model of transformers, with its configuration, its weights and its
            tokenizer; a GGUF file of llama.cpp; or ``URL#name``, a model that an API serves. A ``Path`` is not a name.

    Raises:
        UnknownModel: No model has this name, the folder or file holds none, or the URL names none.
        VocabularyError: The tokenizer of the model cannot be represented.
        MissingDependency: formwright[local], formwright[smollm2], formwright[transformers], formwright[llama-cpp] or
            formwright[client] is not installed.
        HostMismatch: The installed llama-cpp-python is of an unknown version.
    """
    if isinstance(name, str) and name.startswith(("http://", "https://")):
        return _connect_to(name)
    if name == "formwright-tiny":
        from formwright.models import embedded

        return embedded.load()
    if name == "smollm2":
        from formwright.models import smollm2

        return smollm2.load()
    if Path(name).is_dir():
        from formwright.models.runtimes import transformers

        return transformers.read(Path(name))
    if Path(name).suffix.lower() == ".gguf" or Path(name).is_file():
        return _read_gguf(Path(name))
    raise UnknownModel(
        f"no model is called {name!r}",
        hint="pass 'formwright-tiny', 'smollm2', a folder of a transformers model, a .gguf file, "
        "or http://host/v1#model for a service",
    )


def _read_gguf(path: Path) -> LlamaCppModel:
    """Load a GGUF file. What is wrong with the file is told before llama.cpp is needed."""
    gguf.check(path)
    from formwright.models.runtimes import llama_cpp

    return llama_cpp.read(path)


def _connect_to(name: str) -> RemoteModel:
    """Connect to the model at ``URL#name``."""
    from formwright.client import connect

    url, _, model = name.partition("#")
    if not model:
        raise UnknownModel(
            f"{url} names no model", hint="write its name after the URL: http://127.0.0.1:8000/v1#some-model"
        )
    return connect(url, model)


def from_transformers(model: Any, tokenizer: Any) -> TransformersModel:
    """Wrap a causal language model of transformers, with its tokenizer.

    Args:
        model: A ``PreTrainedModel`` on any device.
        tokenizer: Its tokenizer. The ends of text of both and of the generation config all count.

    Raises:
        VocabularyError: The tokenizer cannot be represented.
        MissingDependency: formwright[transformers] is not installed.
    """
    from formwright.models.runtimes import transformers

    return transformers.wrap(model, tokenizer)


def from_llama_cpp(llama: Any) -> LlamaCppModel:
    """Wrap a model of llama.cpp that llama-cpp-python has loaded.

    Args:
        llama: A ``llama_cpp.Llama``; its vocabulary, its ends of text and its chat template are those of the file.

    Raises:
        VocabularyError: The vocabulary of the file cannot be represented.
        MissingDependency: formwright[llama-cpp] is not installed.
        HostMismatch: The installed llama-cpp-python is of an unknown version.
    """
    from formwright.models.runtimes import llama_cpp

    return llama_cpp.wrap(llama)


def from_mlx(model: Any, tokenizer: Any) -> MlxModel:
    """Wrap a model of MLX-LM, with its tokenizer: what ``mlx_lm.load(name)`` returns.

    Raises:
        VocabularyError: The tokenizer cannot be represented.
        MissingDependency: formwright[mlx] is not installed.
        HostMismatch: The installed MLX-LM is of an unknown version.
    """
    from formwright.models.runtimes import mlx

    return mlx.wrap(model, tokenizer)


def from_onnx_genai(model: Any, folder: str | Path) -> LocalModel:
    """Wrap a model of ONNX Runtime GenAI.

    Args:
        model: An ``onnxruntime_genai.Model``.
        folder: Where it was loaded from: its ``genai_config.json`` and ``tokenizer.json`` are read.

    Raises:
        UnknownModel: The folder holds no such model.
        VocabularyError: The tokenizer cannot be represented.
        MissingDependency: formwright[onnx-genai] is not installed.
        HostMismatch: The installed ONNX Runtime GenAI is of an unknown version.
    """
    from formwright.models.runtimes import onnx_genai

    return onnx_genai.wrap(model, Path(folder))
