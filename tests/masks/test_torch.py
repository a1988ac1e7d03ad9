"""Masks on torch tensors: the way through the kernel, the way of tensor operations, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import formwright as fw  # noqa: E402
from formwright.masks.tensors import apply_by_tensor_operations  # noqa: E402

KINDS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")),
]


def masks(rows: int, words: int) -> np.ndarray:
    random = np.random.default_rng(1)
    return random.integers(-(2**31), 2**31, size=(rows, words), dtype=np.int64).astype(np.int32)


def expected(logits: Any, mask: np.ndarray, rows: list[int] | None = None) -> Any:
    bits = np.unpackbits(mask.view(np.uint8), axis=1, bitorder="little")[:, : logits.shape[1]] == 1
    allowed = np.zeros(logits.shape, dtype=bool)
    allowed[:, : bits.shape[1]] = bits
    if rows is not None:
        allowed[[row for row in range(len(allowed)) if row not in rows]] = True
    return torch.where(torch.from_numpy(allowed).to(logits.device), logits, -torch.inf)


@pytest.mark.parametrize(
    "apply", [fw.apply_bitmask, lambda logits, mask, rows: apply_by_tensor_operations(logits, mask, rows)]
)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [70, 96, 131])
@pytest.mark.parametrize("rows", [None, [2, 0], []])
def test_forbidden_logits_become_minus_infinity(
    apply: Any, device: str, kind: Any, width: int, rows: list[int] | None
) -> None:
    logits = torch.randn(3, width).to(kind).to(device)
    mask = masks(3, 3)
    wanted = expected(logits, mask, rows)
    for words in [mask, torch.from_numpy(mask), torch.from_numpy(mask).to(device)]:
        got = logits.clone()
        fw.apply_bitmask(got, words, rows=rows) if apply is fw.apply_bitmask else apply(got, words, rows)
        assert torch.equal(got, wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_one_row_and_views_are_written_through(device: str) -> None:
    cube = torch.zeros(2, 3, 96, device=device)
    mask = masks(2, 3)
    wanted = expected(cube[:, -1].clone(), mask)
    fw.apply_bitmask(cube[:, -1], mask)
    assert torch.equal(cube[:, -1], wanted)
    assert not cube[:, :-1].any()
    fw.apply_bitmask(cube[0, 0], mask[0])
    assert torch.equal(cube[0, 0], wanted[0])
    turned = torch.zeros(96, 2, device=device)
    fw.apply_bitmask(turned.T, mask)
    assert torch.equal(turned.T, wanted)


def test_nothing_waits_for_the_device() -> None:
    # A tensor on "meta" has no values: an operation that needs them on the host raises.
    logits = torch.empty(3, 100, device="meta")
    fw.apply_bitmask(logits, masks(3, 3), rows=[1])
    fw.apply_bitmask(logits, torch.empty(3, 3, dtype=torch.int32, device="meta"))


def test_autograd_sees_the_write() -> None:
    weights = torch.ones(2, 32, requires_grad=True)
    logits = weights * 1
    fw.apply_bitmask(logits, np.array([[1], [3]], dtype=np.int32))
    logits.softmax(-1)[:, 0].sum().backward()
    assert torch.isfinite(weights.grad).all()
    assert weights.grad[1].count_nonzero() == 2


def test_what_does_not_fit() -> None:
    logits, mask = torch.zeros(2, 32), np.zeros((2, 1), dtype=np.int32)
    for apply in (
        lambda a, b, rows=None: fw.apply_bitmask(a, b, rows=rows),
        lambda a, b, rows=None: apply_by_tensor_operations(a, b, rows),
    ):
        with pytest.raises(fw.errors.VocabularyError, match="32 wide"):
            apply(logits, np.zeros((2, 2), dtype=np.int32))
        with pytest.raises(fw.errors.VocabularyError, match="row by row"):
            apply(logits, mask[:1])
        with pytest.raises(ValueError, match="no row 2"):
            apply(logits, mask, [2])
        with pytest.raises(TypeError, match="int64"):
            apply(logits, torch.zeros(2, 1, dtype=torch.int64))
    with pytest.raises(TypeError, match="float8_e5m2"):
        fw.apply_bitmask(logits.to(torch.float8_e5m2), mask)
    with pytest.raises(TypeError, match="got int32"):
        fw.apply_bitmask(logits.int(), mask)
    assert not logits.any()
