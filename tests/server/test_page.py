"""The page of the server in a real browser: it asks, shows what is written, and says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import formwright as fw
from formwright.server import Settings, running

ANSWERED = "#outcome:not([hidden])"
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}, "founded": {"type": "integer"}},
    "required": ["city", "country", "founded"],
    "additionalProperties": False,
}


class _Opener:
    """Opens pages, and notes what they complain about and whom they ask."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.pages: list[Any] = []
        self.complaints: list[str] = []

    def __call__(self, url: str, **options: Any) -> Any:
        opened = self._browser.new_page(**{"viewport": {"width": 1200, "height": 900}} | options)
        origin = url.partition("#")[0]
        opened.on("console", lambda message: self._said(message.text))
        opened.on("pageerror", lambda error: self.complaints.append(str(error)))
        opened.on("request", lambda request: self._asked(request.url, origin))
        opened.goto(url)
        self.pages.append(opened)
        return opened

    def _said(self, text: str) -> None:
        # Chromium itself says so of every answer that is an error.
        if not text.startswith("Failed to load resource: the server responded with a status of 40"):
            self.complaints.append(text)

    def _asked(self, url: str, origin: str) -> None:
        if not url.startswith((origin, "data:image/svg+xml,")):
            self.complaints.append(url)


@pytest.fixture
def open_page(browser: Any) -> Iterator[_Opener]:
    opener = _Opener(browser)
    yield opener
    for page in opener.pages:
        page.close()
    assert opener.complaints == []


@pytest.fixture(scope="module")
def script(browser: Any, served: Any) -> Iterator[Any]:
    """A page whose functions are called."""
    opened = browser.new_page()
    opened.goto(f"{served.url}/")
    yield opened
    opened.close()


@pytest.fixture
def page(open_page: _Opener, served: Any) -> Any:
    opened = open_page(f"{served.url}/")
    opened.locator("#model option").wait_for(state="attached")
    return opened


def answer(page: Any) -> str:
    """The text of the tokens that are shown."""
    return page.locator("#tokens").evaluate("element => element.textContent")


def run(page: Any) -> None:
    page.get_by_role("button", name="Run").click()
    page.locator(ANSWERED).wait_for()


def choose(page: Any, kind: str) -> None:
    page.locator(f"[name=kind][value={kind}]").check(force=True)


def shown(page: Any) -> int:
    """How many tokens are shown."""
    return page.locator("#tokens .token").count()


def until(page: Any, is_so: Callable[[], bool]) -> None:
    for _ in range(500):
        if is_so():
            return
        page.wait_for_timeout(10)
    raise AssertionError("it has not come to be so")


def start_long(page: Any) -> None:
    """Begin a text that takes some seconds."""
    choose(page, "regex")
    page.locator("#regex").fill("[a-z]{2000}")
    page.locator("#max_tokens").fill("")
    page.get_by_role("button", name="Run").click()
    until(page, lambda: shown(page) > 3)


def test_the_first_run(page: Any) -> None:
    assert page.locator("#model").input_value() == "formwright-tiny"
    run(page)
    value = json.loads(answer(page))
    assert set(value) == set(CITY["properties"])
    assert json.loads(page.locator("#value").text_content()) == value
    tokens = page.locator("#tokens .token")
    assert page.locator("#status").text_content() == f"{tokens.count()} tokens, complete"
    assert "Complete, enforced by the kernel" in page.locator("#stamp").text_content()
    facts = dict(
        zip(page.locator("#facts dt").all_text_contents(), page.locator("#facts dd").all_text_contents(), strict=True)
    )
    assert facts["Tokens"] == str(tokens.count())
    assert facts["Forced"] == str(page.locator("#tokens .forced").count())
    assert facts["Pushed"] == str(page.locator("#tokens .pushed").count())
    assert int(facts["Tokens/s"].replace(",", "")) > 0


def test_colours_tell_how_much_the_form_pushed(page: Any) -> None:
    run(page)
    tokens = page.locator("#tokens .token")
    for index in range(tokens.count()):
        token = tokens.nth(index)
        strength = float(token.evaluate("e => e.style.getPropertyValue('--strength')").removesuffix("%"))
        classes = token.get_attribute("class").split()
        assert ("pushed" in classes) == (strength > 57.6)  # a tenth: 3.32 of ten bits, as a root
        assert ("pushed" in token.get_attribute("aria-label")) == ("pushed" in classes)
        assert ("forced" in token.get_attribute("aria-label")) == ("forced" in classes)


@pytest.mark.parametrize(
    ("example", "expected"),
    [("Date", "2025-03-14"), ("Sentiment", "negative"), ("Person", None), ("City record", None)],
)
def test_examples(page: Any, example: str, expected: str | None) -> None:
    page.get_by_role("button", name=example, exact=True).click()
    run(page)
    if expected is None:
        assert isinstance(json.loads(answer(page)), dict)
    else:
        assert answer(page) == expected


def test_tokens_come_as_they_are_written_and_stop_ends_the_request(page: Any, served: Any) -> None:
    worker = served.app.state.server.worker
    start_long(page)
    assert worker.running_count == 1
    assert page.locator("#stop").get_attribute("aria-disabled") is None
    early = shown(page)
    until(page, lambda: shown(page) > early + 3)
    page.get_by_role("button", name="Stop").click()
    until(page, lambda: page.locator("#status").text_content().startswith("Stopped after"))
    until(page, lambda: worker.running_count == 0)
    assert page.locator("#stop").get_attribute("aria-disabled") == "true"
    assert page.locator(ANSWERED).count() == 0


def test_another_run_replaces_the_one_under_way(page: Any) -> None:
    start_long(page)
    page.get_by_role("button", name="Sentiment").click()
    run(page)
    assert answer(page) == "negative"


def test_hovering_shows_the_mask(page: Any) -> None:
    page.get_by_role("button", name="Date").click()
    run(page)
    tokens, mask = page.locator("#tokens .token"), page.locator("#mask")
    tokens.nth(0).hover()
    assert mask.locator(".said").text_content().startswith(f"Token 1 of {tokens.count()}: ")
    assert "of the probability together" in mask.text_content()
    signs = mask.locator("tbody td:last-child").all_text_contents()
    assert signs.count("✓ written") == 1
    assert set(signs) == {"✓ written", "✓ allowed", "✗ refused"}
    for row in mask.locator("tbody tr").all():
        assert ("✗" in row.text_content()) == ("refused" in (row.get_attribute("class") or ""))
    tokens.nth(1).hover()
    assert mask.locator(".said").text_content().startswith("Token 2 of")
    assert page.locator("#tokens .chosen").count() == 1


def test_the_mask_stays_where_the_pointer_is_while_tokens_come(page: Any) -> None:
    start_long(page)
    page.locator("#tokens .token").nth(1).hover()
    early = shown(page)
    until(page, lambda: shown(page) > early + 20)
    assert page.locator("#mask .said").text_content().startswith("Token 2 of")
    page.locator("h1").hover()
    until(page, lambda: not page.locator("#mask .said").text_content().startswith("Token 2 of"))
    page.keyboard.press("Escape")


def test_free_text(page: Any) -> None:
    choose(page, "text")
    page.locator("#max_tokens").fill("2")
    run(page)
    assert page.locator("#status").text_content() == "2 tokens, ended by max tokens"
    assert page.locator("#stamp").text_content() == "Free text: no form was enforced."
    assert page.locator("#tokens .pushed").count() == 0


def test_white_space_is_seen_and_not_in_the_text(page: Any) -> None:
    choose(page, "regex")
    page.locator("#regex").fill(r"a b\n\tc")
    run(page)
    assert answer(page) == "a b\n\tc"
    signs = page.locator("#tokens .blank").evaluate_all("all => all.map(e => getComputedStyle(e, '::before').content)")
    assert signs == ['"·"', '"↵"', '"⇥"']


def test_without_a_mouse(page: Any) -> None:
    focus = "document.activeElement.id || document.activeElement.textContent"
    way = []
    for _ in range(14):
        page.keyboard.press("Tab")
        way.append(page.evaluate(focus))
    assert way[:6] == ["model", "City record", "Date", "Sentiment", "Person", "prompt"]
    assert way[7:] == ["schema", "max_tokens", "temperature", "seed", "run", "stop", "link"]
    page.locator("#prompt").focus()
    page.keyboard.press("Control+Enter")
    page.locator(ANSWERED).wait_for()
    tokens = page.locator("#tokens .token")
    last = tokens.count() - 1
    assert page.locator("#tokens [tabindex='0']").count() == 1
    page.locator("summary").focus()
    page.keyboard.press("Tab")
    said = page.locator("#mask .said")
    assert said.text_content().startswith(f"Token {last + 1} of")
    for key, number in [("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", last + 1)]:
        page.keyboard.press(key)
        assert said.text_content().startswith(f"Token {number} of"), key
        assert tokens.nth(number - 1).evaluate("e => e === document.activeElement && e.tabIndex === 0")
        assert page.locator("#tokens [tabindex='0']").count() == 1
        assert page.locator("#tokens [aria-selected=true]").count() == 1


def test_arrows_move_between_lines(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    run(page)
    tokens = page.locator("#tokens .token")
    tokens.nth(0).focus()
    page.keyboard.press("ArrowDown")
    below = int(page.evaluate("document.activeElement.dataset.index"))
    assert tokens.nth(below).bounding_box()["y"] > tokens.nth(0).bounding_box()["y"] + 10
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.index") == "0"


def test_escape_stops(page: Any) -> None:
    start_long(page)
    page.keyboard.press("Escape")
    until(page, lambda: page.locator("#status").text_content().startswith("Stopped after"))


def error_at(page: Any, field: str) -> str:
    page.locator(f"#{field}-error:not(:empty)").wait_for()
    assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
    assert f"{field}-error" in page.locator(f"#{field}").get_attribute("aria-describedby")
    assert page.evaluate("document.activeElement.id") == field
    assert page.locator(".error:not(:empty)").count() == 1
    return page.locator(f"#{field}-error").text_content()


def selected(page: Any, field: str) -> str:
    return page.locator(f"#{field}").evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)")


def test_an_error_of_a_schema_is_shown_at_its_place(page: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "objekt"}}}
    page.locator("#schema").fill(json.dumps(schema, indent=1))
    page.get_by_role("button", name="Run").click()
    said = error_at(page, "schema")
    assert said.startswith('Line 8, at /properties/b/type: Unknown type "objekt".')
    assert "integer, number, string" in said  # the hint
    assert selected(page, "schema") == '"objekt"'
    page.locator("#schema").fill("{}")
    assert page.locator("#schema-error").text_content() == ""
    assert page.locator("#schema").get_attribute("aria-invalid") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "type":\n}', "Line 3: This is not JSON: } is not expected here."),
        ('{\n"a": 1,\n}', "Line 3: This is not JSON: } is not expected here."),
        ('{"a": [1, 2', "Line 1: This is not JSON: it ends too early."),
        ("{'a': 1}", "Line 1: This is not JSON: ' is not expected here."),
        ("{}\n{}", "Line 2: This is not JSON: { is not expected here."),
        ('{"a": 01}', "Line 1: This is not JSON: 1 is not expected here."),
        ('{"a": "\n"}', 'Line 1: This is not JSON: " is not expected here.'),
        ("[1,,2]", "Line 1: This is not JSON: , is not expected here."),
        ("[1}", "Line 1: This is not JSON: } is not expected here."),
        ("", "Line 1: This is not JSON: it ends too early."),
    ],
)
def test_a_schema_that_is_no_json(page: Any, text: str, said: str) -> None:
    page.locator("#schema").fill(text)
    page.get_by_role("button", name="Run").click()
    assert error_at(page, "schema") == said


def test_an_error_of_a_pattern_keeps_its_picture(page: Any) -> None:
    choose(page, "regex")
    page.locator("#regex").fill("(ab")
    page.get_by_role("button", name="Run").click()
    said = error_at(page, "regex")
    assert said.startswith("Regular expression: unclosed group")
    assert page.locator("#regex-error .picture").text_content().rstrip().endswith("^")


def test_errors_of_options_and_prompt(page: Any) -> None:
    page.locator("#temperature").fill("5")
    page.get_by_role("button", name="Run").click()
    assert error_at(page, "temperature") == "Input should be less than or equal to 2."
    page.locator("#temperature").fill("0")
    page.locator("#max_tokens").fill("3")
    page.get_by_role("button", name="Run").click()
    assert "the shortest known text of this form needs" in error_at(page, "max_tokens").lower()
    page.locator("#max_tokens").fill("50")
    page.locator("#prompt").fill("word " * 2000)
    page.get_by_role("button", name="Run").click()
    assert "Shorten the prompt" in error_at(page, "prompt")
    choose(page, "choices")
    page.locator("#prompt").fill("Hi")
    page.locator("#choices").fill("\n")
    page.get_by_role("button", name="Run").click()
    assert error_at(page, "choices").startswith("Choice: there are no options.")


FIELDS: list[tuple[str, Any]] = [
    ("a: str", {"type": "string"}),
    ("a: int  # a comment", {"type": "integer"}),
    ("a : list[list[float]]", {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
    ("a: list", {"type": "array"}),
    ("a: dict[str, bool]", {"type": "object", "additionalProperties": {"type": "boolean"}}),
    ("a: str | None", {"type": ["string", "null"]}),
    ('a: "x" | "y"', {"enum": ["x", "y"]}),
    ("a: 'it\\'s' | 1 | True", {"enum": ["it's", 1, True]}),
    ('a: "x" | None', {"anyOf": [{"enum": ["x"]}, {"type": "null"}]}),
    ("a: date | int", {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}]}),
]


@pytest.mark.parametrize(("line", "schema"), FIELDS)
def test_fields(script: Any, line: str, schema: Any) -> None:
    found = script.evaluate("line => schemaOfFields(line)", line)
    assert found == {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    fw.json_schema(found)


@pytest.mark.parametrize(
    ("line", "default"),
    [
        ("a?: str", None),
        ('a: str = "x"', "x"),
        ("a: int = -3", -3),
        ("a: list[str] = []", []),
        ("a: bool = True", True),
    ],
)
def test_optional_fields(script: Any, line: str, default: Any) -> None:
    found = script.evaluate("line => schemaOfFields(line)", f"\n# first\nb: int\n\n  {line}")
    assert list(found["properties"]) == ["b", "a"]
    assert found["required"] == ["b"]
    assert found["properties"]["a"].get("default") == default


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: str\nb: strr", 'Line 2: There is no type "strr"; there are str, int,'),
        ("a str", 'Line 1: ":" is missing after "a", before "str".'),
        ("a: list[str", 'Line 1: "]" is missing after the type of the items, before the end of the line.'),
        ("a: dict[int, str]", 'Line 1: The keys of a dict are str, not "int".'),
        ("a: int\n\na: str", 'Line 3: "a" is a field already.'),
        ('a: "x', "Line 1: A text is not closed."),
        ("a: int int", 'Line 1: "int" is not expected.'),
        ("a: int = ", "Line 1: Expected a value, got the end of the line."),
        ("a: |", 'Line 1: Expected a type, got "|".'),
        ("a: int = x", 'Line 1: Expected a value, got "x".'),
        ("1: int", 'Line 1: Expected a name, got "1".'),
        ("# nothing", "There is no field; one is, for example, name: str."),
    ],
)
def test_errors_of_fields(page: Any, text: str, said: str) -> None:
    choose(page, "fields")
    page.locator("#fields").fill(text)
    assert page.locator("#request").text_content().startswith("There is none yet: ")
    page.keyboard.press("Control+Enter")
    assert error_at(page, "fields").startswith(said)


def test_names_that_mean_something_in_javascript(script: Any) -> None:
    found = script.evaluate("() => schemaOfFields('__proto__: int\\nconstructor: str\\ntoString: int')")
    assert found["required"] == ["__proto__", "constructor", "toString"]
    said = script.evaluate("() => { try { schemaOfFields('a: constructor') } catch (error) { return error.message } }")
    assert said.startswith('there is no type "constructor"')


@pytest.mark.parametrize(
    ("pointer", "part"),
    [
        ("", None),
        ("/a", '"x}"'),
        ("/b/1/c~1d", "[ ]"),
        ("/b/0", "-1.5e3"),
        ('/é"', "null"),
        ("/b/1/missing", '{"c/d": [ ]}'),
        ("/n/m", "{}"),
    ],
)
def test_where_a_pointer_leads(script: Any, pointer: str, part: str | None) -> None:
    text = '{ "a": "x}",\n "b": [-1.5e3, {"c/d": [ ]}], "é\\"": null, "n": {"m": {}} }'
    start, end = script.evaluate("([text, pointer]) => rangeOf(text, pointer)", [text, pointer])
    assert text[start:end] == (part or text)


def test_a_link_restores_the_state(page: Any, open_page: _Opener, served: Any) -> None:
    filled = {"prompt": "Wie heißt du? \u2713", "schema": '{"type": "object"}', "fields": "größe: int\n", "seed": "7"}
    filled |= {"regex": "[a-z]{3}", "choices": "ja\nnein", "max_tokens": "33", "temperature": "0.5"}
    for kind in ("schema", "fields", "choices", "regex"):
        choose(page, kind)
        if kind in filled:
            page.locator(f"#{kind}").fill(filled[kind])
    for name in ("prompt", "max_tokens", "temperature", "seed"):
        page.locator(f"#{name}").fill(filled[name])
    page.get_by_role("button", name="Link").click()
    until(page, lambda: page.locator("#status").text_content().startswith("The link is"))
    again = open_page(page.url)
    again.locator("#model option").wait_for(state="attached")
    assert again.evaluate("state()") == filled | {"kind": "regex"}
    assert again.locator("#regex").is_visible()
    assert not again.locator("#schema").is_visible()
    assert again.locator("#tokens .token").count() == 0  # nothing runs by itself
    cut = open_page(f"{served.url}/#nonsense")
    assert "cannot be read" in cut.locator("#other-error").text_content()
    assert cut.locator("#prompt").input_value() != ""


def test_the_request_is_told(page: Any) -> None:
    page.get_by_role("button", name="Sentiment").click()
    request = json.loads(page.locator("#request").text_content())
    assert request["guided_choice"] == ["positive", "neutral", "negative"]
    assert request["model"] == "formwright-tiny"
    assert request["max_tokens"] == 200


def test_a_server_that_wants_a_key(open_page: _Opener, tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(api_key="secret")) as server:
        page = open_page(f"{server.url}/")
        key = page.get_by_label("API key")
        key.wait_for()
        key.fill("wrong")
        page.keyboard.press("Control+Enter")
        page.locator("#key-error:not(:empty)").wait_for()
        key.fill("secret")
        page.locator("#prompt").focus()
        page.locator("#model option").wait_for(state="attached")
        run(page)
        assert json.loads(answer(page))
        assert page.locator(".error:not(:empty)").count() == 0
        page.get_by_role("button", name="Link").click()
        until(page, lambda: page.locator("#status").text_content().startswith("The link is"))
        assert page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])") == (
            '[{},{},""]'
        )
        assert "secret" not in page.evaluate("JSON.stringify(state())")


def test_a_server_that_is_gone(open_page: _Opener, tiny: fw.models.LocalModel) -> None:
    with running(tiny) as server:
        page = open_page(f"{server.url}/")
        page.locator("#model option").wait_for(state="attached")
        page.route("**/v1/chat/completions", lambda route: route.abort())
        page.get_by_role("button", name="Run").click()
        page.locator("#other-error:not(:empty)").wait_for()
        assert "connection" in page.locator("#other-error").text_content()
    open_page.complaints[:] = [said for said in open_page.complaints if "ERR_FAILED" not in said]


CONTROLS = {"button", "textbox", "combobox", "radio", "spinbutton", "option", "listbox", "link", "checkbox"}


def test_every_control_has_a_name(page: Any) -> None:
    run(page)
    session = page.context.new_cdp_session(page)
    for kind in ("schema", "fields", "regex", "choices", "text"):
        choose(page, kind)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        found = [node for node in nodes if not node["ignored"] and node["role"]["value"] in CONTROLS]
        assert len(found) > 20
        assert [node["role"]["value"] for node in found if not node.get("name", {}).get("value")] == []
    assert page.locator("h1").count() == 1
    assert page.locator("main").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("[aria-live]").count() == 0
    assert page.locator("[role=status]").count() == 1


CONTRASTS = """() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const over = (colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !element.getClientRects().length || element.closest("script, style")) continue;
    const backs = [];
    for (let at = element; at; at = at.parentElement) backs.unshift(getComputedStyle(at).backgroundColor);
    const back = over(backs), front = over([...backs, getComputedStyle(element).color]);
    const [low, high] = [light(back), light(front)].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), text.slice(0, 40), element.className]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(open_page: _Opener, served: Any, scheme: str) -> None:
    page = open_page(f"{served.url}/", color_scheme=scheme, reduced_motion="reduce")
    page.locator("#model option").wait_for(state="attached")
    run(page)
    page.locator("#tokens .pushed").first.hover()
    page.locator("#temperature").fill("9")
    page.get_by_role("button", name="Run").click()
    page.locator("#temperature-error:not(:empty)").wait_for()
    page.locator("#temperature").fill("0")
    run(page)
    page.locator("#tokens .pushed").first.hover()
    found = page.evaluate(CONTRASTS)
    assert len(found) > 80
    assert [entry for entry in found if entry[0] < 4.5] == []


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1600])
def test_nothing_is_wider_than_the_window(open_page: _Opener, served: Any, width: int) -> None:
    page = open_page(f"{served.url}/", viewport={"width": width, "height": 800})
    page.locator("#model option").wait_for(state="attached")
    run(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#tokens .token").first.bounding_box()["width"] > 0


def test_a_narrow_window_goes_to_the_answer(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    assert page.locator("#answer-title").bounding_box()["y"] > 700
    page.keyboard.press("Control+Enter")
    page.locator(ANSWERED).wait_for()
    assert 0 <= page.locator("#answer-title").bounding_box()["y"] < 350


def test_no_motion_for_those_who_want_none(open_page: _Opener, served: Any) -> None:
    page = open_page(f"{served.url}/", reduced_motion="reduce")
    page.locator("#model option").wait_for(state="attached")
    run(page)
    assert page.locator("#tokens .token").first.evaluate("e => getComputedStyle(e).animationName") == "none"
