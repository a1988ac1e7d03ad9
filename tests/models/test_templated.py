"""Prompts by the chat template of a tokenizer: its variables, and texts without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from toys import byte_vocabulary

import formwright as fw
from formwright.models.runtimes.templated import make_encoder, make_text_encoder, make_variants

MESSAGES = [{"role": "user", "content": "Hi"}]


class Tokenizer:
    """Token ids are bytes; the template is read as one of transformers would be."""

    chat_template = (
        "{% for turn in messages %}{% generation %}{{ turn }}{% endgeneration %}{% break %}{% endfor %}"
        "{% if enable_thinking %}<think>{% endif %}{{ language }}"
    )

    def __call__(self, text: str) -> dict[str, Any]:
        return {"input_ids": [1, *text.encode()]}

    def apply_chat_template(
        self,
        conversation: Any,
        tools: Any = None,
        add_generation_prompt: bool = False,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        opened = "<think>" if kwargs.get("enable_thinking", True) else ""
        text = f"{conversation[0]['content']}|{opened}{kwargs.get('language', '')[:2]}"
        return {"input_ids": [*text.encode()]}


def model() -> fw.models.LocalModel:
    tokenizer, runtime = Tokenizer(), fw.load("formwright-tiny").runtime
    made = fw.models.LocalModel("m", runtime, byte_vocabulary(), make_encoder(tokenizer))
    return replace(made, encode_text=make_text_encoder(tokenizer), variants=make_variants(tokenizer))


def test_variables_reach_the_template() -> None:
    assert bytes(model().prompt_ids("Hi")) == b"Hi|<think>"
    without = model().with_chat_template_kwargs({"enable_thinking": False})
    assert bytes(without.prompt_ids("Hi")) == b"Hi|"
    assert bytes(without.prompt_ids(MESSAGES)) == b"Hi|"
    both = model().with_chat_template_kwargs({"enable_thinking": True, "language": "fr"})
    assert bytes(both.prompt_ids("Hi")) == b"Hi|<think>fr"


NOT_READ = ["enable_thinkin", "thinking", "messages", "tools", "return_dict", "conversation", "", "turn", "endfor"]


@pytest.mark.parametrize("name", NOT_READ)
def test_a_variable_that_the_template_does_not_read_is_refused(name: str) -> None:
    with pytest.raises(fw.errors.ArgumentError, match=f"'{name}' is not a variable") as caught:
        model().with_chat_template_kwargs({"language": "fr", name: True})
    assert caught.value.argument == "chat_template_kwargs"


def test_a_model_without_a_template_takes_no_variables() -> None:
    tiny = fw.load("formwright-tiny")
    assert tiny.with_chat_template_kwargs({}) is tiny
    with pytest.raises(fw.errors.ArgumentError, match="no chat template that takes variables"):
        tiny.with_chat_template_kwargs({"enable_thinking": False})


def test_what_a_template_cannot_do_with_a_variable_is_an_error_of_the_prompt() -> None:
    with pytest.raises(fw.errors.PromptError, match="the chat template refuses the conversation"):
        model().with_chat_template_kwargs({"language": 5}).prompt_ids("Hi")


def test_a_text_that_is_continued_has_no_template() -> None:
    assert model().text_ids("Hi") == [1, *b"Hi"]


def test_the_server_passes_variables_on() -> None:
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("starlette")
    from formwright.server import running

    def asked(url: str, **fields: Any) -> Any:
        body = {"model": "m", "messages": MESSAGES, "max_tokens": 1} | fields
        return httpx.post(f"{url}/v1/chat/completions", json=body)

    def tokens(answer: Any) -> int:
        return int(answer.json()["usage"]["prompt_tokens"])

    with running(replace(model(), vocabulary=fw.load("formwright-tiny").vocabulary)) as state:
        assert tokens(asked(state.url)) == len("Hi|<think>")
        assert tokens(asked(state.url, chat_template_kwargs={})) == len("Hi|<think>")
        assert tokens(asked(state.url, chat_template_kwargs={"enable_thinking": False})) == len("Hi|")
        scored = asked(state.url, chat_template_kwargs={"enable_thinking": False}, score=["a"])
        assert tokens(scored) == len("Hi|")
        for kwargs, said in (
            ({"enable_thinkin": True}, "is not a variable"),
            ({"language": 5}, "refuses"),
            ("x", "expected an object"),
        ):
            answer = asked(state.url, chat_template_kwargs=kwargs)
            assert answer.status_code == 400, answer.text
            assert said in answer.json()["error"]["message"]
            if said != "refuses":
                assert answer.json()["error"]["param"] == "chat_template_kwargs"
    with running(fw.load("formwright-tiny")) as state:
        refused = asked(state.url, model="formwright-tiny", chat_template_kwargs={"enable_thinking": True})
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, "chat_template_kwargs")
