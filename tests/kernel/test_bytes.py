"""Vocabularies, languages and constraints as bytes: what comes back is the same, and what is broken is refused."""

from __future__ import annotations

import copy
import pickle

import pytest

import formwright as fw


def test_a_vocabulary_survives(word_vocabulary: fw.Vocabulary) -> None:
    for again in [
        fw.Vocabulary.from_bytes(word_vocabulary.to_bytes()),
        pickle.loads(pickle.dumps(word_vocabulary)),
        copy.deepcopy(word_vocabulary),
    ]:
        assert again.fingerprint == word_vocabulary.fingerprint
        assert len(again.fingerprint) == 64
        assert again.special_tokens == word_vocabulary.special_tokens
        assert again.eos_token_ids == word_vocabulary.eos_token_ids
        assert again.logits_size == word_vocabulary.logits_size
        assert [again.token(t) for t in range(len(again))] == [word_vocabulary.token(t) for t in range(len(again))]


def test_a_vocabulary_that_was_cut_or_changed_is_refused(word_vocabulary: fw.Vocabulary) -> None:
    data = word_vocabulary.to_bytes()
    broken = [b"", data[:39], data[:-1], data + b"x", b"x" + data, data[:4] + b"\xff" + data[5:], data.swapcase()]
    for bad in broken:
        with pytest.raises(fw.errors.VocabularyError, match="vocabulary bytes"):
            fw.Vocabulary.from_bytes(bad)


LANGUAGES = {
    "schema": fw.json_schema({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
    "options": fw.json_schema(
        {"$ref": "urn:x", "format": "hex"},
        order="model",
        whitespace=" ?",
        escapes="any",
        integers="decimal",
        max_digits=3,
        unknown_keywords="ignore",
        formats={"hex": "[0-9a-f]+"},
        dialect="draft2019-09",
        registry={"urn:x": '{"type": "string"}'},
    ),
    "bounds": fw.json_schema({"items": {"type": "integer"}}, whitespace="free", max_whitespace=2, max_items=3),
    "alphabet": fw.json_schema({"type": ["string", "object"]}, alphabet='aé"𝄞'),
    "json": fw.json(whitespace="compact"),
    "regex": fw.regex("[a-c]{2,4}"),
    "choice": fw.choice(["yes", "no", ""]),
    "operators": (fw.literal("é: ") + fw.choice(["a", "b"]) | fw.regex(r"\d+")).repeat(1, 3) + fw.json(),
}


def mask_of(constraint: fw.Constraint, text: bytes = b"") -> bytes:
    mask = fw.allocate_bitmask(1, constraint.vocabulary)
    matcher = constraint.matcher()
    matcher.accept_bytes(text)
    matcher.fill_bitmask(mask)
    return mask.tobytes()


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_survives(name: str) -> None:
    language = LANGUAGES[name]
    for again in [fw.Form.from_bytes(language.to_bytes()), pickle.loads(pickle.dumps(language))]:
        assert again.to_bytes() == language.to_bytes()
        assert again.example() == language.example()
        assert again.explain() == language.explain()


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_constraint_survives(name: str, word_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(LANGUAGES[name], word_vocabulary)
    stored = fw.Constraint.from_bytes(constraint.to_bytes(), word_vocabulary)
    assert stored.vocabulary is word_vocabulary
    for again in [stored, pickle.loads(pickle.dumps(constraint))]:
        example = constraint.example().encode()
        for size in range(len(example)):
            assert mask_of(again, example[:size]) == mask_of(constraint, example[:size])


def test_pickled_constraints_share_their_vocabulary(word_vocabulary: fw.Vocabulary) -> None:
    one, two = pickle.loads(pickle.dumps([fw.compile(language, word_vocabulary) for language in [{}, True]]))
    assert one.vocabulary is two.vocabulary


def test_a_constraint_is_refused_for_another_vocabulary(
    word_vocabulary: fw.Vocabulary, byte_vocabulary: fw.Vocabulary
) -> None:
    data = fw.compile({}, word_vocabulary).to_bytes()
    with pytest.raises(fw.errors.VocabularyError, match=word_vocabulary.fingerprint[:16]) as caught:
        fw.Constraint.from_bytes(data, byte_vocabulary)
    assert caught.value.hint is not None


def test_bytes_of_something_else_are_refused(word_vocabulary: fw.Vocabulary) -> None:
    language = fw.regex("a")
    constraint = fw.compile(language, word_vocabulary)
    with pytest.raises(fw.errors.LanguageError, match='"FWco", not with "FWla"'):
        fw.Form.from_bytes(constraint.to_bytes())
    with pytest.raises(fw.errors.LanguageError, match="constraint bytes"):
        fw.Constraint.from_bytes(language.to_bytes(), word_vocabulary)
    with pytest.raises(fw.errors.VocabularyError, match='"FWla", not with "FWvo"'):
        fw.Vocabulary.from_bytes(language.to_bytes())
    with pytest.raises(fw.errors.LanguageError, match="cut short"):
        fw.Form.from_bytes(language.to_bytes()[:-1])
    with pytest.raises(TypeError):
        fw.Form.from_bytes("text")  # type: ignore[arg-type]


def test_long_chains_are_stored_or_refused() -> None:
    chain = fw.literal("a")
    for _ in range(300):
        chain = chain + fw.literal("a")
    assert fw.Form.from_bytes(chain.to_bytes()).matches(b"a" * 301)
