"""The prompt as the answer of a completion repeats it: its text, its tokens, and how likely each of them is.

::

    echo = Echo.of(vocabulary, model.text_ids("Hi there"), "Hi there", None)
    echo.text, echo.tokens, echo.offsets      # ('Hi there', ['Hi', ' ', 'there'], [0, 2, 3])

Cost: the tokens are decoded once for all texts of a prompt; scoring them calls the model for the complete prompt.

A tokenizer may add tokens of its own around a text: a mark of the beginning, a space, a mark of the end. They are among
the tokens, since the model reads them, but they are not part of the text that the client has sent.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from formwright._kernel import Vocabulary
from formwright.generation.strategies.scoring import PromptScoring

__all__ = ["Echo"]


@dataclass(frozen=True, slots=True)
class Echo:
    """The prompt as the answer repeats it.

    Attributes:
        text: The prompt as it was sent, or decoded if it was sent as token ids.
        tokens: Each token as text.
        offsets: Where in the text each token begins.
        names: The names of special tokens, which have no text, by their ids.
        scoring: Scores the tokens; ``None`` without log probabilities.
    """

    text: str
    tokens: Sequence[str]
    offsets: Sequence[int]
    names: Mapping[int, str]
    scoring: PromptScoring | None

    @classmethod
    def of(
        cls, vocabulary: Vocabulary, prompt_ids: Sequence[int], text: str | None, scoring: PromptScoring | None
    ) -> Echo:
        """Make the echo of a prompt that was sent as this text or, with ``None``, as these token ids."""
        names = {token_id: name for name, token_id in vocabulary.special_tokens.items()}
        spelled = [vocabulary.token(id_) or names.get(id_, "").encode() for id_ in prompt_ids]
        decoder = getincrementaldecoder("utf-8")("replace")
        pieces = [decoder.decode(token) for token in spelled]  # a token may end within a character
        decoded = "".join(pieces) + decoder.decode(b"", True)
        text = decoded if text is None else text
        start = _find_sent_text(decoded, text, prompt_ids, names)
        begins = accumulate(map(len, pieces[:-1]), initial=0)
        offsets = [min(max(0, begin - start), len(text)) for begin in begins]
        return cls(text, [token.decode("utf-8", "backslashreplace") for token in spelled], offsets, names, scoring)


def _find_sent_text(decoded: str, text: str, prompt_ids: Sequence[int], names: Mapping[int, str]) -> int:
    """Find where the sent text begins in the decoded prompt; 0 if its bytes were not text."""
    marks = takewhile(lambda id_: id_ in names, prompt_ids)
    after_marks = decoded.find(text, sum(len(names[id_]) for id_ in marks))
    # The text may begin with such a mark itself; then it is not found after all of them.
    return max(0, after_marks if after_marks >= 0 else decoded.find(text))
