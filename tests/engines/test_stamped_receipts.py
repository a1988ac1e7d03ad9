"""What a stamped reply says of its texts is a receipt, and what it does not say is named."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import formwright as fw
from formwright.cli.app import app as cli
from formwright.engines import middleware
from formwright.engines.grammar_backend import Vocabularies
from formwright.engines.middleware import StampingMiddleware
from formwright.engines.vllm.stamp import Stamp
from formwright.models import embedded
from formwright.receipts import Provenance, Receipt, from_reply, make_receipt, read_reply_stamp

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")
tokenizers = pytest.importorskip("tokenizers")

from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import JSONResponse, Response  # noqa: E402
from starlette.routing import Route  # noqa: E402

RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
ASKED = {"response_format": {"type": "json_schema", "json_schema": {"name": "record", "schema": RECORD}}}
PROMPT = "Ada is 39 years old."
WIDTH = 8192
TOKENIZER = embedded.FOLDER / "tokenizer.json"


class OtherStamp(StampingMiddleware):
    """The middleware of an engine whose tokenizer is that of the embedded model."""

    plain_fields = {"regex": "regex", "json_schema": "json"}  # noqa: RUF012

    def is_backend(self) -> bool:
        return True

    def name_versions(self) -> dict[str, str]:
        return {"other": "1.0"}

    def read_vocabularies(self, app: Any) -> tuple[Vocabularies, list[int]]:
        return Vocabularies(tokenizers.Tokenizer.from_file(str(TOKENIZER)), app.state.width), [1]


class Engine:
    """An engine's server that answers with a text of the embedded model, and with tokens if it is asked for them."""

    def __init__(self, model: Any, kind: type[StampingMiddleware], **options: Any) -> None:
        self.model, self.options = model, options
        self.app = Starlette(
            routes=[Route(path, self.answer, methods=["POST"]) for path in ("/v1/chat/completions", "/v1/completions")]
        )
        self.app.state.width = WIDTH
        self.app.add_middleware(kind)

    async def answer(self, request: Request) -> Response:
        asked = await request.json()
        result = self.model.generate(PROMPT, RECORD, **self.options)
        ids = {"token_ids": [*result.token_ids, 1]} if asked.get("return_token_ids") else {}
        prompt = {"prompt_token_ids": self.model.encode(PROMPT)} if ids else {}
        message = {"role": "assistant", "content": result.text}
        choices = [{"index": at, "message": message, "finish_reason": "stop", **ids} for at in range(asked.get("n", 1))]
        return JSONResponse({"id": "1", "choices": choices, **prompt})

    def ask(self, **more: Any) -> dict[str, Any]:
        async def run() -> Any:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.post("/v1/chat/completions", json={"max_tokens": 300, **ASKED, **more})

        reply = asyncio.run(run())
        assert reply.headers["formwright-enforced"] == "checked"
        return reply.json()


@pytest.fixture
def engine(tiny: Any) -> Engine:
    return Engine(tiny, OtherStamp)


def vocabulary_of(reply: Any) -> fw.Vocabulary:
    """The vocabulary that a stamp describes, of the file of the tokenizer."""
    stamp = read_reply_stamp(reply)
    tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    return fw.Vocabulary.from_tokenizer(
        tokenizer, eos_token_ids=list(stamp.eos_token_ids), logits_size=stamp.logits_size
    )


def problems_of(reply: Any, form: Any = RECORD) -> list[tuple[str, int | None]]:
    vocabulary = vocabulary_of(reply)
    receipts = from_reply(reply, vocabulary, fw.form(form))
    return [(problem.entry, problem.step) for receipt in receipts for problem in receipt.verify(vocabulary)]


# --- what engines say -------------------------------------------------------------------------------


def test_a_reply_with_tokens_has_a_receipt_of_what_was_written(engine: Engine, tiny: Any) -> None:
    reply = engine.ask(return_token_ids=True)
    vocabulary = vocabulary_of(reply)
    (receipt,) = from_reply(reply, vocabulary, fw.form(RECORD))
    own = tiny.generate(PROMPT, RECORD)
    assert receipt.token_ids == tuple(own.token_ids)
    assert (receipt.prompt, receipt.text) == (own.receipt.prompt, own.receipt.text)
    assert (receipt.assumed, receipt.max_tokens, receipt.end) == ((), 300, "complete")
    assert receipt.verify(vocabulary, form=fw.form(RECORD)) == ()
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert reply["formwright"]["provenance"]["other"] == "1.0"


def test_a_reply_without_tokens_has_a_receipt_that_says_so(engine: Engine) -> None:
    reply = engine.ask(n=2)
    vocabulary = vocabulary_of(reply)
    receipts = from_reply(json.dumps(reply), vocabulary, fw.form(RECORD))
    assert [receipt.assumed for receipt in receipts] == [("token_ids", "prompt")] * 2
    assert [receipt.verify(vocabulary) for receipt in receipts] == [(), ()]
    text = reply["choices"][0]["message"]["content"]
    assert receipts[0].token_ids == tuple(vocabulary.merges.encode(text) or ())


def test_canonical_tokens_are_replayed_after_their_prompt(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", "1")
    engine = Engine(tiny, OtherStamp, canonical=True)
    reply = engine.ask(return_token_ids=True)
    (receipt,) = from_reply(reply, vocabulary_of(reply), fw.form(RECORD))
    assert (receipt.canonical, receipt.assumed, problems_of(reply)) == (True, (), [])
    assert receipt.prompt_end == tuple(tiny.encode(PROMPT))[-64:]
    reply = engine.ask()
    (receipt,) = from_reply(reply, vocabulary_of(reply), fw.form(RECORD))
    assert (receipt.canonical, receipt.assumed) == (False, ("token_ids", "prompt", "canonical"))


def test_a_tokenizer_that_cannot_be_found_is_not_named(
    engine: Engine, tiny: Any, caplog: pytest.LogCaptureFixture
) -> None:
    del engine.app.state.width
    reply = engine.ask(return_token_ids=True)
    assert "does not name the vocabulary" in caplog.text
    (receipt,) = from_reply(reply, tiny.vocabulary, fw.form(RECORD))
    assert (receipt.assumed, receipt.vocabulary) == (("vocabulary",), tiny.vocabulary.fingerprint)
    assert receipt.verify(tiny.vocabulary) == ()


def test_ends_of_the_request_are_ends_of_the_vocabulary(engine: Engine) -> None:
    stamps = [read_reply_stamp(engine.ask(stop_token_ids=ids)) for ids in ([], [7, 5])]
    assert [stamp.eos_token_ids for stamp in stamps] == [(1,), (1, 5, 7)]
    assert stamps[0].vocabulary != stamps[1].vocabulary
    assert [stamp.logits_size for stamp in stamps] == [WIDTH, WIDTH]


def test_plain_fields_are_forms_of_the_engine_that_reads_them(engine: Engine) -> None:
    reply = engine.ask(response_format=None, json_schema=json.dumps(RECORD))
    assert problems_of(reply) == []


# --- what was changed -------------------------------------------------------------------------------


def test_a_changed_token_is_found_at_its_step(engine: Engine) -> None:
    reply = engine.ask(return_token_ids=True)
    ids = reply["choices"][0]["token_ids"]
    wrong = [*ids[:2], ids[0], *ids[3:]]
    reply["choices"][0]["token_ids"] = wrong
    assert problems_of(reply)[0] == ("token_ids", 2)
    reply["choices"][0]["token_ids"] = ids[:-3]
    assert problems_of(reply) == [("end", len(ids) - 3), ("text", None)]
    message = reply["choices"][0]["message"]
    message["content"] = b"".join(map(vocabulary_of(reply).token, ids[:-3])).decode()
    assert problems_of(reply) == [("end", len(ids) - 3)]


def test_a_changed_text_is_found(engine: Engine) -> None:
    reply = engine.ask(return_token_ids=True)
    message = reply["choices"][0]["message"]
    message["content"] = message["content"].replace("39", "93")
    assert problems_of(reply) == [("text", None)]
    reply = engine.ask()
    message = reply["choices"][0]["message"]
    message["content"] = message["content"].replace("39", '"x"')
    assert [entry for entry, _ in problems_of(reply)] == ["token_ids"]


def test_another_form_or_tokenizer_is_found(engine: Engine, tiny: Any) -> None:
    reply = engine.ask(return_token_ids=True)
    with pytest.raises(fw.errors.ArgumentError, match="under the form") as raised:
        from_reply(reply, vocabulary_of(reply), fw.form({"type": "object"}))
    assert raised.value.argument == "form"
    letters = fw.Vocabulary([bytes([byte]) for byte in range(256)] + [b""], eos_token_ids=[256])
    (receipt,) = from_reply(reply, letters, fw.form(RECORD))
    assert [problem.entry for problem in receipt.verify(letters)] == ["vocabulary"]
    reply["formwright"]["form"] = fw.form(int).digest
    with pytest.raises(fw.errors.ArgumentError, match="under the form"):
        problems_of(reply)


def test_a_text_over_its_budget_is_found(engine: Engine) -> None:
    reply = engine.ask(return_token_ids=True)
    reply["formwright"]["provenance"]["max_tokens"] = 3
    assert problems_of(reply)[0][0] == "token_ids"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda reply: reply.pop("formwright"), "no stamp"),
        (lambda reply: reply["formwright"].pop("form"), "no stamp that names a form"),
        (lambda reply: reply["formwright"].pop("provenance"), "provenance"),
        (lambda reply: reply["formwright"]["provenance"].pop("canonical"), "cannot be read"),
        (lambda reply: reply["formwright"]["provenance"].update(max_tokens="9"), "another type"),
        (lambda reply: reply["formwright"]["provenance"].update(eos_token_ids=5), "cannot be read"),
        (lambda reply: reply.pop("choices"), "no choices"),
        (lambda reply: reply.update(choices=[5]), "not an object"),
        (lambda reply: reply["choices"][0].update(token_ids=["a"]), "whole numbers"),
        (lambda reply: reply["choices"][0].update(token_ids=5), "whole numbers"),
        (lambda reply: reply["choices"][0]["message"].update(reasoning="hm"), "calls or thoughts"),
        (lambda reply: reply["choices"][0]["message"].update(tool_calls=[{}]), "calls or thoughts"),
        (lambda reply: reply["choices"][0]["message"].update(content=None), "calls or thoughts"),
    ],
)
def test_what_has_no_receipt_is_refused(engine: Engine, change: Any, what: str) -> None:
    reply = engine.ask()
    vocabulary = vocabulary_of(reply)
    change(reply)
    with pytest.raises(fw.errors.ArgumentError, match=what):
        from_reply(reply, vocabulary, fw.form(RECORD))


def test_what_is_no_reply_is_refused(tiny: Any, engine: Engine) -> None:
    for reply in ("{", b"\xff", "[]", "[" * 100_000, None):
        with pytest.raises(fw.errors.ArgumentError, match="not a reply"):
            from_reply(reply, tiny.vocabulary)
    with pytest.raises(fw.errors.ArgumentError, match="by a digest"):
        from_reply(engine.ask(), tiny.vocabulary)


def test_a_reply_that_has_another_stamp_keeps_it() -> None:
    async def answer(request: Request) -> Response:
        await request.body()
        choice = {"message": {"content": '{"name": "Ada", "age": 39}'}, "finish_reason": "stop"}
        return JSONResponse({"model": "formwright", "choices": [choice], "formwright": 5})

    server = Engine(None, OtherStamp)
    server.app.router.routes = [Route("/v1/chat/completions", answer, methods=["POST"])]
    assert server.ask()["formwright"] == 5


# --- engines ----------------------------------------------------------------------------------------


def test_vllm_names_its_tokenizer(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    config = SimpleNamespace(
        get_vocab_size=lambda: WIDTH, try_get_generation_config=lambda: {"eos_token_id": [1, 3]}, name="tiny"
    )
    fake: Any = ModuleType("vllm.tokenizers")
    seen: list[Any] = []

    def find_tokenizer(model_config: Any) -> Any:
        seen.append(model_config)
        return tokenizers.Tokenizer.from_file(str(TOKENIZER))

    fake.cached_tokenizer_from_config = find_tokenizer
    monkeypatch.setitem(sys.modules, "vllm", ModuleType("vllm"))
    monkeypatch.setitem(sys.modules, "vllm.tokenizers", fake)
    engine = Engine(tiny, Stamp)
    engine.app.state.vllm_config = SimpleNamespace(model_config=config)
    reply = engine.ask(return_token_ids=True)
    assert problems_of(reply) == []
    stamp = read_reply_stamp(reply)
    assert (stamp.eos_token_ids, stamp.canonical, stamp.max_tokens) == ((1, 3), False, 300)
    engine.ask()
    assert seen == [config]  # once


def load_sglang_stamp() -> Any:
    """The module of SGLang's stamps, without the package that needs SGLang."""
    path = Path(middleware.__file__).parent / "sglang" / "stamped_server.py"
    spec = importlib.util.spec_from_file_location("stamped_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sglang_gets_a_middleware_before_its_server_starts(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load_sglang_stamp()
    engine = Engine(tiny, OtherStamp)
    engine.app.user_middleware.clear()
    kernel = SimpleNamespace(grammar_backend="formwright")
    context: Any = ModuleType("sglang.srt.runtime_context")
    context.get_exec = lambda: SimpleNamespace(kernel=kernel)
    server: Any = ModuleType(module.SERVER)
    server.app = engine.app
    for name, fake in ((module.SERVER, server), (context.__name__, context)):
        parts = name.split(".")
        for size in range(1, len(parts)):
            monkeypatch.setitem(sys.modules, ".".join(parts[:size]), ModuleType(".".join(parts[:size])))
        monkeypatch.setitem(sys.modules, name, fake)
    module.add_stamp("whatever", the="server is given")
    config = SimpleNamespace(vocab_size=WIDTH, hf_eos_token_id={1})
    manager = SimpleNamespace(tokenizer=tokenizers.Tokenizer.from_file(str(TOKENIZER)), model_config=config)
    engine.app.state.openai_serving_chat = SimpleNamespace(tokenizer_manager=manager)
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", "forced")
    assert read_reply_stamp(engine.ask()).canonical == "forced"
    kernel.grammar_backend = "xgrammar"
    assert read_reply_stamp(engine.ask()).canonical is False
    reply = engine.ask(response_format=None, json_schema=json.dumps(RECORD))
    choice = reply["choices"][0]
    choice["response_token_ids"] = vocabulary_of(reply).merges.encode(choice["message"]["content"])
    choice["prompt_token_ids"] = [5, 6]
    (receipt,) = from_reply(reply, vocabulary_of(reply), fw.form(RECORD))
    assert (receipt.assumed, problems_of(reply)) == ((), [])


def test_the_variable_of_sglang_is_0_or_1(monkeypatch: pytest.MonkeyPatch) -> None:
    module = load_sglang_stamp()
    for value, is_asked in (("", False), ("0", False), ("1", True)):
        monkeypatch.setenv("FORMWRIGHT_STAMP", value)
        assert module.is_stamp_asked() is is_asked
    monkeypatch.setenv("FORMWRIGHT_STAMP", "yes")
    with pytest.raises(fw.errors.ArgumentError, match="FORMWRIGHT_STAMP"):
        module.is_stamp_asked()


# --- our own server, and the command ----------------------------------------------------------------


@pytest.fixture(scope="module")
def post(tiny: Any) -> Any:
    from formwright.server import running

    with running(tiny) as server, httpx.Client(base_url=server.base_url, timeout=60) as client:

        def send(**more: Any) -> Any:
            body = {"model": "formwright-tiny", "messages": [{"role": "user", "content": PROMPT}], **ASKED, **more}
            return client.post("/chat/completions", json=body).json()

        yield send


def test_our_server_says_what_a_receipt_needs(post: Any, tiny: Any) -> None:
    plain, asked = post(temperature=0), post(temperature=0, formwright={"receipt": True})
    (receipt,), (own,) = (from_reply(reply, tiny.vocabulary, fw.form(RECORD)) for reply in (plain, asked))
    assert (receipt.assumed, own.assumed) == (("token_ids",), ())
    assert (receipt.prompt, receipt.text, receipt.form) == (own.prompt, own.text, own.form)
    assert (receipt.max_tokens, receipt.vocabulary) == (own.max_tokens, own.vocabulary)
    assert [each.verify(tiny.vocabulary, form=fw.form(RECORD)) for each in (receipt, own)] == [(), ()]
    assert from_reply(asked, tiny.vocabulary) == (own,)  # its receipts hold the form
    asked["choices"][0]["message"]["content"] = plain["choices"][0]["message"]["content"].replace("39", "40")
    (changed,) = from_reply(asked, tiny.vocabulary)
    assert {problem.entry for problem in changed.verify(tiny.vocabulary)} == {"text"}
    message = asked["choices"][0]["message"]
    message["reasoning"] = "x"
    with pytest.raises(fw.errors.ArgumentError, match="which its receipts do not have"):
        from_reply(asked, tiny.vocabulary)
    del message["reasoning"]
    with pytest.raises(fw.errors.ArgumentError, match="was written under the form"):
        from_reply(asked, tiny.vocabulary, fw.form({"type": "string"}))
    message["content"] = "\ud800"
    with pytest.raises(fw.errors.ArgumentError, match="half a character"):
        from_reply(asked, tiny.vocabulary)
    message["content"] = "39"
    asked["choices"] *= 2
    with pytest.raises(fw.errors.ArgumentError, match="2 texts"):
        from_reply(asked, tiny.vocabulary)


@pytest.mark.parametrize(
    "entries",
    [{"eos_token_ids": ["x"]}, {"logits_size": "9"}, {"vocabulary": 5}, {"prompts": [5]}, {"canonical": 1}],
)
def test_entries_of_another_type_are_refused(post: Any, tiny: Any, entries: dict[str, Any]) -> None:
    reply = post(temperature=0)
    reply["formwright"]["provenance"] |= entries
    with pytest.raises(fw.errors.ArgumentError, match="another type"):
        from_reply(reply, tiny.vocabulary, fw.form(RECORD))


def test_the_object_of_an_sdk_is_a_reply(post: Any, tiny: Any) -> None:
    openai = pytest.importorskip("openai")
    reply = post(temperature=0)
    answer = openai.types.chat.ChatCompletion.model_validate(reply)
    assert from_reply(answer, tiny.vocabulary, fw.form(RECORD)) == from_reply(reply, tiny.vocabulary, fw.form(RECORD))


def test_a_text_that_our_server_cut_says_so(post: Any, tiny: Any) -> None:
    reply = post(response_format=None, guided_regex="a.*b", stop=["e"], temperature=0, max_tokens=200)
    assert not read_reply_stamp(reply).is_complete
    (receipt,) = from_reply(reply, tiny.vocabulary, fw.regex("a.*b"))
    assert (receipt.end, receipt.verify(tiny.vocabulary)) == ("stop", ())


def test_a_wider_vocabulary_with_more_ends_is_read_from_the_file_of_its_tokenizer(tmp_path: Path) -> None:
    tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer, eos_token_ids=[7], logits_size=WIDTH + 96)
    provenance = Provenance(fw.compile(int, vocabulary), [5], 9)
    receipt = make_receipt(provenance, vocabulary.merges.encode("36") or [], end="complete")
    path, other = tmp_path / "receipt.json", tmp_path / "other.json"

    def run(receipt: Receipt, file: Path) -> tuple[int, str]:
        path.write_text(receipt.to_json())
        done = CliRunner().invoke(cli, ["verify", str(path), "--tokenizer", str(file)])
        return done.exit_code, done.stdout

    code, said = run(receipt, TOKENIZER)
    assert (code, said.startswith("holds: ")) == (0, True)
    small = json.loads(TOKENIZER.read_text("utf-8"))
    small["added_tokens"] = [*small["added_tokens"], {**small["added_tokens"][-1], "id": WIDTH + 200, "content": "<x>"}]
    other.write_text(json.dumps(small))
    code, said = run(receipt, other)
    assert (code, said.splitlines()[-1].startswith("vocabulary: it was ")) == (1, True)


def test_the_command_verifies_a_reply(engine: Engine, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.json" for name in ("reply", "form", "other", "saved")}
    reply = engine.ask(return_token_ids=True)
    paths["form"].write_text(json.dumps(RECORD, indent=2))
    paths["other"].write_text("{}")

    def run(*arguments: str, **more: Any) -> tuple[int, str]:
        paths["reply"].write_text(json.dumps(reply | more))
        given = ["verify", "--reply", str(paths["reply"]), "--tokenizer", str(TOKENIZER), *arguments]
        done = CliRunner().invoke(cli, given)
        return done.exit_code, done.stdout

    size = len(reply["choices"][0]["token_ids"]) - 1
    form = ["--form", str(paths["form"])]
    assert run(*form, "--save", str(paths["saved"])) == (0, f"holds: {size} tokens, complete\n")
    done = CliRunner().invoke(cli, ["verify", str(paths["saved"]), *form])
    assert done.exit_code == 0, done.output
    assert Receipt.from_json(paths["saved"].read_text()).token_ids == tuple(reply["choices"][0]["token_ids"][:-1])
    assert run(*form, "--save", str(paths["saved"]), choices=reply["choices"] * 2)[1].count("holds") == 2
    given = ["verify", str(paths["saved"]), "--tokenizer", str(TOKENIZER)]
    done = CliRunner().invoke(cli, given)
    assert (done.exit_code, done.stdout) == (0, f"holds: {size} tokens, complete\n" * 2)
    code, said = run("--form", str(paths["other"]))
    assert (code, said.startswith("form: the text was written under the form")) == (1, True)
    assert run()[0] == 2
    choice = reply["choices"][0]
    code, said = run(*form, choices=[{**choice, "token_ids": [choice["token_ids"][3], *choice["token_ids"][1:]]}])
    assert (code, said.startswith("token_ids[0]: ")) == (1, True)
    code, said = run(*form, choices=[{name: choice[name] for name in ("message", "finish_reason")}])
    assert (code, said.endswith("; not said, and assumed: token_ids\n")) == (0, True)
    assert CliRunner().invoke(cli, ["verify"]).exit_code == 2
    assert CliRunner().invoke(cli, ["verify", str(paths["saved"]), "--save", "x"]).exit_code == 2
