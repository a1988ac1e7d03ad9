"""Results: what they show, and when two are equal."""

from __future__ import annotations

from dataclasses import replace

from formwright.generation import Complete, Truncated

WRITTEN = {
    "text": "a",
    "token_ids": tuple(range(100)),
    "prompt_tokens": 3,
    "model_calls": 2,
    "forced_tokens": 0,
    "seconds": 0.25,
}


def test_the_value_comes_first_and_long_lists_are_short() -> None:
    shown = repr(Complete(value="a", **WRITTEN))
    assert shown.startswith("Complete(value='a', text='a', token_ids=(0, 1, 2, 3, 4, 5, 6, 7, ... 100 in all), ")
    assert shown.endswith("seconds=0.250)")
    assert repr(Truncated(reason="stop", **WRITTEN)).startswith("Truncated(reason='stop', text='a', ")
    assert "token_ids=(5,)" in repr(Complete(value=1, **(WRITTEN | {"token_ids": (5,)})))


def test_seconds_take_no_part_in_equality() -> None:
    one = Complete(value="a", **WRITTEN)
    assert one == replace(one, seconds=9.0)
    assert one != replace(one, model_calls=9)
    assert hash(one) == hash(replace(one, seconds=9.0))


def test_notebooks_show_a_table() -> None:
    html = Complete(value="<b>", **WRITTEN)._repr_html_()
    assert html.startswith("<table><caption>Complete</caption>")
    assert "&lt;b&gt;" in html
