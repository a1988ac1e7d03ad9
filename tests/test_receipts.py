"""Receipts: what was written is replayed, and every change is named."""

from __future__ import annotations

import json
import os
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import formwright as fw
from formwright.cli.app import app
from formwright.receipts import Receipt, read_private_key, read_public_key

COUNT = int(os.environ.get("FORMWRIGHT_SEEDS", "1000"))

RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 30}, "age": {"type": "integer"}, "city": {"type": "string"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
PROMPTS = ["Ada is 39 years old.", "Bo, 7, lives in Oslo.", "Clara Novak, 34, lives in Prague."]
FORMS: list[Any] = [
    RECORD,
    int,
    fw.regex("[A-Z][a-z]{2,8}"),
    fw.choice("yes", "no"),
    fw.grammar('start: ("a" | "b")+ "."'),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"canonical": True},
    {"temperature": 1.0},
    {"max_tokens": 60},
    {"finish": False, "max_tokens": 6},
    {"trace": True},
]


@pytest.fixture(scope="module")
def model() -> Any:
    return fw.load("formwright-tiny")


def write_receipt(model: Any, seed: int) -> Receipt:
    """The receipt of a random generation."""
    random_ = random.Random(seed)
    options = random_.choice(OPTIONS)
    if "temperature" in options:
        options = {**options, "seed": seed}
    receipt: Receipt = model.generate(random_.choice(PROMPTS), random_.choice(FORMS), **options).receipt
    return receipt


def test_generations_are_verified(model: Any) -> None:
    for seed in range(12):
        receipt = write_receipt(model, seed)
        assert receipt.verify(model.vocabulary) == ()
        assert Receipt.from_json(receipt.to_json()) == receipt


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_many_generations_are_verified(model: Any) -> None:
    assert all(write_receipt(model, seed).verify(model.vocabulary) == () for seed in range(COUNT))


@pytest.mark.parametrize(
    "options", [{"beams": 3, "returns": 2}, {"fidelity": "adaptive"}, {"fidelity": "smc"}, {"fields": True}]
)
def test_every_strategy_has_receipts(model: Any, options: dict[str, Any]) -> None:
    result = model.generate(PROMPTS[0], RECORD, **options)
    assert result.receipt.verify(model.vocabulary) == ()
    assert all(other.receipt.verify(model.vocabulary) == () for other in result.alternatives)


def test_streams_batches_and_healed_prompts_have_receipts(model: Any) -> None:
    with model.stream(PROMPTS[0], RECORD) as stream:
        for _ in stream:
            pass
    results = [stream.result, *model.generate_many(PROMPTS, RECORD)]
    results.append(model.generate(model.text_ids("Answer: y"), fw.choice("yes", "no"), heal=True))
    assert [result.receipt.verify(model.vocabulary) for result in results] == [()] * len(results)


def test_a_text_that_was_cut_is_said_to_be(model: Any) -> None:
    receipt = model.generate(PROMPTS[0], RECORD, finish=False, max_tokens=4).receipt
    assert (receipt.end, receipt.max_tokens) == ("max_tokens", None)
    problems = replace(receipt, end="complete").verify(model.vocabulary)
    assert [(problem.entry, problem.step) for problem in problems] == [("end", None), ("end", 4)]


# --- changes --------------------------------------------------------------------------------------


def change_receipt(receipt: Receipt, random_: random.Random) -> tuple[Receipt, str, int | None]:
    """A receipt with one change, the entry that was changed, and the step."""
    data = json.loads(receipt.to_json())
    entry = random_.choice(
        ["token_ids", "token_ids", "token_ids", "form", "vocabulary", "max_tokens", "prompt", "text", "formwright"]
    )
    step = None
    if entry == "token_ids" and data[entry]:
        step = random_.randrange(len(data[entry]))
        kind = random_.choice(["other", "removed", "added"])
        if kind == "other":
            data[entry][step] = (data[entry][step] + random_.randint(1, 1000)) % 4096
        elif kind == "removed":
            while step + 1 < len(data[entry]) and data[entry][step] == data[entry][step + 1]:
                step += 1  # of equal tokens in a row, it shows at the last
            del data[entry][step]
        else:
            added = random_.randrange(4096)
            while step < len(data[entry]) and data[entry][step] == added:
                step += 1
            data[entry].insert(step, added)
    elif entry == "max_tokens":
        data[entry] = random_.choice([value for value in (None, 3, 100, 511) if value != data[entry]])
    elif entry == "form":
        place = random_.randrange(len(data[entry]) - 4)
        data[entry] = data[entry][:place] + ("A" if data[entry][place] != "A" else "B") + data[entry][place + 1 :]
    else:
        entry = entry if entry != "token_ids" else "text"
        place = random_.randrange(len(data[entry]))
        data[entry] = data[entry][:place] + ("0" if data[entry][place] != "0" else "1") + data[entry][place + 1 :]
    return Receipt.from_json(json.dumps(data)), entry, step


def check_changes(model: Any, seeds: range) -> None:
    receipts = [write_receipt(model, seed) for seed in range(20)]
    for seed in seeds:
        random_ = random.Random(seed)
        changed, entry, step = change_receipt(random_.choice(receipts), random_)
        problems = changed.verify(model.vocabulary)
        assert any((problem.entry, problem.step) == (entry, step) for problem in problems), (
            seed,
            entry,
            step,
            problems,
        )


def test_every_change_is_found(model: Any) -> None:
    check_changes(model, range(300))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_changes_are_found(model: Any) -> None:
    check_changes(model, range(1_000, 11_000))


def test_a_token_that_the_form_forbids_is_found_where_seals_are_made_anew(model: Any) -> None:
    from formwright.receipts.receipt import _link, _seal

    receipt = model.generate(PROMPTS[0], RECORD).receipt
    ids = (receipt.token_ids[0], receipt.token_ids[0], *receipt.token_ids[1:])
    forged = replace(receipt, token_ids=ids, chain="".join(_link(ids)))
    forged = replace(forged, seals=_seal(forged._entries()))
    assert [(problem.entry, problem.step) for problem in forged.verify(model.vocabulary)] == [("token_ids", 1)]


def test_another_form_or_tokenizer_is_named(model: Any) -> None:
    receipt = model.generate(PROMPTS[0], RECORD).receipt
    assert receipt.verify(model.vocabulary, form=fw.form(RECORD)) == ()
    assert receipt.verify(model.vocabulary, form=fw.json_schema(json.dumps(RECORD, indent=2))) == ()
    (problem,) = receipt.verify(model.vocabulary, form=fw.form(RECORD, order="model"))
    assert problem.entry == "form"
    letters = fw.Vocabulary([bytes([byte]) for byte in range(256)] + [b""], eos_token_ids=[256])
    (problem,) = receipt.verify(letters)
    assert problem.entry == "vocabulary"


# --- signatures -----------------------------------------------------------------------------------


def test_signatures_are_checked(model: Any, tmp_path: Path) -> None:
    keys = [Ed25519PrivateKey.generate() for _ in range(2)]
    private, public = tmp_path / "key.pem", tmp_path / "public.pem"
    private.write_bytes(keys[0].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(keys[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    receipt = model.generate(PROMPTS[0], RECORD).receipt
    signed = Receipt.from_json(receipt.sign(read_private_key(private)).to_json())
    assert signed.verify(model.vocabulary, public_key=read_public_key(public)) == ()
    assert signed.verify(model.vocabulary) == ()
    for wrong in (
        signed.verify(model.vocabulary, public_key=keys[1].public_key()),
        receipt.verify(model.vocabulary, public_key=keys[0].public_key()),
    ):
        assert [problem.entry for problem in wrong] == ["signature"]
    assert "signature" in {problem.entry for problem in replace(signed, prompt="0" * 64).verify(model.vocabulary)}
    for path, read in ((public, read_private_key), (private, read_public_key), (tmp_path / "none", read_public_key)):
        with pytest.raises(fw.errors.ArgumentError, match="holds no"):
            read(path)


# --- what is not a receipt -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"receipt": 1}', '{"receipt": 9}', '{"receipt": 1, "x": 2}'])
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(fw.errors.ArgumentError, match="receipt"):
        Receipt.from_json(text)


@pytest.mark.parametrize("name", ["formwright", "prompt_end", "chain", "seals"])
def test_a_receipt_is_whole(model: Any, name: str) -> None:
    data = json.loads(model.generate(PROMPTS[0], int).receipt.to_json())
    del data[name]
    with pytest.raises(fw.errors.ArgumentError, match=name):
        Receipt.from_json(json.dumps(data))


def test_what_may_be_assumed_is_known(model: Any) -> None:
    data = json.loads(model.generate(PROMPTS[0], int).receipt.to_json())
    for assumed in (["text"], [5], "token_ids"):
        with pytest.raises(fw.errors.ArgumentError, match="may be assumed is token_ids"):
            Receipt.from_json(json.dumps(data | {"assumed": assumed}))
    (problem,) = Receipt.from_json(json.dumps(data | {"assumed": ["prompt"]})).verify(model.vocabulary)
    assert problem.entry == "assumed"


def test_what_a_receipt_says_of_its_end_and_text_is_checked(model: Any) -> None:
    from formwright.receipts.receipt import _seal

    cut = model.generate(PROMPTS[0], RECORD, finish=False, max_tokens=4).receipt
    for changes, entry in (({"text": "0" * 64}, "text"), ({"max_tokens": 512}, "end")):
        changed = replace(cut, **changes)
        changed = replace(changed, seals=_seal(changed._entries()))
        assert [problem.entry for problem in changed.verify(model.vocabulary)] == [entry]
    changed = replace(cut, seals=cut.seals | {"chain": "0" * 16})
    assert [problem.entry for problem in changed.verify(model.vocabulary)] == ["chain"]


def test_other_texts_have_no_receipt(model: Any) -> None:
    result = model.generate(PROMPTS[0], RECORD)
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(fw.errors.OptionUnsupported, match="receipt"):
        _ = pickle.loads(pickle.dumps(result)).receipt


def test_replaying_is_quicker_than_writing(model: Any) -> None:
    began = time.perf_counter()
    receipt = model.generate(PROMPTS[2], RECORD, temperature=1.0, seed=1).receipt
    written = time.perf_counter() - began
    receipt.verify(model.vocabulary)  # which compiles the form

    def time_of_one() -> float:
        began = time.perf_counter()
        receipt.verify(model.vocabulary)
        return time.perf_counter() - began

    assert min(time_of_one() for _ in range(5)) < written / 20


def test_the_command_says_what_holds(model: Any, tmp_path: Path) -> None:
    receipt = model.generate(PROMPTS[0], RECORD).receipt
    good, bad, form = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "form.json"
    good.write_text(receipt.to_json())
    bad.write_text(replace(receipt, token_ids=receipt.token_ids[:-1]).to_json())
    form.write_text(json.dumps(RECORD))

    def run(*arguments: Any) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["verify", *map(str, arguments)])
        return done.exit_code, done.stdout

    assert run(good, "--form", form) == (0, f"holds: {len(receipt.token_ids)} tokens, complete\n")
    code, said = run(bad)
    assert code == 1
    assert f"token_ids[{len(receipt.token_ids) - 1}]" in said
    assert run(form)[0] == 2
