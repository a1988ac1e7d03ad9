"""The filters' own base classes of ExLlamaV2 and V3, without CUDA: packages are entered beside their compiled parts.

A driver does what their generators do: masks in a worker, feed, rewind, trigger.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import page
import torch
from battery import BUDGET, FORMS, PROMPTS, record
from tokenizers import Tokenizer

import formwright as fw

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import PROGRAMS, Row, find_fault
from host_texts import HostText, RowTexts, allows, pack_scores

TINY = fw.load("formwright-tiny")
FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
PLAIN = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
POOL = ThreadPoolExecutor(2)


def entered(name: str, **stubs: Any) -> None:
    """Let the modules of an installed package be imported without running its own beginning."""
    places = {name: Path(next(iter(importlib.util.find_spec(name).submodule_search_locations)))}  # type: ignore[union-attr, arg-type]
    places[f"{name}.generator"] = places[name] / "generator"
    for package, place in places.items():
        module = ModuleType(package)
        module.__path__ = [str(place)]
        sys.modules[package] = module
    for stub, content in stubs.items():
        module = ModuleType(f"{name}.{stub}")
        module.__dict__.update(content)
        sys.modules[f"{name}.{stub}"] = module


def best(logits: Any, mask: Any) -> int:
    scores = logits.copy()
    fw.apply_bitmask(scores, mask)
    return int(scores.argmax())


def texts(write: Any) -> dict[str, int]:
    counts = {"texts": 0, "invalid": 0, "like_ours": 0}
    for form in FORMS.values():
        for prompt in PROMPTS:
            text = write(form, prompt)
            counts["texts"] += 1
            counts["invalid"] += not fw.form(form).check(text).is_complete
            ours = TINY.generate(TINY.encode(prompt), form, max_tokens=BUDGET, trace=True)  # a call for each token, too
            counts["like_ours"] += text == ours.text
    print(counts)
    assert counts == {"texts": 400, "invalid": 0, "like_ours": 400}
    return counts


def joined(ids: list[int]) -> str:
    return b"".join(map(TINY.vocabulary.token, ids)).decode()


class FilteredTexts(RowTexts):
    """Filters of jobs, for the kit of `conformance`: a filter is fed, and says what may come next."""

    def make(self, constraint: fw.Constraint[Any], limit: int | None) -> Any:
        """A filter as its own beginning leaves it, of a form for the vocabulary of the kit."""
        tokenizer = SimpleNamespace(
            tokenizer=None,
            tokenizer_model=None,
            eos_token_id=None,
            config=SimpleNamespace(vocab_size=0, eos_token_id_list=[]),
        )
        model = SimpleNamespace(config=SimpleNamespace(vocab_size=0))
        module = importlib.import_module(f"formwright.engines.{self.name}")
        module.Vocabularies = lambda *_: SimpleNamespace(with_ends=lambda _: constraint.vocabulary)
        arguments = (tokenizer,) if self.name == "exllamav3" else (model, tokenizer)
        return module.FormFilter(*arguments, constraint.form, max_tokens=limit)

    name = ""

    def row(self, maker: Any) -> Row:
        """What a filter says."""
        raise NotImplementedError

    def accept(self, key: int, token_ids: Sequence[int]) -> bool:
        text, drawn = self.texts[key], list[int]()
        for token_id in text.reach(token_ids):
            if not allows(self.row(text.maker), token_id):
                self.go_back(text, len(drawn))
                return False
            text.maker.feed(token_id)
            drawn.append(token_id)
        text.ids += drawn
        return True

    def go_back(self, text: HostText, count: int) -> None:
        raise NotImplementedError


class RewoundTexts(FilteredTexts):
    """Filters of ExLlamaV3, which rewinds them by its journal."""

    lacks = frozenset({"validate", "copy"})
    name = "exllamav3"

    def row(self, maker: Any) -> Row:
        return np.array(POOL.submit(maker.get_next_logit_mask).result().numpy()[0])

    def go_back(self, text: HostText, count: int) -> None:
        text.maker.rewind(count)

    def take_back(self, key: int, count: int) -> None:
        self.texts[key].maker.rewind(count)
        super().take_back(key, count)

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        found = {key: [self.row(self.texts[key].maker)] for key in keys}
        for key, ids in drafts.items():
            maker, fed = self.texts[key].maker, [token_id for token_id in ids if token_id != -1]
            for token_id in fed:
                maker.feed(token_id)
                found[key].append(self.row(maker))
            maker.rewind(len(fed))
        return found


class ClonedTexts(FilteredTexts):
    """Filters of ExLlamaV2, which has copies of them, by masks and by lists in turns. It takes nothing back."""

    lacks = frozenset({"validate", "take back", "refuse"})
    name = "exllamav2"

    def row(self, maker: Any) -> Row:
        maker.background_prepare_logit_mask(POOL)
        assert maker.get_next(mask=True) is True
        row = pack_scores(maker.mask_logits(torch.zeros(maker._mask.shape[1] * 32)))
        allowed, ends = maker.next()
        assert fw.allowed_tokens(row).tolist() == allowed
        assert set(ends) <= set(allowed)
        return row

    def masks(self, keys: Sequence[int], drafts: Mapping[int, Sequence[int]]) -> dict[int, list[Row]]:
        found = {key: [self.row(self.texts[key].maker)] for key in keys}
        for key, ids in drafts.items():
            guess = self.texts[key].maker.clone()
            for token_id in [token_id for token_id in ids if token_id != -1]:
                guess.feed(torch.tensor([[token_id]]))
                found[key].append(self.row(guess))
        return found

    def copy(self, key: int) -> int:
        other = super().copy(key)
        self.texts[other].maker = self.texts[key].maker.clone()
        return other


def third() -> None:
    entered("exllamav3", tokenizer={"Tokenizer": object})
    from formwright.engines.exllamav3 import FormFilter

    config = SimpleNamespace(vocab_size=TINY.vocabulary.logits_size, eos_token_id_list=[1])
    tokenizer = SimpleNamespace(tokenizer=PLAIN, config=config)

    def write(form: Any, prompt: str) -> str:
        """As a job does: the mask in a worker, the token fed; every fifth token is taken back and written again."""
        kept, runtime, ids = FormFilter(tokenizer, form, max_tokens=BUDGET), TINY.runtime.fork(), list[int]()
        logits = [runtime.prefill(TINY.encode(prompt))]
        while len(ids) < BUDGET:
            mask = POOL.submit(kept.get_next_logit_mask).result()
            assert mask.dtype == torch.int32
            token = best(logits[-1], mask.numpy()[0])
            over = kept.feed(token)
            if len(ids) % 5 == 4 and not over:
                kept.rewind(1)
                again = POOL.submit(kept.get_next_logit_mask).result()
                assert best(logits[-1], again.numpy()[0]) == token
                kept.feed(token)
            if over:
                return joined(ids)
            ids.append(token)
            logits.append(runtime.step(token))
        return joined(ids)

    counts = texts(write)
    lazy = FormFilter(tokenizer, fw.regex("[0-9]{2}"), trigger_token=7)
    assert not lazy.is_active
    assert not lazy.feed(9)
    assert not lazy.feed(7)
    assert lazy.is_active
    expected = fw.compile(fw.regex("[0-9]{2}"), TINY.vocabulary).matcher().allowed_token_ids()
    assert fw.allowed_tokens(lazy.get_next_logit_mask().numpy()[0]).tolist() == expected
    digit = TINY.vocabulary.merges.encode("4")[0]
    lazy.feed(digit)
    lazy.rewind(2)  # past the trigger
    assert not lazy.is_active
    lazy.feed(7)
    try:
        lazy.feed(TINY.vocabulary.merges.encode("x")[0])
    except fw.errors.HostMismatch:
        pass
    else:
        raise AssertionError("a forbidden token went unnoticed")
    features = {"batch": "a filter for each job", "beams": "no", "speculation": "rewinds"}
    features |= {"reasoning": "trigger token", "tools": "fw.tools", "forced tokens": "no"}
    assert (fault := find_fault(RewoundTexts, PROGRAMS)) is None, fault
    record("exllamav3", "real classes", features, **counts, programs=PROGRAMS)


def second() -> None:
    entered(
        "exllamav2",
        util={"timed": lambda function: function},
        ext={"exllamav2_ext": None, "none_tensor": None},
    )
    sys.modules["exllamav2"].ExLlamaV2 = sys.modules["exllamav2"].ExLlamaV2Tokenizer = object  # type: ignore[attr-defined]
    filters = ModuleType("exllamav2.generator.filters")
    filters.__path__ = [str(Path(sys.modules["exllamav2.generator"].__path__[0]) / "filters")]
    sys.modules["exllamav2.generator.filters"] = filters
    base = importlib.import_module("exllamav2.generator.filters.base")
    filters.ExLlamaV2Filter = base.ExLlamaV2Filter  # type: ignore[attr-defined]
    from formwright.engines.exllamav2 import FormFilter

    model = SimpleNamespace(config=SimpleNamespace(vocab_size=TINY.vocabulary.logits_size))
    tokenizer = SimpleNamespace(tokenizer_model=SimpleNamespace(hf_tokenizer=PLAIN), eos_token_id=1)

    def write(form: Any, prompt: str) -> str:
        """As a job does: by masks and by lists of ids in turns, in a worker."""
        kept, runtime, ids = FormFilter(model, tokenizer, form, max_tokens=BUDGET), TINY.runtime.fork(), list[int]()
        kept.background_drop()
        kept.begin("")
        logits = runtime.prefill(TINY.encode(prompt))
        while len(ids) < BUDGET:
            if len(ids) % 2:
                kept.background_prepare_logit_mask(POOL)
                assert kept.get_next(mask=True) is True
                token = int(kept.mask_logits(torch.from_numpy(logits.copy())).argmax())
                is_end = token == 1
            else:
                kept.background_next(POOL)
                allowed, ends = kept.get_next()
                token = allowed[int(np.argmax(logits[allowed]))]
                is_end = token in ends
            kept.feed(torch.tensor([[token]]))
            twin = kept.clone()
            assert twin.next() == kept.next()
            if is_end:
                return joined(ids)
            ids.append(token)
            logits = runtime.step(token)
        return joined(ids)

    counts = texts(write)
    features = {"batch": "a filter for each job", "beams": "no", "speculation": "clones"}
    features |= {"reasoning": "fw.thinking", "tools": "fw.tools", "forced tokens": "no"}
    assert (fault := find_fault(ClonedTexts, PROGRAMS)) is None, fault
    record("exllamav2", "real classes", features, **counts, programs=PROGRAMS)


if __name__ == "__main__":
    third()
    second()
    page.imported("exllama", only="formwright")
