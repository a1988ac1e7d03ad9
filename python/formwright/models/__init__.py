"""Models that run here. Each runtime lives in the module named after it and loads when asked for.

::

    model = fw.load("formwright-tiny")             # embedded, by ONNX Runtime: formwright[local]

The folder of a causal language model of transformers is loaded the same way; one that is there already is wrapped by
`from_transformers`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from formwright.errors import UnknownModel
from formwright.models.base import LocalModel, LocalRuntime
from formwright.models.prompts import Prompt

if TYPE_CHECKING:
    from formwright.models.transformers import TransformersModel

__all__ = ["LocalModel", "LocalRuntime", "Prompt", "from_transformers", "load"]


def load(name: str) -> LocalModel:
    """A model by its name, or by the folder that holds it.

    Args:
        name: ``"formwright-tiny"``, the one that comes with the package, or the folder of a model of transformers, with
            its configuration, its weights and its tokenizer.

    Raises:
        UnknownModel: No model has this name, or the folder holds none.
        MissingDependency: formwright[local] or formwright[transformers] is not installed.
    """
    if name == "formwright-tiny":
        from formwright.models import embedded

        return embedded.load()
    if Path(name).is_dir():
        from formwright.models import transformers

        return transformers.read(Path(name))
    raise UnknownModel(
        f"no model is called {name!r}",
        hint="the embedded model is 'formwright-tiny'; a folder of a transformers model is read too",
    )


def from_transformers(model: Any, tokenizer: Any) -> TransformersModel:
    """A causal language model of transformers, with its tokenizer.

    Args:
        model: A ``PreTrainedModel`` on any device.
        tokenizer: Its tokenizer; the ends of text of both, and of the generation config, all count.

    Raises:
        VocabularyError: The tokenizer cannot be represented.
        MissingDependency: formwright[transformers] is not installed.
    """
    from formwright.models import transformers

    return transformers.wrap(model, tokenizer)
