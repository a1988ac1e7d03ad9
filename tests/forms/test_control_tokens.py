"""Control tokens in grammars: by their names, and by their ids in a vocabulary."""

from __future__ import annotations

import pickle

import pytest

import formwright as fw
from formwright import errors


def test_control_tokens_are_tokens() -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), None, None, None]
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[258], special_tokens={"<think>": 256, "</think>": 257})
    for text in ('root ::= <think> "a"* </think> "b"', 'start: <think> "a"* </think> "b"'):
        matcher = fw.compile(fw.grammar(text), vocabulary).matcher()
        assert matcher.allowed_token_ids() == [256]
        matcher.accept_token(256)
        assert matcher.allowed_token_ids() == [ord("a"), 257]
    with pytest.raises(errors.VocabularyError, match="<tool>"):
        fw.compile(fw.grammar("root ::= <tool>"), vocabulary)


_NUMBERED = fw.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), None, None, None, None],
    eos_token_ids=[258],
    special_tokens={"<think>": 256, "</think>": 257, "<call>": 259},
)


@pytest.mark.parametrize(
    ("text", "first", "conforms"),
    [
        ('start: <[256]> /[a-z]*/ <[257]> "yes"', [256], "<think>ab</think>yes"),
        ("root ::= <[256-257,259]>", [256, 257, 259], "<call>"),
        ("root ::= Token(256, 259)", [256, 259], "<call>"),
        ("root ::= <[256]> <[^257]>* <[257]>", [256], "<think>é 7</think>"),
        ("root ::= !<[256]>* <[256]>", [*range(0xC2, 0xF5), 256], "é 7<think>"),
        ('start: %lark {\nstart: <[259]> "x"\n}', [259], "<call>x"),
    ],
)
def test_control_tokens_have_ids(text: str, first: list[int], conforms: str) -> None:
    form = pickle.loads(pickle.dumps(fw.grammar(text, vocabulary=_NUMBERED)))
    allowed = fw.compile(form, _NUMBERED).matcher().allowed_token_ids()
    assert [token for token in allowed if token >= 128] == first
    assert form.matches(conforms)
    assert form.origin is None  # the text alone does not say it
    with pytest.raises(errors.UnsupportedConstruct, match="means nothing without its vocabulary"):
        fw.grammar(text)


def test_control_tokens_by_ids_are_kept_by_their_names() -> None:
    form = fw.grammar("root ::= <[256]> <[257]>", vocabulary=_NUMBERED)
    other = fw.Vocabulary([None, None, b"a", None], eos_token_ids=[3], special_tokens={"</think>": 0, "<think>": 1})
    matcher = fw.compile(form, other).matcher()
    for token in (1, 0):
        assert matcher.allowed_token_ids() == [token]
        matcher.accept_token(token)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "root ::= <[256,97]>",
            "grammar at 1:10: the token 97 is 'a', not a control token",
            "write the text in quotes",
        ),
        ("root ::= <[256-300]>", "grammar at 1:10: the token 258 ends a text", "leave it out"),
        ("root ::= <[259-300]>", "grammar at 1:10: the vocabulary has no token 260", "the ids go from 0 to 259"),
        ("root ::= <[^97]>*", "grammar at 1:10: the token 97 is 'a', not a control token", "write the text in quotes"),
        ("root ::= <[*]>", "grammar at 1:10: one token of any kind cannot be enforced", "as free text"),
        ("root ::= <[^256]>{2,3}", "grammar at 1:10: one token of any kind cannot be enforced", "as free text"),
        ("root ::= !<think>", "grammar at 1:10: one token of any kind cannot be enforced", "as free text"),
        ("root ::= !<[*]>*", "grammar at 1:10: no token is left", "leave it out"),
    ],
)
def test_other_tokens_by_ids_are_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(errors.UnsupportedConstruct) as raised:
        fw.grammar(text, vocabulary=_NUMBERED)
    assert str(raised.value).startswith(message)
    assert hint in str(raised.value.hint)
