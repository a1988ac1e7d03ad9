"""The answers that the benchmark expects of every engine are ours, and its marks stand where ours says."""

import sys
from pathlib import Path

import pytest

from formwright import Language

BENCH = Path(__file__).parent.parent / "bench"
LANGUAGES = {"json_schema": Language.json_schema, "regex": Language.regex}


@pytest.mark.parametrize("suite", ["stress", "regex", "length"])
def test_expected_answers(suite, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.delitem(sys.modules, "cases", raising=False)
    import cases

    for case in cases.suite(suite):
        language = LANGUAGES[case.kind](case.source)
        for text in case.valid:
            assert language.check(text.encode()) == (len(text.encode()), True), case.name
        for text in case.invalid:
            good, _, rest = text.partition(cases.MARK)
            assert language.check((good + rest).encode()) == (len(good.encode()), False), (case.name, text[:60])
