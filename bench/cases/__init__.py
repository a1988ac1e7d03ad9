"""What is asked of the engines: languages as data, with texts and the answer that is expected for each.

A text that is not in the language shows with ``‸`` where it stops being the beginning of one: ``2023-02-3‸0``. At the
very end, ``2023-02-‸``, the text is in form but not complete. That holds for every vocabulary: the first token that
reaches beyond the mark must be masked, or the end of text.
"""

from __future__ import annotations

import gzip
import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vocabularies import Vocabulary

HERE = Path(__file__).parent
MARK = "‸"
LONGEST = 5_000  # tokens of one text of the sample; longer ones are left out
MOST = 2  # valid and invalid texts of one schema of the sample
SOMEWHERE = -1


@dataclass(frozen=True)
class Case:
    """One language, ``kind`` being ``json_schema`` or ``regex``, with texts in it and not in it."""

    name: str
    kind: str
    source: str
    valid: Sequence[str]
    invalid: Sequence[str] = ()
    elsewhere: Sequence[str] = field(default=())
    """Texts known to be invalid, but not where."""

    def instances(self, vocabulary: Vocabulary) -> Iterator[dict[str, Any]]:
        """``tokens``, and ``reject``: the index that must be masked (their number for the end), null if none is."""
        for text in self.valid:
            yield {"tokens": vocabulary.ids(text), "reject": None}
        for text in self.invalid:
            good, _, rest = text.partition(MARK)
            tokens = vocabulary.ids(good + rest)
            yield {"tokens": tokens, "reject": _reaching(vocabulary, tokens, len(good.encode()))}
        for text in self.elsewhere:
            yield {"tokens": vocabulary.ids(text), "reject": SOMEWHERE}

    def line(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """The case with tokens for texts."""
        return {
            "name": self.name,
            "kind": self.kind,
            "source": self.source,
            "instances": list(self.instances(vocabulary)),
        }


def _reaching(vocabulary: Vocabulary, tokens: Sequence[int], good: int) -> int:
    at = 0
    for index, token in enumerate(tokens):
        at += len(vocabulary.tokens[token])
        if at > good:
            return index
    return len(tokens)


def regex() -> Iterator[Case]:
    """``regex.toml``; ``{words}`` is the alternation of ``words.txt``."""
    words = "|".join((HERE / "words.txt").read_text().split())
    for name, row in tomllib.loads((HERE / "regex.toml").read_text()).items():
        accepts = [text * row.get("times", 1) for text in row["accepts"]]
        yield Case(name, "regex", row["pattern"].replace("{words}", words), accepts, row["rejects"])


def sample(path: Path) -> Iterator[Case]:
    """JSON lines of ``name``, ``schema`` and ``tests`` of ``valid`` and ``data``; in one order of chance."""
    data = path.read_bytes()
    rows = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    random.Random(0).shuffle(rows)
    for row in map(json.loads, rows):
        texts = {answer: _texts(row["tests"], answer) for answer in (True, False)}
        if texts[True]:
            yield Case(row["name"], "json_schema", json.dumps(row["schema"]), texts[True], elsewhere=texts[False])


def _texts(tests: Sequence[Mapping[str, Any]], answer: bool) -> list[str]:
    return [json.dumps(test["data"], ensure_ascii=False) for test in tests if test["valid"] is answer][:MOST]


def suite(name: str, path: Path | None = None) -> Iterator[Case]:
    """``stress``, ``regex``, ``length``, or ``sample`` with the file of schemas."""
    from cases import length, stress

    if name == "sample":
        if path is None:
            raise SystemExit("the sample needs --sample FILE")
        return sample(path)
    return {"stress": stress.cases, "regex": regex, "length": length.cases}[name]()


def write(name: str, vocabulary: Vocabulary, out: Path, path: Path | None = None) -> None:
    """The suite as JSON lines, tokenized."""
    lines = (case.line(vocabulary) for case in suite(name, path))
    kept = (line for line in lines if name != "sample" or max(len(i["tokens"]) for i in line["instances"]) <= LONGEST)
    out.write_text("".join(json.dumps(line) + "\n" for line in kept))
