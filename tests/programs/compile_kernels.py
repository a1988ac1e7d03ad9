"""Compiles the kernels of `formwright.device` for a GPU that need not be there.

    python tests/programs/compile_kernels.py 90

The number is the compute capability: 80, 90, 100. Every kind of logits is compiled, with each choice that the kernels
leave to constants. Prints the name and the bytes of each binary.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from formwright.device import triton_kernels as kernels

KINDS = ("fp32", "bf16", "fp16")
POINTERS = {
    "masks_ptr": "i32", "mask_of_ptr": "i16", "classes_ptr": "i16", "next_ptr": "i16", "need_ptr": "i32",
    "state_ptr": "i32", "left_ptr": "i32", "step_ptr": "i32", "scale_ptr": "fp32", "seed_ptr": "i64",
    "best_ptr": "fp32", "id_ptr": "i32", "token_ptr": "i64",
}  # fmt: skip
"""The type that each pointer leads to; others, and numbers, are given below."""


def sources() -> Iterator[tuple[str, Any, dict[str, str], dict[str, Any]]]:
    """Of each variant its name, the kernel, and what its arguments are."""
    for kind, rows, select in product(KINDS, ("i32", "i64", ""), (True, False)):
        constants = {"HAS_ROWS": bool(rows), "SELECT": select, "BLOCK": kernels.BLOCK}
        types = {"logits_ptr": f"*{kind}", "rows_ptr": f"*{rows or 'i32'}"}
        yield f"apply {kind} {rows or 'no rows'} {select}", kernels.apply_kernel, types, constants
    for kind, draw in product(KINDS, (True, False)):
        constants = {"DRAW": draw, "BLOCK": kernels.BLOCK}
        yield f"best {kind} {draw}", kernels.best_kernel, {"logits_ptr": f"*{kind}"}, constants
    yield "take", kernels.take_kernel, {}, {"BLOCKS": 64}


def main(capability: int) -> None:
    for (name, kernel, types, constants), are_one in product(sources(), (True, False)):
        known = {pointer: f"*{kind}" for pointer, kind in POINTERS.items()} | types
        signature = {argument: known.get(argument, "i32") for argument in kernel.arg_names}
        # A number that is 1 when a kernel is launched is a constant to Triton: strides mostly are.
        ones = {argument: 1 for argument, kind in signature.items() if are_one and kind == "i32"}
        constants = ones | constants
        signature |= dict.fromkeys(constants, "constexpr")
        source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
        made = triton.compile(source, target=GPUTarget("cuda", capability, 32))
        print(f"{name}, {'ones' if are_one else 'numbers'}: {len(made.asm['cubin'])} bytes")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 90)
