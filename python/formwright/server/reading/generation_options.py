"""Read from a body how its texts are written: stop texts, lengths, biases and sampling.

::

    from formwright.server.reading.requests import CompletionBody

    check_logit_bias(CompletionBody(model="m", prompt="Hi", logit_bias={"7": -100}), 512)
"""

from __future__ import annotations

from collections.abc import Callable

from formwright.forms.text_checks import shorten
from formwright.generation import Writing
from formwright.models.writing_tasks import Sampling, WritingTask
from formwright.server.errors import BadRequest
from formwright.server.reading.requests import Body
from formwright.server.reading.shapes import Shape
from formwright.server.writing.thoughts import ThoughtReader
from formwright.tools import STYLES
from formwright.tools.calls_reader import CallsReader
from formwright.tools.structural import ends_in_free_text

__all__ = ["check_logit_bias", "check_min_tokens", "make_free_text_test", "make_writing", "read_stop"]

_SHOWN = 8
"""How many of the most likely tokens a trace shows."""


def read_stop(body: Body, shape: Shape) -> str | list[str] | None:
    """Read the texts before which free text is cut; ``None`` if the answer has none. Raises BadRequest."""
    stop = body.stop_texts
    if not stop:
        return None
    if not all([stop] if isinstance(stop, str) else stop):
        raise BadRequest("stop: expected texts of one character or more, got an empty one", param="stop")
    return stop if shape.has_free_text else None


def make_free_text_test(shape: Shape) -> Callable[[str], bool] | None:
    """Make the test whether a text so far ends in free text; ``None`` if all of it is free."""
    tagged = shape.tagged
    if not shape.offered.tools and tagged is None:
        return None

    def is_free(text: str) -> bool:
        _, closed, answer = text.partition(ThoughtReader.CLOSE) if shape.has_thought else ("", "closed", text)
        if not closed:
            return False
        if tagged is not None:
            return ends_in_free_text(tagged, answer.lstrip(ThoughtReader.BLANK) if shape.has_thought else answer)
        reader = CallsReader(STYLES[shape.style])
        reader.feed(answer)
        return reader.is_in_text

    return is_free


def check_min_tokens(body: Body, budget: str, most: int) -> None:
    """Refuse a minimum length above the maximum. Raises BadRequest."""
    if body.min_tokens > most:
        said = f"min_tokens: expected {most} at most, which {budget} and the context allow, got {body.min_tokens}"
        raise BadRequest(said, param="min_tokens")


def check_logit_bias(body: Body, tokens: int) -> None:
    """Refuse biases of unknown token ids. Raises BadRequest."""
    if wrong := [name for name in body.biases if not name.isdecimal() or len(name) > 9 or int(name) >= tokens]:
        raise BadRequest(
            f"logit_bias: expected token ids from 0 to {tokens - 1}, got {shorten(repr(wrong[0]))}",
            param="logit_bias",
        )


def make_writing(body: Body, task: WritingTask, number: int) -> Writing:
    """Make one of the texts of a request, with nothing written yet."""
    likeliest = body.likeliest_count
    shown = max(likeliest or 0, _SHOWN if body.trace else 0)
    return task.make_writing(_read_sampling(body, number).make_sampler(), body.trace or likeliest is not None, shown)


def _read_sampling(body: Body, number: int) -> Sampling:
    """Read how to sample one of the texts. Raises BadRequest."""
    if body.top_k is not None and body.top_k < 1 and body.top_k != -1:
        raise BadRequest(f"top_k: expected a number from 1 on, or -1 for all tokens, got {body.top_k}", param="top_k")
    return Sampling(
        temperature=1.0 if body.temperature is None else body.temperature,
        top_k=None if body.top_k in (None, -1) else body.top_k,
        top_p=1.0 if body.top_p is None else max(body.top_p, 1e-9),
        min_p=body.min_p,
        repetition_penalty=body.repetition_penalty,
        min_tokens=body.min_tokens,
        seed=None if body.seed is None else (body.seed + number) % (1 << 63),
        bias={int(name): value for name, value in body.biases.items()},
        **body.penalties,
    )
