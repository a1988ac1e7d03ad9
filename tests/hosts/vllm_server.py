"""vLLM's server on a CPU, with stamps: its own HTTP API, the receipts of its replies, and our client's reading of it.

::

    python vllm_server.py

The engine is that of `vllm_engine`; formwright is found by the entry point of a distribution that is made for the test.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import tokenizers
from battery import RECORDS

import formwright as fw
from formwright.engines.asked_forms import find_check
from formwright.engines.grammar_backend import form_from_request
from formwright.receipts import from_reply, read_reply_stamp

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "python" / "formwright" / "models" / "formwright_tiny"
TOKENIZER = FOLDER / "tokenizer.json"
SECONDS = 240
OPTIONS = ["--dtype", "float32", "--enforce-eager", "--no-async-scheduling", "--max-model-len", "512"]
AGE = {"type": "object", "properties": {"age": {"type": "integer", "maximum": 150}}, "required": ["age"]}


def make_distribution(folder: Path) -> None:
    """What an installation of the package leaves for vLLM to find."""
    about = folder / f"formwright-{fw.__version__}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: formwright\nVersion: {fw.__version__}\n")
    (about / "entry_points.txt").write_text(
        "[vllm.general_plugins]\nformwright = formwright.engines.vllm.plugin:install\n"
    )


def find_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(SECONDS):
        assert server.poll() is None, "the server ended"
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(1)
    raise AssertionError("the server is not ready")


def check_stamps(url: str) -> dict[str, int]:
    """Whole replies in forms say that they were checked, streams who the back end is, and other replies nothing."""

    def post(path: str = "completions", **body: Any) -> httpx.Response:
        prompt = {} if "messages" in body else {"prompt": "Ada is 36 years old."}
        options = {"model": "tiny", "max_tokens": 24, "temperature": 0}
        reply = httpx.post(f"{url}/v1/{path}", json=options | prompt | body, timeout=120)
        assert reply.status_code == 200, reply.text
        return reply

    counts = {"replies": 0, "checked": 0, "streams": 0, "receipts": 0, "changed tokens found": 0}
    for form, conforms in (
        ({"structured_outputs": {"regex": "[0-9]{1,3}"}}, fw.regex("[0-9]{1,3}").matches),
        ({"structured_outputs": {"choice": ["yes", "no"]}}, ("yes", "no").__contains__),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "age", "schema": AGE}}},
         fw.json_schema(AGE).matches),
    ):  # fmt: skip
        reply = post(**form, return_token_ids=True)
        text = reply.json()["choices"][0]["text"]
        assert conforms(text), text
        counts["changed tokens found"] += check_receipt(reply.text, form)
        assert reply.headers["formwright-enforced"] == "checked"
        stream = post(**form, stream=True)
        assert stream.headers["formwright-backend"] == fw.__version__
        assert "formwright-enforced" not in stream.headers
        assert stream.text.rstrip().endswith("[DONE]")
        for name in ("replies", "checked", "streams", "receipts"):
            counts[name] += 1
    check_command(reply.json())
    messages = [{"role": "user", "content": "Ada is 36 years old. How old is she?"}]
    chat = post("chat/completions", messages=messages, **form, return_token_ids=True)
    counts["changed tokens found"] += check_receipt(chat.text, form)
    assert chat.headers["formwright-enforced"] == "checked"
    for name in ("replies", "checked", "receipts"):
        counts[name] += 1
    assert not [name for name in post().headers if name.startswith("formwright")]
    return counts


def check_receipt(reply: str, request: Any) -> int:
    """The reply says what was written: its receipt holds, and assumes nothing. With another token, at any step, it does
    not hold from that step on. Returns the number of steps.
    """
    check = find_check(request)
    assert check is not None
    assert check.asked is not None
    form = form_from_request(*check.asked)
    stamp = read_reply_stamp(reply)
    tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    vocabulary = fw.Vocabulary.from_tokenizer(
        tokenizer, eos_token_ids=list(stamp.eos_token_ids), logits_size=stamp.logits_size
    )
    (receipt,) = from_reply(reply, vocabulary, form)
    assert (receipt.assumed, receipt.verify(vocabulary)) == ((), ()), receipt
    assert receipt.token_ids
    for step in range(len(receipt.token_ids)):
        (changed,) = from_reply(with_another_token(json.loads(reply), step), vocabulary, form)
        first, *_ = changed.verify(vocabulary)
        assert str(first).startswith(f"token_ids[{step}]: "), (step, first)
    return len(receipt.token_ids)


def with_another_token(reply: Any, step: int) -> Any:
    """The reply with a token that no form here allows."""
    reply["choices"][0]["token_ids"][step] = 0
    return reply


def check_command(reply: Any) -> None:
    """The command verifies the reply of a schema, and names the token that was changed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.json" for name in ("reply", "form")}
        paths["form"].write_text(json.dumps(AGE))

        def verify(reply: Any) -> tuple[int, str]:
            paths["reply"].write_text(json.dumps(reply))
            command = [sys.executable, "-m", "formwright", "verify", "--reply", str(paths["reply"])]
            command += ["--form", str(paths["form"]), "--tokenizer", str(TOKENIZER)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            return done.returncode, done.stdout + done.stderr

        code, said = verify(reply)
        assert (code, said.startswith("holds: "), "assumed" in said) == (0, True, False), said
        print("formwright verify --reply:", said.strip())
        code, said = verify(with_another_token(reply, 2))
        assert (code, said.startswith("token_ids[2]: ")) == (1, True), said
        print("formwright verify --reply:", said.splitlines()[0])


def check_client(url: str) -> None:
    """Our client reads the stamp."""
    model = fw.connect(f"{url}/v1", "tiny")
    result = model.generate("Ada is 36 years old. How old is she?", fw.json_schema(AGE), max_tokens=24)
    assert result.enforced == "checked", result
    assert result.value["age"] <= 150
    assert result.exchange.mode == "strict", result.exchange


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_distribution(Path(folder))
        port = find_port()
        environment = os.environ | {"FORMWRIGHT_VLLM": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
        environment["PYTHONPATH"] = f"{ROOT / 'python'}{os.pathsep}{folder}"
        # The command ``vllm`` of this build looks for a distribution of another name.
        command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(FOLDER)]
        command += ["--served-model-name", "tiny"]
        command += ["--port", str(port), "--host", "127.0.0.1", *OPTIONS]
        command += ["--middleware", "formwright.engines.vllm.stamp.Stamp"]
        with subprocess.Popen(command, env=environment) as server:
            try:
                wait_until_ready(f"http://127.0.0.1:{port}", server)
                counts = check_stamps(f"http://127.0.0.1:{port}")
                check_client(f"http://127.0.0.1:{port}")
            finally:
                server.terminate()
    path = RECORDS / "vllm.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"server": counts}, indent=2) + "\n")
    print("stamps: the server of vLLM and our client agree:", counts)


if __name__ == "__main__":
    main()
