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
