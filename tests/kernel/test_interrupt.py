"""What is read and compiled ends when it is told to: by Ctrl-C, or by another thread."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from toys import byte_vocabulary

import formwright as fw

SOON = 0.3
"""Seconds of this process within which work ends: a tenth, and room. Those of a clock depend on what else runs."""

DIVISORS = {"allOf": [{"multipleOf": 0.37}, {"multipleOf": 1.13}, {"multipleOf": 7919}]}
"""Takes a second to refuse."""

WORDS = "".join(f"(a{number:05})?" for number in range(30_000))
"""Takes some tenths of a second to read, and as long to compile."""


def ended(work: Callable[[], Any]) -> float:
    """Seconds of this process from the moment that an interrupt is set until the work has ended by it."""
    interrupt, at = fw.Interrupt(), [0.0]

    def end() -> None:
        at[0] = time.process_time()
        interrupt.set()

    timer = threading.Timer(0.05, end)
    timer.start()
    with pytest.raises(fw.errors.Interrupted), interrupt:
        work()
    assert interrupt.is_set
    return time.process_time() - at[0]


def test_another_thread_ends_what_is_read() -> None:
    assert ended(lambda: fw.json_schema(DIVISORS)) < SOON
    assert ended(lambda: fw.regex(WORDS)) < SOON


def test_another_thread_ends_what_is_compiled() -> None:
    form, vocabulary = fw.regex(WORDS), byte_vocabulary()
    assert ended(lambda: fw.compile(form, vocabulary)) < SOON
    matcher = fw.compile(form, vocabulary).matcher()
    matcher.accept_bytes(b"a00000")
    assert matcher.is_complete


def test_an_interrupt_holds_for_its_block_and_its_thread() -> None:
    interrupt = fw.Interrupt()
    assert repr(interrupt) == "Interrupt()"
    assert not interrupt.is_set
    interrupt.set()
    assert repr(interrupt) == "Interrupt(set)"
    fw.json_schema({"type": "integer"})
    with interrupt:
        fw.json_schema({"type": "integer"})  # kept, so there is nothing to do
        with pytest.raises(fw.errors.Interrupted):
            fw.json_schema({"type": "integer", "minimum": 17})
        others = threading.Thread(target=fw.json_schema, args=({"type": "integer"},))
        others.start()
        others.join()
        with fw.Interrupt(), pytest.raises(fw.errors.Interrupted):
            fw.regex("[a-z]+17")
    fw.json_schema({"type": "integer"})


def test_other_threads_run_meanwhile() -> None:
    worst, last, is_over = 0.0, time.process_time(), threading.Event()

    def tick() -> None:
        nonlocal worst, last
        while not is_over.is_set():
            time.sleep(0.001)
            worst, last = max(worst, time.process_time() - last), time.process_time()

    thread = threading.Thread(target=tick)
    thread.start()
    for schema in (DIVISORS, {"type": "string", "pattern": WORDS}):
        with contextlib.suppress(fw.errors.LimitExceeded):
            fw.compile(schema, byte_vocabulary())
    is_over.set()
    thread.join()
    assert worst < SOON


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("is_handler", [False, True])
def test_ctrl_c_ends_it(is_handler: bool) -> None:
    program = f"""
import os, signal, threading, time
import formwright as fw

class Over(Exception):
    pass

def handle(*_):
    raise Over

raised = Over if {is_handler} else KeyboardInterrupt
# A shell without job control has what it starts in the background ignore Ctrl-C.
signal.signal(signal.SIGINT, handle if {is_handler} else signal.default_int_handler)
sent = []

def send():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, send).start()
try:
    while True:
        try:
            fw.json_schema({DIVISORS!r})
        except fw.errors.LimitExceeded:
            pass
except raised:
    print(time.process_time() - sent[0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert float(done.stdout) < SOON
