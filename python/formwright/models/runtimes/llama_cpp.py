"""Models of llama.cpp, driven by formwright's own decode loop.

::

    model = fw.from_llama_cpp(Llama("model.gguf"))
    model.generate("How are you?", Literal["well", "badly"])
    model.logits_processor(Literal["well", "badly"])     # for llama-cpp-python's own create_completion

A sequence is a list of ids, which the context of the `Llama` holds when needed (see `contexts`). Rows of a batch are
sequences of another context, which begins with the size of the model's and doubles when it is full.

Cost: one call of the model for each token that it chooses, one for forced tokens together, and a copy of its logits.

A `Llama` serves one call at a time. Generations of several threads take turns with each other, but not with the
`Llama`'s own completions.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from formwright._hosts import import_host
from formwright._kernel import Constraint, Vocabulary
from formwright.conversations.prompts import PromptMessage
from formwright.engines.handshake import prove
from formwright.errors import ArgumentError, LimitExceeded, PromptError, UnknownModel
from formwright.forms.coerce import Canonical
from formwright.forms.form import literal
from formwright.models.local import LocalModel
from formwright.models.runtimes.contexts import Context, ContextRuntime
from formwright.tokenizers import gguf, vocabulary_from
from formwright.tools import style_of

with import_host("llama_cpp"):
    import llama_cpp
    from llama_cpp._logger import set_verbose

from formwright.engines.llama_cpp import FormProcessors

__all__ = ["LlamaCppBatch", "LlamaCppModel", "LlamaCppRuntime", "read", "read_widened", "wrap"]

Floats = NDArray[np.float32]

_MOST_ROWS = 64
"""Sequences of a batch; llama.cpp keeps tables for each."""

_MOST_CONTEXT = 8192
"""Tokens of the context of a file that we load: that of some models would fill the memory."""


class _LlamaContext(Context):
    """The context of a ``Llama``, which its own completions use too."""

    def __init__(self, llama: Any) -> None:
        super().__init__()
        self.llama = llama

    @property
    def size(self) -> int:
        """How many tokens it can hold."""
        return int(self.llama.n_ctx())

    def read_ids(self) -> NDArray[np.intc]:
        """Read the ids that it holds."""
        ids: NDArray[np.intc] = self.llama.input_ids[: self.llama.n_tokens]
        return ids

    def shorten(self, length: int) -> bool:
        """Keep the first ids only. Returns false for recurrent states, which cannot be shortened."""
        is_short: bool = self.llama._ctx.kv_cache_seq_rm(-1, length, -1)
        if is_short:
            self.llama.n_tokens = length
        else:
            self.llama.reset()
        return is_short

    def append(self, token_ids: Sequence[int]) -> Floats:
        """Evaluate tokens. Returns the logits after the last."""
        self.llama.eval(token_ids)
        return _copy_logits(self.llama.ctx, -1, self.llama.n_vocab())

    def append_scored(self, token_ids: Sequence[int]) -> Floats:
        """Evaluate tokens as ``Llama.eval`` does, with the logits after each of them."""
        llama, logits = self.llama, list[Floats]()
        for start in range(0, len(token_ids), llama.n_batch):
            part, held = token_ids[start : start + llama.n_batch], llama.n_tokens
            llama._batch.set_batch(batch=part, n_past=held, logits_all=True)
            llama._ctx.decode(llama._batch)
            llama.input_ids[held : held + len(part)] = part
            llama.n_tokens = held + len(part)
            logits += [_copy_logits(llama.ctx, place, llama.n_vocab()) for place in range(len(part))]
        return np.stack(logits)


class LlamaCppRuntime(ContextRuntime):
    """A sequence under way in a ``Llama``."""

    def __init__(self, llama: Any) -> None:
        super().__init__(_LlamaContext(llama))
        self._llama = llama

    def batch(self) -> LlamaCppBatch:
        """Make an empty batch of this model."""
        return LlamaCppBatch(self._llama)


class LlamaCppBatch:
    """Rows that share calls of the model: sequences of one context."""

    def __init__(self, llama: Any) -> None:
        self._llama, self._rows = llama, list[_Row]()
        self._cells, self._context = int(llama.n_ctx()), _Sequences(llama, int(llama.n_ctx()))

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, prompts: Sequence[Sequence[int]], /) -> Floats:
        """Add rows. Returns the logits after the last token of each, of shape ``(prompts, vocabulary)``."""
        free = sorted(set(range(_MOST_ROWS)) - {row.sequence for row in self._rows})
        if len(prompts) > len(free):
            raise LimitExceeded(
                f"llama.cpp: a batch has {_MOST_ROWS} rows at most",
                hint=f"pass batch_size={_MOST_ROWS}, or fewer beams or particles",
                limit="batch_size",
                value=len(self._rows) + len(prompts),
                allowed=_MOST_ROWS,
            )
        new = [_Row(sequence) for sequence, _ in zip(free, prompts, strict=False)]
        self._rows += new
        try:
            return self._append(dict(zip(range(len(self) - len(new), len(self)), prompts, strict=True)))
        except BaseException:
            self.select(range(len(self) - len(new)))
            raise

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to rows. Returns the logits after the last of each, of shape ``(rows, vocabulary)``."""
        given = {row: ids for row, ids in enumerate(token_ids) if ids}
        if not given:
            raise ValueError("no row is given a token")
        logits = np.zeros((len(self), self._llama.n_vocab()), np.float32)
        logits[list(given)] = self._append(given)
        return logits

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order; a row may be kept several times."""
        kept, taken = [], set[int]()
        gone = [row.sequence for number, row in enumerate(self._rows) if number not in set(rows)]
        for sequence in gone:
            self._context.forget(sequence)
        free = sorted(set(range(_MOST_ROWS)) - {self._rows[row].sequence for row in rows})
        for number in rows:
            row = self._rows[number]
            if number in taken:
                row = _Row(free.pop(0), list(row.ids))
                self._context.copy(self._rows[number].sequence, row.sequence)
            taken.add(number)
            kept.append(row)
        self._rows = kept

    def _append(self, given: Mapping[int, Sequence[int]]) -> Floats:
        """Append tokens to some rows. Returns the logits after the last of each."""
        held = sum(len(row.ids) for row in self._rows)
        if held + sum(map(len, given.values())) > self._cells:
            self._grow(held + sum(map(len, given.values())))
        tokens = [
            _Token(id_, len(self._rows[row].ids) + place, self._rows[row].sequence, place == len(ids) - 1)
            for row, ids in given.items()
            for place, id_ in enumerate(ids)
        ]
        logits = self._context.decode(tokens)
        for row, ids in given.items():
            self._rows[row].ids += ids
        return np.stack(logits)

    def _grow(self, needed: int) -> None:
        """Make a larger context, and evaluate the rows again in it."""
        while self._cells < needed:
            self._cells *= 2
        self._context = _Sequences(self._llama, self._cells)
        if tokens := [
            _Token(id_, place, row.sequence, False) for row in self._rows for place, id_ in enumerate(row.ids)
        ]:
            self._context.decode(tokens)


@dataclass(slots=True)
class _Row:
    """A row of a batch: the number of its sequence, and its ids."""

    sequence: int
    ids: list[int] = field(default_factory=list)


class _Token(NamedTuple):
    """A token to evaluate: where it is in which sequence, and whether the logits after it are needed."""

    id: int
    position: int
    sequence: int
    needs_logits: bool


class _Sequences:
    """A context with several sequences, for the weights of a ``Llama``."""

    def __init__(self, llama: Any, cells: int) -> None:
        parameters = type(llama.context_params).from_buffer_copy(llama.context_params)
        parameters.n_ctx, parameters.n_seq_max, parameters.kv_unified = cells, _MOST_ROWS, True
        self._at_a_time, self._width = int(parameters.n_batch), int(llama.n_vocab())
        self._llama = llama  # keeps the weights alive as long as this context
        self._context = llama_cpp.llama_init_from_model(llama.model, parameters)
        if not self._context:
            raise LimitExceeded(f"llama.cpp: no memory for a context of {cells} tokens", limit="n_ctx", value=cells)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(self._at_a_time, 0, 1)

    def __del__(self) -> None:
        if getattr(self, "_batch", None) is not None:
            llama_cpp.llama_batch_free(self._batch)
        if getattr(self, "_context", None):
            llama_cpp.llama_free(self._context)

    def forget(self, sequence: int) -> None:
        """Free the tokens of a sequence."""
        llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def copy(self, sequence: int, twin: int) -> None:
        """Let another sequence hold the same tokens."""
        llama_cpp.llama_memory_seq_cp(self._memory, sequence, twin, -1, -1)

    def decode(self, tokens: Sequence[_Token]) -> list[Floats]:
        """Evaluate tokens in this order. Returns the logits of those that need them."""
        logits: list[Floats] = []
        for start in range(0, len(tokens), self._at_a_time):
            part = tokens[start : start + self._at_a_time]
            self._batch.n_tokens = len(part)
            for place, token in enumerate(part):
                self._batch.token[place], self._batch.pos[place] = token.id, token.position
                self._batch.n_seq_id[place], self._batch.seq_id[place][0] = 1, token.sequence
                self._batch.logits[place] = token.needs_logits
            if code := llama_cpp.llama_decode(self._context, self._batch):
                raise LimitExceeded(f"llama.cpp could not evaluate {len(part)} tokens: llama_decode gave {code}")
            logits += [
                _copy_logits(self._context, place, self._width)
                for place, token in enumerate(part)
                if token.needs_logits
            ]
        return logits


@dataclass(frozen=True, slots=True, repr=False)
class LlamaCppModel(LocalModel):
    """A model of llama.cpp: it generates by itself, and makes what llama-cpp-python's own completions take.

    Attributes:
        llama: The ``llama_cpp.Llama``.
    """

    llama: Any = None

    def logits_processor(
        self, form: Any, *, max_tokens: int | None = None, canonical: Canonical | None = None
    ) -> FormProcessors:
        """Make what ``llama.create_completion(..., logits_processor=)`` and ``create_chat_completion`` take.

        The first one of a model tests that llama.cpp applies forms, which writes two texts of a few tokens.

        Args:
            form: Anything `formwright.form` takes.
            max_tokens: The ``max_tokens`` of the call: texts are then complete within it. ``None`` lets it cut them.
            canonical: As `generate`.

        Raises:
            NotAForm, LanguageError: The form cannot be read or enforced.
            ArgumentError: ``max_tokens`` is wrong.
            HostMismatch: The library does not call its logits processors.
        """
        processors = FormProcessors(self.llama, self._compile(form, canonical), max_tokens=max_tokens)
        if not getattr(self.llama, "_formwright_proved", False):
            prove("llama-cpp-python", self._write_canary)
            self.llama._formwright_proved = True
        return processors

    def _write_canary(self, text: str) -> str:
        """Return what the library's own loop writes with a form that has this text only."""
        constraint: Constraint[Any] = self._compile(literal(text), None)
        prompt = [token for token in (self.llama.token_bos(),) if token >= 0] or [self.vocabulary.eos_token_ids[0]]
        written: list[int] = []
        processors = FormProcessors(self.llama, constraint)
        for token in self.llama.generate(prompt, temp=0.0, logits_processor=processors):
            if token in self.vocabulary.eos_token_ids or len(written) == len(text):
                break
            written.append(token)
        return b"".join(self.vocabulary.token(token) for token in written).decode(errors="replace")


def read(path: Path) -> LlamaCppModel:
    """Load a GGUF file, with the context of its model, of 8,192 tokens at most.

    Half of the cores compute: threads of llama.cpp wait for each other without sleeping, so on a busy machine one
    thread too many makes it several times slower.

    Raises:
        UnknownModel: There is no such file, it is not a GGUF file, or llama.cpp cannot load it.
        VocabularyError: Its vocabulary cannot be represented.
    """
    return _read(path)


def read_widened(path: Path) -> LlamaCppModel:
    """Load a small GGUF file with its weights rounded to 8 bits, for which llama.cpp has quicker code than for Q4_1.

    They are written to a temporary file, of a byte for each weight; where that fails, the file is loaded as it is.

    Raises:
        UnknownModel, VocabularyError: As `read`.
    """
    with TemporaryDirectory(prefix="formwright-", ignore_cleanup_errors=True) as folder:
        wide = Path(folder) / path.name
        if not _write_widened(path, wide):
            return _read(path)
        model = _read(wide, use_mmap=False)  # nothing of a file that is deleted is read later
    model.llama.model_path = str(path)  # where the merges are read
    return model


def _write_widened(path: Path, wide: Path) -> bool:
    """Write the model with weights of 8 bits (Q8_0). Returns whether it was written."""
    set_verbose(False)  # as Llama(verbose=False) does
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype, parameters.allow_requantize, parameters.nthread = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0, True, 1
    code: int = llama_cpp.llama_model_quantize(os.fsencode(path), os.fsencode(wide), ctypes.byref(parameters))
    return code == 0


def _read(path: Path, **options: Any) -> LlamaCppModel:
    """Load a GGUF file with options of ``Llama``. Raises as `read`."""
    context = min(gguf.read_context(path) or _MOST_CONTEXT, _MOST_CONTEXT)
    threads = max((os.cpu_count() or 1) // 2, 1)
    try:
        llama = llama_cpp.Llama(
            str(path), n_ctx=context, n_threads=threads, n_threads_batch=threads, verbose=False, **options
        )
    except Exception as error:  # a ValueError for weights and memory, and what jinja raises for a chat template
        raise UnknownModel(
            f"llama.cpp cannot load {path}: {error}",
            hint="the file may be cut short or need a later llama.cpp: llama_cpp.Llama(path, verbose=True) tells more",
        ) from error
    atexit.register(_close, weakref.ref(llama))
    return replace(wrap(llama), name=path.stem)


def _close(reference: weakref.ref[Any]) -> None:
    """Free a ``Llama`` before the interpreter ends, when the library could not call itself any more."""
    if (llama := reference()) is not None:
        llama.close()


def wrap(llama: Any) -> LlamaCppModel:
    """See `formwright.from_llama_cpp`."""
    if not isinstance(llama, llama_cpp.Llama):
        raise ArgumentError(
            f"llama: expected a llama_cpp.Llama, got {type(llama).__name__}",
            hint='pass llama_cpp.Llama("model.gguf")',
            argument="llama",
        )
    vocabulary: Vocabulary = vocabulary_from(llama)
    template = (llama.metadata or {}).get("tokenizer.chat_template")

    def encode(prompt: str | Sequence[PromptMessage]) -> list[int]:
        if isinstance(prompt, str) and not template:
            plain: list[int] = llama.tokenize(prompt.encode(), special=False)
            return plain
        return _apply_template(llama, [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt)

    def encode_text(text: str) -> list[int]:
        ids: list[int] = llama.tokenize(text.encode(), special=True)  # as create_completion does
        return ids

    def with_tools(messages: Sequence[PromptMessage], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        return _apply_template(llama, messages, [dict(tool) for tool in tools])

    name = str((llama.metadata or {}).get("general.name") or "llama.cpp")
    model = LlamaCppModel(name, LlamaCppRuntime(llama), vocabulary, encode, encode_text=encode_text, llama=llama)
    try:
        return replace(model, style=style_of(template or ""), with_tools=with_tools)
    except ArgumentError:
        return model


class _Prompt(BaseException):
    """Carries the prompt that a chat handler would complete. No Exception, so that no handler catches it."""

    def __init__(self, token_ids: Sequence[int]) -> None:
        self.token_ids = list(token_ids)


class _PromptCatcher:
    """A ``Llama`` that raises the prompt that it would complete."""

    def __init__(self, llama: Any) -> None:
        self._llama = llama

    def __getattr__(self, name: str) -> Any:
        return getattr(self._llama, name)

    def create_completion(self, prompt: Any, **options: Any) -> Any:
        """Raise the prompt."""
        ids = self._llama.tokenize(prompt.encode(), special=True) if isinstance(prompt, str) else prompt
        raise _Prompt(ids)


def _apply_template(llama: Any, messages: Sequence[PromptMessage], tools: Any = None) -> list[int]:
    """Find the prompt that ``create_chat_completion`` would complete, by the chat handler. Raises PromptError."""
    formats = llama_cpp.llama_chat_format
    handler = (
        llama.chat_handler
        or llama._chat_handlers.get(llama.chat_format)
        or formats.get_chat_completion_handler(llama.chat_format)
    )
    try:
        handler(llama=_PromptCatcher(llama), messages=[dict(message) for message in messages], tools=tools)
    except _Prompt as prompt:
        return prompt.token_ids
    except Exception as error:  # what the author of a template refuses
        raise PromptError(f"the chat template refuses the conversation: {error}") from error
    raise PromptError(f"the chat handler of {llama.chat_format!r} completes nothing")


def _copy_logits(context: Any, place: int, width: int) -> Floats:
    """Copy a row of logits."""
    pointer = llama_cpp.llama_get_logits_ith(context, place)
    address = ctypes.addressof(pointer.contents)
    return np.ctypeslib.as_array((ctypes.c_float * width).from_address(address)).copy()
