"""Models that run here. Each runtime lives in the module named after it and loads when asked for.

::

    model = fw.load("formwright-tiny")             # embedded, by ONNX Runtime: formwright[local]

A causal language model of transformers is wrapped by `from_transformers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formwright.errors import UnknownModel
from formwright.models.base import LocalModel, LocalRuntime
from formwright.models.prompts import Prompt

if TYPE_CHECKING:
    from formwright.models.transformers import TransformersModel

__all__ = ["LocalModel", "LocalRuntime", "Prompt", "from_transformers", "load"]


def load(name: str) -> LocalModel:
    """A model by its name; ``"formwright-tiny"`` is the one that comes with the package.

    Raises:
        UnknownModel: No model has this name.
        MissingDependency: formwright[local] is not installed.
    """
    if name != "formwright-tiny":
        raise UnknownModel(
            f"no model is called {name!r}",
            hint="the embedded model is 'formwright-tiny'; wrap your own with from_transformers(model, tokenizer)",
        )
    from formwright.models import embedded

    return embedded.load()


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
