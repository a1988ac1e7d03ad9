"""Masks applied by the kernel, in Triton's interpreter, and by operations of torch: bit for bit what numpy says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_oracle import masked

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("triton", reason="triton is not installed")

import formwright as fw  # noqa: E402
from formwright.device import Upload, apply, torch_masks, triton_kernels  # noqa: E402

INTERPRETED = pytest.mark.skipif(
    not triton_kernels.ARE_INTERPRETED, reason="triton was imported before TRITON_INTERPRET=1 was set"
)
CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


def by_kernel(select: bool) -> Callable[..., None]:
    return lambda *tensors: torch_masks.apply_by_kernel(triton_kernels, *tensors, select=select)


WAYS = {
    "selected": pytest.param(by_kernel(True), "cpu", marks=INTERPRETED),
    "stored": pytest.param(by_kernel(False), "cpu", marks=INTERPRETED),
    "public": pytest.param(apply, "cpu"),
    "torch": pytest.param(torch_masks._apply_by_torch, "cpu"),
    "on a device": pytest.param(apply, "cuda", marks=CUDA),
}
way_of_applying = pytest.mark.parametrize(("way", "device"), list(WAYS.values()), ids=list(WAYS))
KINDS = [torch.float32, torch.bfloat16, torch.float16]


def random_masks(rows: int, words: int, density: float, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    bits = (draw.random((rows, words * 32)) < density).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").view(np.int32)


def bits_of(tensor: Any) -> np.ndarray:
    return tensor.contiguous().view(torch.int32 if tensor.dtype == torch.float32 else torch.int16).cpu().numpy()


@way_of_applying
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [33, 4100])
@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rows", [None, [2, -1, 0, 0, 3, -7], [-1] * 3])
def test_forbidden_logits_become_minus_infinity_and_nothing_else_changes(
    way: Any, device: str, kind: Any, width: int, density: float, rows: list[int] | None
) -> None:
    count = 3 if rows is None else len(rows)
    for lacking in (0, 1):  # words that the masks have less: the logits are padded
        words = max(0, -(-width // 32) - lacking)
        masks = random_masks(3, words, density, seed=width + lacking)
        room = torch.randn((count, width + 40), generator=torch.Generator().manual_seed(lacking)).to(kind).to(device)
        before = room.clone()
        chosen = None if rows is None else torch.tensor(rows, dtype=torch.int32 if lacking else torch.int64).to(device)
        way(room[:, :width], torch.from_numpy(masks).to(device), chosen)
        wanted = torch.from_numpy(masked(before[:, :width].float().cpu().numpy(), masks, rows)).to(kind)
        assert (bits_of(room[:, :width]) == bits_of(wanted)).all()
        assert (bits_of(room[:, width:]) == bits_of(before[:, width:])).all(), "written beyond the row"


@way_of_applying
@pytest.mark.parametrize("kind", KINDS)
def test_any_strides_of_logits_masks_and_rows(way: Any, device: str, kind: Any) -> None:
    masks = random_masks(3, 160, 0.3, seed=5)
    spread = torch.zeros((6, 320), dtype=torch.int32)[::2, ::2]
    spread.copy_(torch.from_numpy(masks))
    rows = torch.tensor([2, 9, 0, 9, -1, 9])[::2]
    layouts = {
        "every second column": torch.randn(3, 2 * 5120)[:, ::2],
        "transposed": torch.randn(5120, 3).T,
        "every second row": torch.randn(6, 5120)[::2],
        "one row again and again": torch.randn(2, 3, 5120)[1],
    }
    for name, layout in layouts.items():
        logits = torch.empty_strided(layout.shape, layout.stride(), dtype=kind, device=device)
        logits.copy_(layout)
        wanted = torch.from_numpy(masked(logits.float().cpu().numpy(), masks, [2, 0, -1])).to(kind)
        way(logits, spread.to(device), rows.to(device))
        assert (bits_of(logits) == bits_of(wanted)).all(), name


def test_tensors_that_do_not_fit_are_refused() -> None:
    logits, masks = torch.zeros(2, 64), torch.zeros(2, 2, dtype=torch.int32)
    with pytest.raises(TypeError, match="torch tensor, got ndarray"):
        apply(np.zeros((2, 64), np.float32), masks)
    with pytest.raises(TypeError, match="float64"):
        apply(logits.double(), masks)
    with pytest.raises(TypeError, match="int32 words"):
        apply(logits, masks.long())
    with pytest.raises(fw.errors.ArgumentError, match=r"logits: expected the shape \(rows, width\)"):
        apply(logits[0], masks)
    with pytest.raises(fw.errors.ArgumentError, match="masks: expected the shape"):
        apply(logits, masks[0])
    with pytest.raises(fw.errors.VocabularyError, match="at most 2 words"):
        apply(logits, torch.zeros(2, 3, dtype=torch.int32))
    with pytest.raises(fw.errors.VocabularyError, match="do not pair"):
        apply(logits, masks[:1])
    with pytest.raises(TypeError, match="rows: expected a tensor of int32"):
        apply(logits, masks, torch.zeros(2))
    with pytest.raises(fw.errors.ArgumentError, match="rows: expected the shape"):
        apply(logits, masks, torch.zeros(3, dtype=torch.int32))
    with pytest.raises(fw.errors.ArgumentError, match="masks are on meta"):
        apply(logits, masks.to("meta"))
    assert (logits == 0).all()


def test_nothing_is_done_to_no_logits() -> None:
    apply(torch.zeros(0, 64), torch.zeros(0, 2, dtype=torch.int32))
    apply(torch.zeros(2, 0), torch.zeros(2, 0, dtype=torch.int32))


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=CUDA)])
def test_an_upload_sends_what_was_filled_and_fills_another_mask_meanwhile(device: str) -> None:
    upload = Upload(3, 4, device)
    sent, tensor = [], upload.masks
    for turn in range(5):
        filled = random_masks(3, 4, 0.5, seed=turn)
        upload.mask[:] = filled
        sent.append(upload.mask)
        assert upload.send() is tensor
        upload.mask[:] = -1  # the next one, while this is read
        assert (tensor.cpu().numpy() == filled).all()
        upload.release()
    assert sent[0] is sent[2]
    assert sent[0] is not sent[1]


def test_an_upload_takes_what_matchers_fill(word_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.choice("yes", "no"), word_vocabulary)
    upload = Upload(2, word_vocabulary.mask_words, "cpu")
    fw.fill_bitmasks([constraint.matcher(), constraint.matcher()], upload.mask)
    logits = torch.zeros(2, word_vocabulary.logits_size)
    apply(logits, upload.send())
    assert torch.isfinite(logits).nonzero()[:, 1].unique().tolist() == fw.allowed_tokens(upload._arrays[0][0]).tolist()
