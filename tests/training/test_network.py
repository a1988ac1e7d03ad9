"""The network that the embedded model is trained as: where it starts, and that a run goes on where it was."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

FOLDER = Path(__file__).parents[2] / "training"
if not FOLDER.is_dir():
    pytest.skip("the training folder is not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import model as network  # type: ignore[import-not-found]  # noqa: E402
import muon  # type: ignore[import-not-found]  # noqa: E402
import train  # type: ignore[import-not-found]  # noqa: E402
from texts import words  # type: ignore[import-not-found]  # noqa: E402
from texts.examples import joined  # type: ignore[import-not-found]  # noqa: E402
from texts.loops import LOOPS  # type: ignore[import-not-found]  # noqa: E402
from texts.world import World  # type: ignore[import-not-found]  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

import formwright as fw  # noqa: E402
from formwright.conversations.local import conversation_ids  # noqa: E402

TOKENIZER = Path(fw.__file__).parent / "models" / "formwright_tiny" / "tokenizer.json"


def attention(model: Any, number: int, head: int, ids: list[int]) -> Any:
    """What a head of a layer attends to: a matrix of shares, a row for each position."""
    hidden, length, size = model.embed_tokens(torch.tensor([ids])), len(ids), model.config.width // model.config.heads
    tables = model.cosine[:length], model.sine[:length]
    for layer in model.layers[:number]:
        hidden = layer(hidden, *tables)
    layer = model.layers[number]
    normed = layer.input_layernorm(hidden)
    query, key = (
        network.rotate(matrix(normed).view(1, length, -1, size).transpose(1, 2), *tables)[0, head]
        for matrix in (layer.self_attn.q_proj, layer.self_attn.k_proj)
    )
    future = torch.triu(torch.full((length, length), -torch.inf), 1)
    return torch.softmax(query @ key.T / size**0.5 + future, -1).detach()


def test_an_untrained_network_finds_what_stands_under_a_key() -> None:
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    torch.manual_seed(1)
    model = network.Decoder(network.Config(vocabulary=tokenizer.get_vocab_size()))
    network.seed_copying(model, train.words_of(tokenizer))
    world, found = World(3), []
    for _ in range(12):
        drawn = world.random.sample(words.COMMON, 10)
        pairs = dict(zip(drawn[:5], drawn[5:], strict=True))
        ids = [train.USER, *tokenizer.encode("\n".join(f"{key}: {value}" for key, value in pairs.items())).ids]
        prompt, asked = len(ids), []
        for key in world.random.sample(drawn[:5], 5):
            ids += tokenizer.encode(f', "{key}": "').ids
            asked.append((len(ids) - 1, tokenizer.encode(pairs[key]).ids[0]))
            ids += tokenizer.encode(f'{pairs[key]}"').ids
        shares = attention(model, 1, network.SEEDED_HEADS, ids)
        found += [sum(float(shares[at, seen]) for seen in range(prompt) if ids[seen] == token) for at, token in asked]
    assert sum(found) / len(found) > 0.3  # one of some thirty tokens


def test_the_tokenizer_holds_every_byte_and_the_words_of_the_texts() -> None:
    counts = train.word_counts(seed=1, count=40)
    assert counts == train.word_counts(seed=1, count=40)
    tokenizer = train.train_tokenizer(seed=1, count=40, size=600)
    assert tokenizer.get_vocab_size() == 600
    assert [tokenizer.id_to_token(id) for id in range(6)] == train.SPECIAL_TOKENS
    text = "naïve \x00 🦆 数据"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert len(tokenizer.encode(max(counts, key=lambda word: (counts[word] if word.isalpha() else 0, word))).ids) == 1


def test_every_writer_has_texts_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = train.Texts(Tokenizer.from_file(str(TOKENIZER)), seed=1, batch=256, done=0.5)
    written = []
    for number in (0, 0, 1):
        monkeypatch.setattr(train, "get_worker_info", partial(SimpleNamespace, id=number))
        written.append(next(iter(texts))[0].tolist())
    assert written[0] == written[1] != written[2]


def test_rows_longer_than_a_batch_are_batches_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "LENGTHS", [64, 2048])
    texts = train.Texts(Tokenizer.from_file(str(TOKENIZER)), seed=1, batch=128, done=0.5)
    shapes = {tuple(ids.shape) for ids, _ in islice(texts, 200)}
    assert shapes == {(2, 64), (1, 2048)}


def test_muon_steps_as_that_of_torch_does() -> None:
    torch.manual_seed(1)
    shapes = [(8, 8), (12, 8), (12, 8), (8, 24)]
    ours, theirs = ([torch.nn.Parameter(torch.ones(shape)) for shape in shapes] for _ in range(2))
    other = torch.optim.Muon(theirs, lr=0.1, weight_decay=0.02, momentum=0.95, adjust_lr_fn="match_rms_adamw")
    own = muon.Muon(ours, 0.1)
    for turn in range(4):
        for mine, yours in zip(ours, theirs, strict=True):
            mine.grad = torch.randn(mine.shape)
            yours.grad = mine.grad.clone()
        own.step()
        other.step()
        for mine, yours in zip(ours, theirs, strict=True):
            moved, wanted = mine.detach() - 1, yours.detach() - 1
            assert (moved - wanted).norm() < 0.05 * wanted.norm()  # theirs has 16 bits
        if turn == 1:
            own.load_state_dict(deepcopy(other.state_dict()))


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    shutil.copy(TOKENIZER, tmp_path)

    def run(tokens: int, *options: str) -> str:
        command = [sys.executable, "train.py", "--out", str(tmp_path), "--tokens", str(tokens), "--no-compile"]
        command += ["--workers", "1", "--check-count", "1", *options]
        return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True, timeout=120).stdout

    assert "at step 0" in run(2 * train.BATCH_TOKENS["cpu"])
    assert "at step 2" in run(10 * train.BATCH_TOKENS["cpu"], "--minutes", "0")
    assert "at step 2" in (told := run(3 * train.BATCH_TOKENS["cpu"], "--writers", "1"))
    assert "step 3 loss" in told
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=False)["step"] == 3


def test_a_run_goes_on_from_the_weights_of_a_model_folder(tmp_path: Path) -> None:
    folder = TOKENIZER.parent
    if not (folder / "model.safetensors").exists():
        pytest.skip("the float weights are not here")
    command = [sys.executable, "train.py", "--out", str(tmp_path), "--from", str(folder), "--batch", "64"]
    command += ["--workers", "1", "--check-count", "1", "--no-compile"]
    for tokens, minutes in ((128, "0"), (128, "9")):
        options = ["--tokens", str(tokens), "--minutes", minutes]
        subprocess.run([*command, *options], cwd=FOLDER, capture_output=True, check=True, timeout=120)
        state = torch.load(tmp_path / "checkpoint.pt", weights_only=False)
        start = network.Decoder(network.Config(**state["config"]))
        train.load_weights(start, folder)
        moved = [bool((state["model"][name] != value).any()) for name, value in start.state_dict().items()]
        assert any(moved) == (minutes == "9")
    assert state["step"] == 2


def test_the_rate_of_finished_weights_is_low_and_ends_at_zero() -> None:
    rates = [train.further_rate_factor(step / 1000, step) for step in range(1000)]
    assert max(rates) == pytest.approx(0.2, abs=0.01)
    assert rates[0] < 0.01
    assert rates[-1] < 0.001


def test_weights_move_towards_those_of_a_folder(tmp_path: Path) -> None:
    export = pytest.importorskip("export", reason="onnx is not installed")
    small = network.Config(vocabulary=8, width=8, layers=1, heads=2, feed_forward=8, positions=8)
    ours, theirs = network.Decoder(small), network.Decoder(small)
    wanted = {
        name: 0.75 * value + 0.25 * theirs.state_dict()[name] for name, value in deepcopy(ours.state_dict()).items()
    }
    state = {f"model.{name}": value.contiguous() for name, value in theirs.state_dict().items()}
    importlib.import_module("safetensors.torch").save_file(state, str(tmp_path / "model.safetensors"))
    export.mix(ours, tmp_path, 0.25)
    assert all(torch.allclose(value, wanted[name]) for name, value in ours.state_dict().items())


def test_errors_of_rounding_make_up_for_one_another() -> None:
    rounding = pytest.importorskip("rounding", reason="onnx is not installed")
    generator = torch.Generator().manual_seed(1)
    weight = torch.randn(12, 32, generator=generator, dtype=torch.float64)
    inputs = torch.randn(400, 6, generator=generator, dtype=torch.float64) @ torch.randn(
        6, 32, generator=generator, dtype=torch.float64
    )
    whole, scale = rounding.rounded(weight, 15, inputs.T @ inputs)
    assert whole.abs().max() <= 15
    assert torch.equal(whole, whole.round())
    plain_scale = weight.abs().amax(1, keepdim=True) / 15
    plain = torch.round(weight / plain_scale) * plain_scale
    assert (inputs @ (whole * scale - weight).T).norm() < 0.4 * (inputs @ (plain - weight).T).norm()


def test_the_graph_of_the_bundled_model_has_five_bits_a_weight() -> None:
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(str(Path(fw.__file__).parent / "models" / "formwright_tiny" / "model.int8.onnx")).graph
    matrices = {
        constant.name: onnx.numpy_helper.to_array(constant) for constant in graph.initializer if len(constant.dims) == 2
    }
    assert {abs(matrix.astype(int)).max() for name, matrix in matrices.items() if name != "head"} == {15}
    assert abs(matrices["head"].astype(int)).max() == 31


def messages_of(example: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A loop of tools as an API has it: the messages before the last answer, and the tools."""
    before, _, listed = example.system.partition("Tools:\n")
    messages = [{"role": "system", "content": before.removesuffix("\n")}] if before else []
    for turn in example.turns:
        said, answer = joined(turn.prompt), joined(turn.answer)
        is_result = said.startswith("Result: ")
        messages += [{"role": "tool" if is_result else "user", "content": said.removeprefix("Result: ")}]
        calls = [json.loads(call) for call in re.findall(r"<tool_call>\n(.*)\n</tool_call>", answer)]
        if answer:
            messages += [
                {
                    "role": "assistant",
                    "content": "" if calls else answer,
                    "calls": [{**call, "id": ""} for call in calls],
                }
            ]
    tools = [{"type": "function", "function": json.loads(line)} for line in listed.splitlines()]
    return messages[:-1], tools


@pytest.mark.parametrize("task", LOOPS)
def test_loops_are_written_as_the_model_is_given_them(task: str) -> None:
    world, model, compared = World(19), fw.load("formwright-tiny"), 0
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    for _ in range(40):
        example = LOOPS[task](world)
        text = "".join(joined(turn.answer) for turn in example.turns[:-1])
        if re.search(r"\d\.\d*0\b", text) or (example.system and "Tools:\n" not in example.system):
            continue  # a call that says 4.50 is read as 4.5
        messages, tools = messages_of(example)
        assert train.encode_prompt(tokenizer, example) == conversation_ids(model, messages, tools)
        compared += 1
    assert compared > 20
