r"""Tokenizers of the ``tokenizers`` library, bare or inside a transformers tokenizer.

Everything is read from the tokenizer's JSON. A token's text becomes bytes by the
steps of its *decoder*, which say how the vocabulary is written:

* ``ByteLevel``: every character stands for one byte (``Ġ`` is a space).
* ``Replace``, ``Metaspace``: ``▁`` is a space. ``ByteFallback``: ``<0x0A>`` is one byte.
* ``Fuse`` and ``Strip`` act on a whole text, not on a token.

Each step is a small function in `_STEPS`; a decoder with any other step (WordPiece,
CTC, word-end suffixes) is refused, because its tokens do not say where spaces go::

    "😀".encode()[:1] in read(Tokenizer.from_file("tokenizer.json")).tokens      # True

Added tokens are stored as plain text even where the vocabulary is
byte-mapped. Special ones are control tokens; the others spell their own text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from formwright._extras import needs
from formwright._kernel import Merges
from formwright.errors import VocabularyError
from formwright.tokenizers.characters import EVERY_CHARACTER, Ranges, ranges_of
from formwright.tokenizers.spelling import Spelling, checked_size

__all__ = ["from_file", "read", "read_merges"]

Piece = str | bytes
Step = Callable[[Piece], Piece]
Config = dict[str, Any]


def read(tokenizer: Any) -> Spelling:
    """Read a ``tokenizers.Tokenizer`` or a transformers tokenizer that holds one."""
    backend = _backend(tokenizer)
    config = _config(backend)
    special = {token["content"]: token["id"] for token in config["added_tokens"] if token["special"]}
    return Spelling(
        tokens=_tokens(config, set(special.values())),
        special_tokens=special,
        ends=_declared_ends(tokenizer),
        encode=lambda text: backend.encode(text, add_special_tokens=False).ids,
        faithful=_is_faithful(config["normalizer"]),
    )


def _backend(tokenizer: Any) -> Any:
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):
        return backend
    raise VocabularyError(
        f"{type(tokenizer).__qualname__} is a tokenizer without a tokenizers.Tokenizer inside",
        hint="load the fast tokenizer, or pass the sentencepiece or mistral-common object it wraps",
    )


def _config(backend: Any) -> Config:
    """What the tokenizer is, as its file has it, for which the library asks for memory up to the largest id."""
    checked_size(max(backend.get_vocab().values(), default=-1))
    config: Config = json.loads(backend.to_str())
    return config


def _declared_ends(tokenizer: Any) -> frozenset[int]:
    declared = getattr(tokenizer, "eos_token_id", None)
    return frozenset() if declared is None else frozenset({declared})


def _tokens(config: Config, special: set[int]) -> list[bytes | None]:
    spell = _speller(config)
    unknown = config["model"].get("unk_token")
    table = {token: spell(text) for text, token in _vocabulary(config["model"]) if text != unknown}
    added = {token["id"]: token["content"].encode() for token in config["added_tokens"]}
    table.update((token, text) for token, text in added.items() if token not in special)
    size = 1 + max((*table, *added), default=-1)
    return [None if token in special else table.get(token) for token in range(size)]


def _vocabulary(model: Config) -> Iterator[tuple[str, int]]:
    """Text and id of every token; a Unigram vocabulary is a list of pieces with scores."""
    vocab: Any = model["vocab"]
    if model["type"] != "Unigram":
        yield from vocab.items()
    else:
        yield from ((text, token) for token, (text, _) in enumerate(vocab) if token != model.get("unk_id"))


def _speller(config: Config) -> Callable[[str], bytes]:
    _refuse_affixes(config["model"])
    steps = [_step(decoder) for decoder in _flatten(config["decoder"], "decoders")]

    def spell(text: str) -> bytes:
        piece: Piece = text
        for step in steps:
            piece = step(piece)
        return piece if isinstance(piece, bytes) else piece.encode()

    return spell


def _flatten(config: Config | None, key: str) -> Iterator[Config]:
    """The leaves of nested ``Sequence`` entries."""
    if config is None:
        return
    if config["type"] != "Sequence":
        yield config
    for child in config.get(key, ()):
        yield from _flatten(child, key)


def _refuse_affixes(model: Config) -> None:
    for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(affix):
            raise VocabularyError(
                f"the {model['type']} model marks word pieces with {affix} {model[affix]!r}",
                hint="its tokens do not say where spaces go, so no exact text can be asked of it",
            )


def _step(config: Config) -> Step:
    if config["type"] not in _STEPS:
        raise VocabularyError(
            f"the decoder step {config['type']!r} is not known; known are {', '.join(sorted(_STEPS))}",
            hint="its tokens do not say which bytes they stand for; build Vocabulary(tokens=...) from the true bytes",
        )
    return _STEPS[config["type"]](config)


def _byte_level(_: Config) -> Step:
    def step(piece: Piece) -> Piece:
        try:
            return bytes(_BYTE_OF[character] for character in piece) if isinstance(piece, str) else piece
        except KeyError:  # not byte-mapped: stored as plain text
            return piece

    return step


def _replace(config: Config) -> Step:
    old = config["pattern"].get("String")
    if old is None:
        raise VocabularyError(f"the decoder replaces a regular expression: {config['pattern']!r}")
    return lambda piece: piece.replace(old, config["content"]) if isinstance(piece, str) else piece


def _metaspace(config: Config) -> Step:
    return lambda piece: piece.replace(config["replacement"], " ") if isinstance(piece, str) else piece


def _byte_fallback(_: Config) -> Step:
    def step(piece: Piece) -> Piece:
        is_byte = isinstance(piece, str) and _BYTE_TOKEN.fullmatch(piece)
        return bytes([int(piece[3:5], 16)]) if is_byte else piece

    return step


def _whole_text(_: Config) -> Step:
    return lambda piece: piece


_STEPS: dict[str, Callable[[Config], Step]] = {
    "ByteFallback": _byte_fallback,
    "ByteLevel": _byte_level,
    "Fuse": _whole_text,
    "Metaspace": _metaspace,
    "Replace": _replace,
    "Strip": _whole_text,
}

_BYTE_TOKEN = re.compile(r"<0x[0-9A-F]{2}>")


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's alphabet: printable Latin-1 stands for itself, the other bytes follow from U+0100 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in printable)
    return {chr(byte): byte for byte in printable} | {chr(256 + rank): byte for rank, byte in enumerate(others)}


_BYTE_OF = _byte_alphabet()


def _is_faithful(normalizer: Config | None) -> bool:
    """Whether the normalizer only writes spaces as ``▁``."""
    return all(step["type"] in {"Prepend", "Replace"} for step in _flatten(normalizer, "normalizers"))


# Merges.

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""What a ByteLevel pre-tokenizer cuts by, if it is asked to."""

_GPT2_WITHOUT_DIGITS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
"""The same where digits are cut out first: spaces before a digit are at the end of their text."""


def from_file(path: str) -> Any:
    """The tokenizer in a ``tokenizer.json``."""
    with needs("tokenizers", "a tokenizer.json"):
        from tokenizers import Tokenizer
    try:
        return Tokenizer.from_file(path)
    except Exception as error:  # the library raises nothing narrower
        raise VocabularyError(f"{path} is not a tokenizer.json: {error}") from error


def read_merges(tokenizer: Any) -> Merges:
    """How a ``tokenizers.Tokenizer`` spells, or a transformers tokenizer that holds one."""
    config = _config(_backend(tokenizer))
    model = config["model"]
    if model["type"] != "BPE":
        raise _not_followed(f"its model is {model['type']}, which does not merge pairs")
    if model.get("dropout"):
        raise _not_followed("its merges are dropped at random")
    if config["truncation"] or config["padding"]:
        raise _not_followed("it truncates or pads what it encodes")
    cuts = _cuts(config)
    _refuse_context_dependent_tokens(config)
    spell, vocabulary = _speller(config), model["vocab"]
    words = [(token["content"], token["id"]) for token in config["added_tokens"] if not token["special"]]
    added = {token["content"] for token in config["added_tokens"]}
    tokens: list[bytes | None] = [None] * (1 + max([*vocabulary.values(), *(token for _, token in words)], default=-1))
    for text, token in vocabulary.items():
        is_byte = cuts["fallback"] is not None and _BYTE_TOKEN.fullmatch(text)
        if text not in added and text != model.get("unk_token") and not is_byte:
            tokens[token] = spell(text)
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
    merges = [_merge(vocabulary, left, right) for left, right in pairs]
    return Merges(tokens, merges=merges, words=words, whole_pieces=bool(model.get("ignore_merges")), **cuts)


def _refuse_context_dependent_tokens(config: Config) -> None:
    """Refuses added tokens that are not just cut out of a text."""
    added = config["added_tokens"]
    words = [token for token in added if not token["special"]]
    for token in added:
        if token["lstrip"] or token["rstrip"] or token["single_word"]:
            raise _not_followed(f"the added token {token['content']!r} is cut out depending on the text around it")
    if len({token["normalized"] for token in words}) > 1:
        raise _not_followed("its added tokens are cut out before and after the text is normalized")
    if words and config["normalizer"]:
        raise _not_followed("it normalizes texts and has added tokens")


def _merge(vocabulary: dict[str, int], left: str, right: str) -> tuple[int, int, int]:
    try:
        return vocabulary[left], vocabulary[right], vocabulary[left + right]
    except KeyError as missing:
        raise VocabularyError(f"the merge of {left!r} and {right!r} needs {missing}, which is not a token") from missing


def _cuts(config: Config) -> Config:
    """The arguments of `Merges` that say how a text becomes pieces: of bytes, or all of it of characters."""
    before = list(_flatten(config["pre_tokenizer"], "pretokenizers"))
    normalizers = list(_flatten(config["normalizer"], "normalizers"))
    if any(step["type"] == "ByteLevel" for step in before):
        if normalizers:
            raise _not_followed(f"its normalizer {normalizers[0]['type']} changes texts")
        pattern = _pattern(before)
        classes = {name: _characters(name) for name in Merges.class_names(pattern)} if pattern else {}
        return {"fallback": None, "pattern": pattern, "classes": classes}
    return {"fallback": _fallback(config), "space": "\u2581", "prefix": _prefix(before, normalizers)}


def _pattern(before: list[Config]) -> str | None:
    """The expression that cuts texts into pieces, if they are cut."""
    patterns, digits = [], ""
    for number, step in enumerate(before):
        if step["type"] == "Digits" and number == 0:
            digits = r"\p{N}|" if step["individual_digits"] else r"\p{N}+|"
        elif step["type"] == "Split" and not digits:
            if step["behavior"] not in ("Isolated", "Removed") or step["invert"] != (step["behavior"] == "Removed"):
                raise _not_followed(f"the behaviour {step['behavior']} of its Split is not known")
            patterns.append(step["pattern"].get("Regex") or re.escape(step["pattern"]["String"]))
        elif step["type"] != "ByteLevel":
            raise _not_followed(f"its pre-tokenizer {step['type']} is not known")
        elif step["add_prefix_space"]:
            raise _not_followed("it puts a space before a text unless there is one")
        elif step["use_regex"]:
            patterns.append(_GPT2_WITHOUT_DIGITS if digits else _GPT2)
    if len(patterns) > 1:
        raise _not_followed(f"it has {len(patterns)} patterns that cut texts, one after the other")
    if digits:
        return digits + (patterns[0] if patterns else r"[^\p{N}]+")
    if not patterns:
        return None
    _refuse_syntax(patterns[0])
    return str(patterns[0])


def _refuse_syntax(pattern: str) -> None:
    """Refuses what the engine of ``tokenizers`` reads otherwise than that of tiktoken, which the kernel follows."""
    bare = pattern.replace("\\\\", "").replace("\\$", "").replace("\\.", "")
    if "$" in bare or "." in bare:
        raise _not_followed("its pattern has a `$` or a `.`")
    if re.search(r"\{[\d,]+\}\+", bare):
        raise _not_followed("its pattern repeats a repetition")
    for group in re.findall(r"\(\?i:([^)]*)\)", bare):
        if not re.fullmatch(r"[A-Za-z'|\[\]]*", group) or _FOLDED_PAIRS.search(group):
            raise _not_followed(f"how its pattern compares (?i:{group}) without case is not known")
    if "(?i)" in bare:
        raise _not_followed("its pattern compares all of a text without case")


_FOLDED_PAIRS = re.compile("ss|st|ff|fi|fl", re.IGNORECASE)
"""Two letters that one character stands for where case does not matter."""


def _fallback(config: Config) -> list[int | None]:
    model = config["model"]
    decoders = {step["type"] for step in _flatten(config["decoder"], "decoders")}
    if model.get("byte_fallback") and "ByteFallback" not in decoders:
        raise _not_followed("it writes bytes as tokens, and does not read them back")
    bytes_ = (model["vocab"].get(f"<0x{byte:02X}>") for byte in range(256))
    return list(bytes_) if model.get("byte_fallback") else [None] * 256


_REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
_PREPEND = {"type": "Prepend", "prepend": "\u2581"}


def _prefix(before: list[Config], normalizers: list[Config]) -> str | None:
    """The space before each text. Spaces are written as ``▁`` by normalizers, or by Metaspace."""
    if not before and normalizers in ([_REPLACE], [_PREPEND, _REPLACE], [_REPLACE, _PREPEND]):
        return " " if _PREPEND in normalizers else None
    match before, normalizers:
        case [{"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never", "split": False}], []:
            return None
    if not before and not normalizers:
        raise _not_followed(
            "it has no pre-tokenizer and no normalizer, so its symbols are neither bytes nor spaces as `▁`"
        )
    steps = " and ".join(step["type"] for step in (*normalizers, *before))
    raise _not_followed(f"what {steps} makes of spaces is not known")


@cache
def _characters(name: str) -> Ranges:
    """The characters of a class, as the engine of ``tokenizers`` reads it."""
    with needs("tokenizers", "a tokenizer of the tokenizers library"):
        from tokenizers import Regex
        from tokenizers.normalizers import Replace
    return ranges_of(Replace(Regex(f"[^{name}]+"), "").normalize_str(EVERY_CHARACTER))


def _not_followed(reason: str) -> VocabularyError:
    return VocabularyError(
        f"the tokenizer does not spell by merges that can be followed: {reason}",
        hint="its merges cannot be used; `vocabulary_from` still reads its tokens",
    )
