"""Ray Data on a local cluster of two workers: rows that outlive workers and drivers, throughput; Ray Serve."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

import httpx
import psutil
import pytest
import ray
from battery import BUDGET, FORMS, PROMPTS, record
from pydantic import BaseModel

import formwright as fw
from formwright.jobs.mapping import Mapper
from formwright.jobs.ray import GenerateStage, app, check_row, make_vllm_row, map_on_cluster

ROWS = 10_000
REGEX = "[0-9]{1,3}"


class Person(BaseModel):
    name: str
    age: int


def rows_of(count: int) -> list[dict[str, Any]]:
    return [{"id": number, "prompt": f"Ada {number} is {number % 90} years old."} for number in range(count)]


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    survived = check_kills(folder)
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    counts = check_battery()
    check_stage()
    check_vllm_rows()
    share = throughput()
    check_serve()
    ray.shutdown()
    record(
        "ray",
        "real host",
        {
            "batch": "yes",
            "beams": "options of generate_many",
            "speculation": "no",
            "reasoning": "fw.thinking",
            "tools": "fw.tools",
            "forced tokens": "our loop",
        },
        **counts,
        **survived,
        share_of_the_plain_loop=share,
    )


def command(folder: Path) -> list[str]:
    what = ["--input", str(folder / "in.jsonl"), "--output", str(folder / "out.jsonl"), "--regex", REGEX]
    return [sys.executable, "-m", "formwright", "map", *what, "--ray", "local", "--workers", "2"]


def check_kills(folder: Path) -> dict[str, int]:
    """A worker and then the driver are killed; the same command again ends with every row once."""
    rows = rows_of(ROWS)
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = folder / "out.jsonl"
    driver = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, start_new_session=True)
    killed = 0
    wait_for(output, 500, driver)
    started = psutil.Process(driver.pid).children(recursive=True)  # no others: somebody else may run Ray too
    for process in started:
        if "MapWorker" in " ".join(process.cmdline()) and not killed:
            process.kill()
            killed = 1
    assert killed
    before = wait_for(output, 3000, driver)
    started += psutil.Process(driver.pid).children(recursive=True)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    time.sleep(1)
    for process in started:  # what the driver left behind
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    subprocess.run(command(folder), check=True, stdout=subprocess.DEVNULL)
    found = [json.loads(line) for line in output.read_text().splitlines()]
    assert sorted(row["id"] for row in found) == list(range(ROWS))
    expected = {row["id"]: row for row in Mapper(fw.load("formwright-tiny"), fw.regex(REGEX))(rows[:1000])}
    assert all(row == expected[row["id"]] for row in found if row["id"] < 1000)
    print(f"{before} rows before the driver was killed, {len(found)} in the end")
    return {"rows": len(found), "rows_before_the_kill": before}


def wait_for(output: Path, lines: int, driver: Any) -> int:
    while True:
        count = output.read_bytes().count(b"\n") if output.exists() else 0
        if count >= lines:
            return count
        assert driver.poll() is None, "the driver ended by itself"
        time.sleep(0.05)


def check_battery() -> dict[str, int]:
    """The twenty forms behind twenty prompts, each form a stage."""
    tiny = fw.load("formwright-tiny")
    counts = {"texts": 0, "invalid": 0, "like_ours": 0}
    rows = [{"id": number, "prompt": prompt} for number, prompt in enumerate(PROMPTS)]
    for form in FORMS.values():
        results = list(map_on_cluster("local", rows, "formwright-tiny", fw.form(form), workers=1, max_tokens=BUDGET))
        for result in results:
            counts["texts"] += 1
            counts["invalid"] += not fw.form(form).check(result["text"]).is_complete
            own = tiny.generate(PROMPTS[result["id"]], form, max_tokens=BUDGET).text
            counts["like_ours"] += result["text"] == own
    print(counts)
    assert counts == {"texts": 400, "invalid": 0, "like_ours": 400}
    return counts


def check_stage() -> None:
    """A type that travels, a schema of its own for some rows, a row that fails, messages as prompts."""
    rows: list[dict[str, Any]] = [
        {"id": 1, "prompt": "Ada is 36 years old.", "schema": None},
        {"id": 2, "prompt": "Bo is 7 years old.", "schema": '{"type": "integer"}'},
        {"id": 3, "prompt": "Cy is 8 years old.", "schema": '{"type": "nonsense"}'},
    ]
    stage = ray.data.from_items(rows).map_batches(
        GenerateStage,
        fn_constructor_kwargs={"model": "formwright-tiny", "form": fw.form(Person), "max_tokens": 60},
        compute=ray.data.ActorPoolStrategy(size=1),
        batch_size=2,
    )
    found = {row["id"]: row for row in stage.take_all()}
    assert fw.form(Person).parse(found[1]["text"]).age == 36
    assert found[2]["text"] == "7"
    assert found[3]["status"] == "failed"
    assert "nonsense" in found[3]["error"]
    talks = [{"prompt": [{"role": "user", "content": "Ada is 36 years old."}]}]
    stage = ray.data.from_items(talks).map_batches(
        GenerateStage,
        fn_constructor_kwargs={"model": lambda: fw.load("formwright-tiny"), "form": Literal["yes", "no"]},
        compute=ray.data.ActorPoolStrategy(size=1),
    )
    assert stage.take_all()[0]["text"] in ("yes", "no")


def check_vllm_rows() -> None:
    """What ``ray.data.llm`` is given for vLLM, and what is made of its answers; its engine needs a GPU."""
    row = {"id": 1, "prompt": "Ada is 36."}
    assert make_vllm_row(row, {"type": "integer"}, max_tokens=5)["sampling_params"] == {
        "max_tokens": 5,
        "structured_outputs": {"json": {"type": "integer"}},
    }
    assert make_vllm_row(row, fw.choice("a", "b"))["sampling_params"]["structured_outputs"] == {"choice": ["a", "b"]}
    with pytest.raises(fw.errors.OptionUnsupported):
        make_vllm_row(row, fw.text(until="."))
    for text, status in (("36", "complete"), ("", "truncated"), ("x", "failed")):
        assert check_row({"id": 1, "generated_text": text}, int)["status"] == status


def throughput() -> float:
    """One worker beside the plain loop, in turns; without the start of the actor."""
    rows, shares = rows_of(3000), []
    mapper = Mapper(fw.load("formwright-tiny"), fw.regex(REGEX), batch_size=64)
    for _ in range(3):
        began = time.perf_counter()
        for start in range(0, len(rows), 256):
            mapper(rows[start : start + 256])
        plain = time.perf_counter() - began
        times = [time.perf_counter()]
        for _ in map_on_cluster("local", rows, "formwright-tiny", fw.regex(REGEX), workers=1, batch_size=256):
            times.append(time.perf_counter())
        # The first batch waits for the actor.
        ours = (times[-1] - times[256]) / (len(rows) - 256) * len(rows)
        shares.append(plain / ours)
        start = times[256] - times[0] - ours * 256 / 3000
        print(f"plain {plain:.2f} s, one worker {ours:.2f} s and {start:.1f} s to start")
    share = round(sorted(shares)[1], 2)
    print(f"one worker: {share:.0%} of the plain loop")
    assert share >= 0.8
    return share


def check_serve() -> None:
    from ray import serve

    with pytest.raises(fw.errors.ArgumentError):
        app({"modle": "x"})
    serve.run(app({"model": "formwright-tiny"}), route_prefix="/")
    schema = {
        "name": "person",
        "schema": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]},
    }
    body = {
        "model": "formwright-tiny",
        "messages": [{"role": "user", "content": "Ada is 36 years old."}],
        "response_format": {"type": "json_schema", "json_schema": schema},
    }
    answer = httpx.post("http://127.0.0.1:8000/v1/chat/completions", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    assert json.loads(answer.json()["choices"][0]["message"]["content"])["age"] == 36
    with httpx.stream("POST", "http://127.0.0.1:8000/v1/chat/completions", json={**body, "stream": True}) as stream:
        assert any("[DONE]" in line for line in stream.iter_lines())
    serve.shutdown()


if __name__ == "__main__":
    main()
