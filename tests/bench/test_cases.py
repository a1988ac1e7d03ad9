"""The answers that the benchmark expects of every engine are ours, and its marks stand where ours says."""

import sys
from pathlib import Path

import pytest

import formwright as fw

BENCH = Path(__file__).parents[2] / "bench"
FORMS = {"json_schema": fw.json_schema, "regex": fw.regex}


@pytest.mark.parametrize("suite", ["stress", "regex", "length"])
def test_expected_answers(suite, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.delitem(sys.modules, "cases", raising=False)
    import cases

    for case in cases.suite(suite):
        form = FORMS[case.kind](case.source)
        for text in case.valid:
            assert form.check(text.encode())[:2] == (len(text.encode()), True), case.name
        for text in case.invalid:
            good, _, rest = text.partition(cases.MARK)
            assert form.check((good + rest).encode())[:2] == (len(good.encode()), False), (case.name, text[:60])
