"""One engine over one suite, once, in a process of its own; the other end of `run`.

Prints JSON lines: the engine's start-up, then one line for each case, in order. Times are nanoseconds. What is checked
is checked between the timed calls: every token of a text must be in its mask, and the end of text where the text may
end; the first that is not must be the expected one.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

from engines import Engine, Refused, load
from turns import take_turns
from vocabularies import read

CLOCK = time.perf_counter_ns
UNKNOWN = -1


class Late(Exception):
    """The case took longer than it may."""


def measure(engine: Engine, case: dict[str, Any], eos: int, seconds: float) -> dict[str, Any]:
    """Compile and walk every text of a case.

    ``compile`` is from the source text to the first mask. ``mask`` and ``accept`` hold a list for each valid text;
    that of masks is one longer, for the end. ``wrong`` holds ``[text, expected, seen]``, the index of the first masked
    token, null for none.
    """
    forget(engine)
    result: dict[str, Any] = {"case": case["name"], "status": "ok", "mask": [], "accept": [], "wrong": []}
    deadline = time.monotonic() + seconds
    try:
        start = CLOCK()
        matcher = engine.compile(case["kind"], case["source"])
        engine.fill(matcher)
        result["compile"] = CLOCK() - start
        for index, instance in enumerate(case["instances"]):
            matcher = engine.reset(matcher)
            masks, accepts, expected = [], [], instance["reject"]
            seen = walk(engine, matcher, [*instance["tokens"], eos], deadline, masks, accepts)
            if seen != expected and not (expected == UNKNOWN and seen is not None):
                result["wrong"].append([index, expected, seen])
            if expected is None:
                result["mask"].append(masks)
                result["accept"].append(accepts)
    except Late:
        result["status"] = "timeout"
    except Refused as reason:
        result |= {"status": "refused", "reason": str(reason)}
    except BaseException as reason:  # a panic of a Rust library is no Exception
        if isinstance(reason, KeyboardInterrupt | SystemExit):
            raise
        status = "refused" if "compile" not in result else "failed"
        result |= {"status": status, "reason": f"{type(reason).__name__}: {reason}"[:300]}
    return result


def forget(engine: Engine) -> None:
    """Have an engine compile anew what it compiled before."""
    getattr(engine, "forget", lambda: None)()


def walk(
    engine: Engine, matcher: Any, tokens: list[int], deadline: float, masks: list[int], accepts: list[int]
) -> int | None:
    """The index of the first token that is masked or not taken; None if there is none. The last token is the end."""
    row, last = engine.row, len(tokens) - 1
    for index, token in enumerate(tokens):
        if time.monotonic() > deadline:
            raise Late
        start = CLOCK()
        engine.fill(matcher)
        masks.append(CLOCK() - start)
        if not row[token >> 5] >> (token & 31) & 1:
            return index
        if index < last:
            start = CLOCK()
            taken = engine.accept(matcher, token)
            accepts.append(CLOCK() - start)
            if not taken:
                return index
    return None


def touch_memory(count: int = 1 << 16) -> list[int]:
    """Half of the numbers the interpreter has made. The places of the others are free again, and were touched: times
    that lie there cost no page fault while an engine is timed. Keep it as long as one is."""
    return [CLOCK() for _ in range(count)][::2]


def pin(core: int) -> None:
    """Keep this process on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--skip", type=int, default=0, help="cases to leave out at the beginning")
    parser.add_argument("--core", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="limit of one case")
    parser.add_argument("--gigabytes", type=float, required=True, help="limit of memory")
    parser.add_argument("--warm", action="store_true", help="walk all cases once before they are timed")
    parser.add_argument("--turns", action="store_true", help="take a case for each index on standard input")
    options = parser.parse_args()
    pin(options.core)
    limit = int(options.gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    tokens, eos = read(options.vocabulary)
    kind = load(options.engine)
    start = CLOCK()
    engine = kind(tokens, eos)
    print(json.dumps({"ready": CLOCK() - start, "ids": len(tokens)}), flush=True)
    lines = options.cases.read_text().splitlines()[options.skip :]
    gc.disable()
    held = touch_memory()
    if options.turns:
        take_turns(
            engine, [json.loads(line) for line in lines], lambda case: measure(engine, case, eos, options.seconds)
        )
        return
    for line in lines if options.warm else ():
        measure(engine, json.loads(line), eos, options.seconds)
    for line in lines:
        print(json.dumps(measure(engine, json.loads(line), eos, options.seconds)), flush=True)
    del held


if __name__ == "__main__":
    main()
