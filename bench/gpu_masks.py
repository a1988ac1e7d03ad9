"""Masks on a device: are they right to the bit, what do they cost, and can a token loop do without the host?

    python gpu_masks.py --dry                 # no device: Triton's interpreter, small sizes, every path once
    python gpu_masks.py --seconds 540         # one GPU: all parts, a table last
    python gpu_masks.py --part check --part apply

Parts, in this order; a part that does not fit into the seconds that are left is skipped, and says so:

    check    every kernel against numpy, bit for bit: dtypes, widths that are no multiple of 32, padded and strided rows
    tables   a form as device tables (masks, classes of tokens, transitions, tokens to the end), against the matcher
    apply    `apply`: batch x width x density, beside torch and xgrammar
    upload   masks to the device: pageable, pinned, and an `Upload`: pinned twice, on a side stream
    decode   a random 1B Llama: no mask, masks after the forward, masks during the forward, device tables

Needs formwright with torch and triton; xgrammar and transformers if there: on a machine without a network, wheels
installed with --no-deps. The vocabulary is drawn, so nothing is downloaded.
Results go to --out as JSON, after each part. Medians; a device-to-device copy is measured first, as the ceiling.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

DRY = "--dry" in sys.argv
if DRY:
    os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton
from device_tables import INVOICE, vocabulary

import formwright as fw
from formwright.device import Decoder, DeviceTables, Upload, apply, triton_kernels
from formwright.device.torch_masks import apply_by_kernel

try:
    import xgrammar
except ImportError:
    xgrammar = None
DEVICE = "cpu" if DRY else "cuda"


def form(short: bool = False) -> Any:
    schema = {"type": "array", "items": {"type": "integer"}} if short else INVOICE
    return fw.json_schema(json.dumps(schema), whitespace="compact")


def constraint_of(size: int, width: int, short: bool = False) -> tuple[fw.Constraint[Any], int]:
    """The form for a drawn vocabulary, and its end of text."""
    tokens, end = vocabulary(size), size - 1
    tokens[end] = b""  # the end of text has no bytes
    return fw.compile(form(short), fw.Vocabulary(tokens, eos_token_ids=[end], logits_size=width)), end


def tables_of(constraint: fw.Constraint[Any]) -> tuple[DeviceTables, float]:
    """Tables, and the seconds that they took."""
    began = time.perf_counter()
    made = constraint.device_tables()
    assert made is not None, "the form has no tables"
    return made, time.perf_counter() - began


# ------------------------------------------------------------------------------------------------------------- parts


def reference(logits: np.ndarray, masks: np.ndarray, rows: Sequence[int] | None) -> np.ndarray:
    """What `apply` must write, in float32."""
    out = logits.copy()
    for row in range(len(out)):
        of = row if rows is None else rows[row]
        if of < 0:
            continue
        bits = np.unpackbits(masks[of].view(np.uint8), bitorder="little")[: out.shape[1]]
        bits = np.pad(bits, (0, out.shape[1] - len(bits)))
        out[row, bits == 0] = -np.inf
    return out


def random_masks(rows: int, words: int, density: float, seed: int = 0) -> np.ndarray:
    """Packed rows; density is the share of tokens that are allowed."""
    draw = np.random.default_rng(seed)
    if density in (0.0, 1.0):
        return np.full((rows, words), -int(density), np.int32)
    bits = (draw.random((rows, words * 32), np.float32) < density).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").view(np.int32)


def check() -> dict[str, Any]:
    widths = [1031, 4128] if DRY else [32000, 32003, 128256, 131072, 151936, 262144, 262145]
    count, done = (2, 0) if DRY else (9, 0)
    for width in widths:
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for density in (0.001, 0.5, 1.0) if DRY else (0.0, 0.001, 0.5, 0.999, 1.0):
                for short in (0, 3):  # words that the mask lacks: padded logits
                    words = -(-width // 32) - short
                    masks = random_masks(count, words, density, seed=done)
                    rows = np.random.default_rng(done).integers(-1, count, count).astype(np.int32)
                    room = torch.randn((count, width + 64), dtype=torch.float32, device=DEVICE).to(dtype)
                    for given in (None, rows):
                        for select in (True, False):
                            wide = room.clone()
                            logits = wide[:, :width]  # rows do not touch: a stride that is not the width
                            on_device = torch.from_numpy(masks).to(DEVICE)
                            chosen = None if given is None else torch.from_numpy(given).to(DEVICE)
                            apply_by_kernel(triton_kernels, logits, on_device, chosen, select=select)
                            want = reference(
                                room[:, :width].float().cpu().numpy(), masks, None if given is None else given.tolist()
                            )
                            got = logits.float().cpu().numpy()
                            assert got.view(np.int32).tobytes() == want.view(np.int32).tobytes(), (
                                width,
                                dtype,
                                density,
                                short,
                                select,
                            )
                            assert torch.equal(wide[:, width:], room[:, width:]), "written beyond the row"
                            done += 1
    return {"cases": done, "differences": 0}


def tables() -> dict[str, Any]:
    size = 3000 if DRY else 128_000
    width = size + 256 if not DRY else 3100
    constraint, end = constraint_of(size, width)
    made, seconds = tables_of(constraint)
    walks, places, more = 3 if DRY else 40, 0, Counter[int]()
    row = fw.allocate_bitmask(1, constraint.vocabulary)
    for seed in range(walks):
        draw, matcher, state = random.Random(seed), constraint.matcher(), 0
        for left in range(90 if DRY else 120, 0, -1):
            matcher.fill_bitmask(row, 0)
            assert (row[0] == made.masks[made.mask_of[state]]).all(), (seed, left, "masks differ")
            least = matcher.min_tokens_to_finish
            assert made.need[state] <= least, (seed, "the matcher needs fewer tokens than there are")
            more[least - int(made.need[state])] += 1
            near = draw.choices(fw.allowed_tokens(row).tolist(), k=6)
            after = [made.need[made.next[state, made.classes[token]]] for token in near]
            token = near[int(np.argmin(after))] if left < 60 else near[0]
            places += 1
            if token == end:
                break
            matcher.accept_token(token)
            state = made.next[state, made.classes[token]]
    compared = {
        "compared_with_matcher": places,
        "places_by_tokens_that_the_matcher_counts_more": dict(sorted(more.items())),
    }
    parts = {"masks": len(made.masks), "classes": made.next.shape[1], "MB": round(made.nbytes / 1e6, 2)}
    return {
        **compared,
        **check_choices(made, width, end),
        "ms_to_build": round(1e3 * seconds, 1),
        "states": made.states,
        **parts,
    }


def check_choices(made: DeviceTables, width: int, end: int) -> dict[str, Any]:
    """The device against the tables: a batch of texts with budgets, all choices by random logits."""
    count = 4 if DRY else 32
    decoder = Decoder(made, rows=count, width=width, device=DEVICE)
    left = np.random.default_rng(3).integers(made.min_tokens, made.min_tokens + 40, count)
    for row, budget in enumerate(left.tolist()):
        decoder.begin([row], max_tokens=budget)
    states, ended = np.zeros(count, int), np.zeros(count, bool)
    for step in range(6 if DRY else 90):
        logits = torch.randn((count, width), device=DEVICE, generator=torch.Generator(DEVICE).manual_seed(step))
        chosen = decoder.take(logits).tolist()
        scores = logits.cpu().numpy()
        for row in range(count):
            to = made.next[states[row], made.classes].astype(int)
            ok = (to >= 0) & (np.where(to >= 0, made.need[to], 0) <= left[row] - 1)
            want = int(np.argmax(np.where(ok, scores[row], -np.inf)))
            assert want == chosen[row], (step, row, want, chosen[row])
            states[row], left[row] = to[want], left[row] - 1
            ended[row] |= want == end
    return {"device_steps": count * (step + 1), "ended": int(ended.sum())}


def time_work(work: Callable[[], Any], repeat: int = 0) -> float:
    """Microseconds, the median. On a device by events, the cache flushed between."""
    if DRY:
        began = time.perf_counter()
        work()
        return 1e6 * (time.perf_counter() - began)
    found = triton.testing.do_bench(work, warmup=5, rep=repeat or 30, return_mode="median")
    return 1e3 * float(found)


def ceiling() -> float:
    """Bytes a second of a device-to-device copy, read and written."""
    size = 1 << (20 if DRY else 30)
    a, b = torch.empty(size, dtype=torch.uint8, device=DEVICE), torch.empty(size, dtype=torch.uint8, device=DEVICE)
    return 2 * size / (time_work(lambda: b.copy_(a)) * 1e-6)


def by_where(logits: torch.Tensor, masks: torch.Tensor) -> None:
    """What torch alone does: unpack, pad, fill."""
    powers = 1 << torch.arange(8, dtype=torch.uint8, device=logits.device)
    forbidden = ((masks.view(torch.uint8).unsqueeze(-1) & powers) == 0).flatten(1)[:, : logits.shape[1]]
    logits.masked_fill_(forbidden, -torch.inf)


def apply_part() -> dict[str, Any]:
    batches, widths = ([1, 3], [1024]) if DRY else ([1, 32, 256, 512], [32000, 131072, 262144])
    lines, speed = [], ceiling()
    kinds: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
        "select": apply,
        "store": lambda logits, masks: apply_by_kernel(triton_kernels, logits, masks, None, select=False),
        "torch ops": by_where,
    }
    if xgrammar is not None and not DRY:
        kinds["xgrammar"] = lambda logits, masks: xgrammar.apply_token_bitmask_inplace(logits, masks)
    for dtype in (torch.float32, torch.bfloat16):
        for width in widths:
            for batch in batches:
                for name, density in (("few allowed", 0.0001), ("half", 0.5), ("few forbidden", 0.9999)):
                    masks = torch.from_numpy(random_masks(batch, width // 32, density)).to(DEVICE)
                    logits = torch.randn((batch, width), dtype=torch.float32, device=DEVICE).to(dtype)
                    line: dict[str, Any] = {"dtype": str(dtype)[6:], "width": width, "batch": batch, "mask": name}
                    for kind, work in kinds.items():
                        try:
                            line[kind] = round(time_work(lambda: work(logits, masks)), 2)
                        except Exception as error:  # another library's kernel must not end the run
                            line[kind] = type(error).__name__
                    moved = masks.nbytes if density > 0.9 else masks.nbytes + batch * width * logits.element_size()
                    line["floor"] = round(1e6 * moved / speed, 2)  # masks read, logits written once
                    lines.append(line)
    return {"copy_TB_s": round(speed / 1e12, 2), "lines": lines}


def upload() -> dict[str, Any]:
    lines, words = [], 64 if DRY else 4096
    for batch in [1, 3] if DRY else [1, 32, 256, 512]:
        host = torch.from_numpy(random_masks(batch, words, 0.5))
        on_device = torch.empty_like(host, device=DEVICE)
        line: dict[str, Any] = {"batch": batch, "KiB": batch * words // 256}
        line["pageable"] = round(time_work(lambda: on_device.copy_(host)), 1)
        if not DRY:
            pinned, sent = host.pin_memory(), Upload(batch, words, DEVICE)
            line["pinned"] = round(time_work(lambda: on_device.copy_(pinned, non_blocking=True)), 1)
            line["pinned, side stream"] = round(time_work(sent.send), 1)
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(200):
                sent.send()
            line["host, a call"] = round((time.perf_counter() - began) / 200 * 1e6, 1)
            torch.cuda.synchronize()
        lines.append(line)
    return {"lines": lines}


class Llama(torch.nn.Module):
    """A decoder of the shape of a 1B Llama in plain torch, weights drawn, a static cache: a graph for certain."""

    def __init__(
        self, width: int, layers: int, hidden: int, heads: int, kv: int, inner: int, batch: int, length: int
    ) -> None:
        super().__init__()
        kind = {"device": DEVICE, "dtype": torch.bfloat16}
        self.heads, self.kv, self.size = heads, kv, hidden // heads
        linear = lambda a, b: torch.nn.Linear(a, b, bias=False, **kind)  # noqa: E731
        self.embed = torch.nn.Embedding(width, hidden, **kind)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList(
                [torch.nn.RMSNorm(hidden, **kind), linear(hidden, hidden + 2 * kv * self.size), linear(hidden, hidden),
                 torch.nn.RMSNorm(hidden, **kind), linear(hidden, 2 * inner), linear(inner, hidden)]
            )
            for _ in range(layers)
        )  # fmt: skip
        self.norm, self.head = torch.nn.RMSNorm(hidden, **kind), linear(hidden, width)
        self.cache = torch.zeros((layers, 2, batch, kv, length, self.size), **kind)
        self.places = torch.arange(length, device=DEVICE)

    def forward(self, ids: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)[:, None]
        seen = (self.places <= place)[None, None, None]
        for cache, (before, qkv, out, after, up, down) in zip(self.cache, self.layers, strict=True):
            q, k, v = qkv(before(x)).split([self.heads * self.size, self.kv * self.size, self.kv * self.size], -1)
            q = q.unflatten(-1, (self.kv, -1, self.size)).squeeze(1)  # heads of a group are queries of one row
            k, v = (each.unflatten(-1, (self.kv, self.size)).transpose(1, 2) for each in (k, v))
            cache[0].index_copy_(2, place, k)
            cache[1].index_copy_(2, place, v)
            mixed = torch.nn.functional.scaled_dot_product_attention(q, cache[0], cache[1], attn_mask=seen)
            x = x + out(mixed.flatten(1)[:, None])
            gate, value = up(after(x)).chunk(2, -1)
            x = x + down(torch.nn.functional.silu(gate) * value)
        return self.head(self.norm(x))[:, 0]


def of_transformers(
    width: int, batch: int, length: int, small: bool
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

    shape = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    if not small:
        shape = {
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 16,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
        }
    config = LlamaConfig(vocab_size=width, max_position_embeddings=max(2048, length), **shape)
    with torch.device(DEVICE):
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    cache = StaticCache(config=config, max_cache_len=length)

    def forward(ids: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        positions = place.expand(len(ids))[:, None]
        out = model(
            input_ids=ids[:, None], position_ids=positions, past_key_values=cache, use_cache=True, cache_position=place
        )
        return out.logits[:, -1]

    forward.reset = cache.reset  # type: ignore[attr-defined]  # it counts its positions itself
    with torch.inference_mode():
        forward(torch.zeros(batch, dtype=torch.int64, device=DEVICE), torch.zeros(1, dtype=torch.int64, device=DEVICE))
    return forward


def decode(seconds: float) -> dict[str, Any]:
    """Tokens a second of one decode loop with masks made and applied in several ways; the same tokens everywhere."""
    size, width, length, steps = (3000, 3072, 24, 6) if DRY else (128_000, 128_256, 512, 256)
    constraint, end = constraint_of(size, width, short=DRY)
    made, _ = tables_of(constraint)
    lines: list[dict[str, Any]] = []
    ends = time.perf_counter() + seconds
    with torch.inference_mode():
        for kind, batch in [("plain", 2), ("transformers", 2)] if DRY else [
            ("plain", 1), ("plain", 32), ("plain", 256), ("transformers", 1), ("transformers", 32),
        ]:  # fmt: skip
            if time.perf_counter() > ends:
                lines.append({"model": kind, "batch": batch, "skipped": "no time"})
                continue
            torch.manual_seed(0)
            shape = (2, 64, 4, 2, 128) if DRY else (16, 2048, 32, 8, 8192)
            try:
                if kind == "plain":
                    forward: Any = Llama(width, *shape, batch=batch, length=length)
                else:
                    forward = of_transformers(width, batch, length, DRY)
                line = measure_ways(forward, made, constraint, end, batch, width, steps)
            except Exception as error:  # a version of transformers that cannot be captured, say
                line = {"failed": f"{type(error).__name__}: {error}"[:60]}
            lines.append({"model": kind, "batch": batch, **line})
            forward = None
            if not DRY:
                torch.cuda.empty_cache()
    return {"steps": steps, "lines": lines}


def measure_ways(
    forward: Any, made: DeviceTables, constraint: fw.Constraint[Any], end: int, batch: int, width: int, steps: int
) -> dict[str, Any]:
    """Tokens each second of every way to decode, time of the host in a step, and whether all write the same tokens."""
    loop = Loop(forward, made, constraint, end, batch, width, steps)
    ways: dict[str, Callable[[], list[list[int]]]] = {
        "no form": lambda: loop.write_on_device("free"),
        "after": lambda: loop.write_with_masks(waits=True),
        "during": lambda: loop.write_with_masks(waits=False),
        "tables": lambda: loop.write_on_device("tables"),
    }
    line: dict[str, Any] = {}
    texts = {}
    for name, write in ways.items():
        write()
        found = []
        loop.spent.clear()
        for _ in range(1 if DRY else 3):
            synchronize()
            began = time.perf_counter()
            texts[name] = write()
            synchronize()
            found.append(time.perf_counter() - began)
        line[name] = round(batch * steps / statistics.median(found))
        if loop.spent:
            line[f"{name}: host us"] = round(statistics.median(loop.spent), 1)
    line["same tokens"] = texts["after"] == texts["during"] == texts["tables"]
    return line


class Loop:
    """A batch that is decoded again and again: the model, what chooses, and their graphs."""

    def __init__(
        self,
        forward: Any,
        made: DeviceTables,
        constraint: fw.Constraint[Any],
        end: int,
        batch: int,
        width: int,
        steps: int,
    ) -> None:
        self.forward, self.constraint, self.end, self.batch, self.steps = forward, constraint, end, batch, steps
        self.ids, self.place = (torch.zeros(size, dtype=torch.int64, device=DEVICE) for size in (batch, 1))
        self.logits = torch.empty((batch, width), dtype=torch.bfloat16, device=DEVICE)
        self.sent = Upload(batch, constraint.vocabulary.mask_words, DEVICE)
        self.decoder = Decoder(made, rows=batch, width=width, device=DEVICE)
        self.host_ids = torch.zeros(batch, dtype=torch.int64, pin_memory=not DRY)
        self.spent: list[float] = []
        """Microseconds of the host in each step."""
        works: dict[str, Callable[[], Any]] = {
            "run": self.run,
            "masked": self.choose_masked,
            "free": lambda: (self.run(), self.choose_freely()),
            "tables": lambda: (self.run(), self.choose_by_tables()),
        }
        self.graphs = {name: capture_graph(work) for name, work in works.items()}

    def run(self) -> None:
        """The model, for all rows."""
        self.logits.copy_(self.forward(self.ids, self.place))
        self.place.add_(1)

    def choose_freely(self) -> None:
        self.ids.copy_(self.logits.argmax(-1))

    def choose_masked(self) -> None:
        apply(self.logits, self.sent.masks)
        self.choose_freely()

    def choose_by_tables(self) -> None:
        self.ids.copy_(self.decoder.take(self.logits))

    def begin(self) -> list[fw.Matcher]:
        """Start all rows again."""
        getattr(self.forward, "reset", bool)()
        self.ids.zero_()
        self.place.zero_()
        self.decoder.begin(max_tokens=self.steps)
        return [self.constraint.matcher() for _ in range(self.batch)]

    def fill(self, rows: list[fw.Matcher], chosen: list[int] | None, left: int) -> None:
        """What the host does in a step: accept, fill."""
        began = time.perf_counter()
        for matcher, token in zip(rows, chosen or [], strict=False):
            if not matcher.is_finished:
                matcher.accept_token(token)
        mask = self.sent.mask
        if running := [row for row, matcher in enumerate(rows) if not matcher.is_finished]:
            fw.fill_bitmasks([rows[row] for row in running], mask, rows=running, budgets=[left] * len(running))
        for row, matcher in enumerate(rows):
            if matcher.is_finished:
                mask[row] = 0
                mask[row, self.end >> 5] = np.int32(np.uint32(1 << (self.end & 31)).astype(np.int32))
        self.spent.append(1e6 * (time.perf_counter() - began))

    def write_with_masks(self, *, waits: bool) -> list[list[int]]:
        """The mask is made after the model, if the host waits for it, or while it runs; then the choice."""
        rows, chosen, out = self.begin(), None, []
        for step in range(self.steps):
            self.graphs["run"]()
            if waits:
                synchronize_stream()
            self.fill(rows, chosen, self.steps - step)
            self.sent.send()
            self.graphs["masked"]()
            self.sent.release()
            chosen = self.fetch_ids()
            out.append(chosen)
        return out

    def write_on_device(self, graph: str) -> list[list[int]]:
        """No host in the loop: one graph a token."""
        self.begin()
        kept = torch.empty((self.steps, self.batch), dtype=torch.int64, device=DEVICE)
        for step in range(self.steps):
            self.graphs[graph]()
            kept[step].copy_(self.ids)
        return kept.tolist()

    def fetch_ids(self) -> list[int]:
        self.host_ids.copy_(self.ids, non_blocking=True)
        synchronize_stream()
        return self.host_ids.tolist()


def synchronize() -> None:
    if not DRY:
        torch.cuda.synchronize()


def synchronize_stream() -> None:
    if not DRY:
        torch.cuda.current_stream().synchronize()


def capture_graph(work: Callable[[], Any]) -> Callable[[], Any]:
    """Work as a CUDA graph; without a device, the work itself."""
    if DRY:
        return work
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(2):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def table(lines: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for line in lines for name in line))
    rows = [names] + [[str(line.get(name, "")) for name in names] for line in lines]
    wide = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for row in rows:
        print("  ".join(cell.rjust(size) for cell, size in zip(row, wide, strict=True)))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dry", action="store_true", help="no device: interpreter, small sizes")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--part", action="append", choices=["check", "tables", "apply", "upload", "decode"])
    parser.add_argument("--out", default=os.path.join(os.environ.get("OUT", "."), "gpu_masks.json"))
    options = parser.parse_args()
    began, failed = time.perf_counter(), 0
    found: dict[str, Any] = {
        "python": sys.version.split()[0], "torch": torch.__version__, "triton": triton.__version__,
        "formwright": fw.__version__, "xgrammar": version("xgrammar") if xgrammar else None,
        "device": "interpreter" if DRY else torch.cuda.get_device_name(),
    }  # fmt: skip
    print(found)
    left = lambda: options.seconds - (time.perf_counter() - began)  # noqa: E731
    work = {
        "check": check,
        "tables": tables,
        "apply": apply_part,
        "upload": upload,
        "decode": lambda: decode(left() - 20),
    }
    for name in options.part or list(work):
        if left() < 30 and not DRY:
            print(f"{name}: skipped, {left():.0f} s left")
            continue
        at = time.perf_counter()
        try:
            found[name] = work[name]()
        except Exception as error:  # the other parts are still worth their time
            failed, found[name] = 1, {"failed": f"{type(error).__name__}: {error}"}
        print(f"\n{name}: {time.perf_counter() - at:.1f} s", {k: v for k, v in found[name].items() if k != "lines"})
        table(found[name].get("lines", []))
        Path(options.out).write_text(json.dumps(found, indent=1, default=str))
    return failed


if __name__ == "__main__":
    sys.exit(main())
