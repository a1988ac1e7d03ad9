"""A foreign tokenizer as a `Vocabulary`.

::

    vocabulary = vocabulary_from(Tokenizer.from_file("tokenizer.json"))
    merges_from(tokenizer).is_canonical([1278, 3330])     # whether the tokenizer itself writes these ids

The family of a tokenizer is told by the package its class comes from, so no
framework is imported to find out; `_ADAPTERS` is the whole dispatch. What an adapter
reads is checked against the tokenizer's own encoder (see `spelling`) before a
vocabulary is built.

Cost: one pass over the ids, about a tenth of a second for 131,072 of them, once per model.

``decode([id])`` is never used. It trims spaces, replaces half characters and
merges neighbours; the bytes come from the vocabulary file's own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from formwright._kernel import Merges, Vocabulary
from formwright.errors import ArgumentError, VocabularyError
from formwright.tokenizers.spelling import Spelling, prove, prove_merges

__all__ = ["Adapter", "Merges", "Spelling", "from_file", "merges_from", "read", "register_tokenizer", "vocabulary_from"]

_ADAPTERS = {
    "tokenizers": "huggingface",
    "transformers": "huggingface",
    "tiktoken": "tiktoken",
    "sentencepiece": "sentencepiece",
    "mistral_common": "mistral",
    "llama_cpp": "llama_cpp",
}

_REGISTERED: dict[str, Adapter] = {}
"""Adapters of users, by package."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Reads the tokenizers of one library.

    Attributes:
        read: A tokenizer to what each of its tokens spells.
        read_merges: A tokenizer to how it spells, for canonical tokens; ``None`` if that cannot be said.
    """

    read: Callable[[Any], Spelling]
    read_merges: Callable[[Any], Merges] | None = None


def register_tokenizer(
    package: str, read: Callable[[Any], Spelling], *, read_merges: Callable[[Any], Merges] | None = None
) -> None:
    """Let `formwright.Vocabulary.from_tokenizer` read the tokenizers of one more library, or read known ones otherwise.

    What is read is checked against the tokenizer's own encoder, as for the libraries that are built in.

    Args:
        package: The package that the classes of its tokenizers, or their bases, come from: ``"my_tokenizers"``.
        read: A tokenizer to its `formwright.tokenizers.Spelling`.
        read_merges: A tokenizer to its `formwright.tokenizers.Merges`; without it, ``canonical=True`` is refused.

    Raises:
        ArgumentError: ``package`` is not the name of a package, or ``read`` cannot be called.
    """
    if not isinstance(package, str) or not package.isidentifier():
        raise ArgumentError(f"package: expected the name of a package, got {package!r}", argument="package")
    for name, function in (("read", read), ("read_merges", read_merges)):
        if not callable(function) and (name == "read" or function is not None):
            raise ArgumentError(f"{name}: expected a function, got {function!r}", argument=name)
    _REGISTERED[package] = Adapter(read, read_merges)


def vocabulary_from(
    tokenizer: Any, *, eos_token_ids: Sequence[int] | None = None, logits_size: int | None = None
) -> Vocabulary:
    """Read a tokenizer of transformers, tokenizers, tiktoken, sentencepiece or mistral-common.

    Args:
        tokenizer: The tokenizer object.
        eos_token_ids: Ids that end a text, beside those the tokenizer declares and those known by name.
        logits_size: Width of a row of the model's logits, where it is wider than the tokenizer.

    Raises:
        VocabularyError: The tokenizer is of no known family, spells by an unknown rule, or has no end of text.
    """
    spelling = read(tokenizer)
    ends = sorted(spelling.all_ends() | set(eos_token_ids or ()))
    if not ends:
        raise VocabularyError(
            f"{_describe(tokenizer)} declares no end-of-text token",
            hint="pass eos_token_ids=[...], the ids the model was trained to end with",
        )
    return Vocabulary(
        spelling.tokens,
        eos_token_ids=ends,
        special_tokens=spelling.special_tokens,
        logits_size=logits_size,
        merges=lambda: merges_from(tokenizer),
    )


def read(tokenizer: Any) -> Spelling:
    """The bytes of every id of ``tokenizer``, checked against its encoder."""
    with _library():
        spelling: Spelling = _adapter(tokenizer).read(tokenizer)
        prove(spelling)
    return spelling


def merges_from(tokenizer: Any) -> Merges:
    """How a tokenizer spells: which of all sequences of tokens of a text it writes.

    Args:
        tokenizer: The tokenizer object, of any family that `vocabulary_from` reads.

    Raises:
        VocabularyError: The tokenizer does not spell by merging pairs, or by rules that cannot be followed exactly.
    """
    adapter = _adapter(tokenizer)
    if adapter.read_merges is None:
        said = f"{_describe(tokenizer)}: it is not known how it merges"
        raise VocabularyError(said, hint="pass read_merges= to fw.register_tokenizer")
    with _library():
        merges: Merges = adapter.read_merges(tokenizer)
        prove_merges(merges, adapter.read(tokenizer))
    return merges


def from_file(path: str | Path) -> Any:
    """The tokenizer in a file: ``tokenizer.json``, or else a model of SentencePiece.

    Raises:
        MissingDependency: The library of the tokenizer is not installed.
        VocabularyError: The file holds no such tokenizer.
    """
    family = "huggingface" if Path(path).suffix == ".json" else "sentencepiece"
    with _library():
        return import_module(f"{__name__}.{family}").from_file(str(path))


@contextmanager
def _library() -> Iterator[None]:
    """Turn what a library in Rust raises of a tokenizer into a VocabularyError; a panic is a BaseException."""
    try:
        yield
    except BaseException as error:
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise VocabularyError(f"the library of the tokenizer failed: {error}") from error


def _adapter(tokenizer: Any) -> Any:
    packages = [base.__module__.partition(".")[0] for base in type(tokenizer).__mro__]
    if (own := next((_REGISTERED[package] for package in packages if package in _REGISTERED), None)) is not None:
        return own
    adapter = next((_ADAPTERS[package] for package in packages if package in _ADAPTERS), None)
    if adapter is None:
        by_bytes = "build Vocabulary(tokens=[b'...', ...], eos_token_ids=[...]) from the bytes of each id"
        raise VocabularyError(
            f"{_describe(tokenizer)} is of no known family: {', '.join(sorted({*_ADAPTERS, *_REGISTERED}))}",
            hint="pass the tokenizer itself, not its name" if isinstance(tokenizer, str) else by_bytes,
        )
    return import_module(f"{__name__}.{adapter}")


def _describe(tokenizer: Any) -> str:
    return f"{type(tokenizer).__module__}.{type(tokenizer).__qualname__}"
