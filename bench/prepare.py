"""Turns schemas with instances into benchmark cases: ``build/bench/vocabulary.bin`` and ``cases.jsonl``.

The vocabulary file is, for every id, a little-endian u32 length and the bytes (0 for special tokens).
"""

from __future__ import annotations

import argparse
import gzip
import json
import struct
from pathlib import Path

import mistral_common
from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer

OUT = Path("build/bench")
LONGEST = 2_000  # tokens of one instance
MOST = 2  # instances of one schema


def tokenizer() -> Tekkenizer:
    """The 131k vocabulary that ships in mistral-common."""
    return Tekkenizer.from_file(Path(mistral_common.__file__).parent / "data" / "tekken_240911.json")


def token_bytes(tekken: Tekkenizer) -> list[bytes]:
    """What each id spells; empty for special tokens."""
    return [
        b"" if index < tekken.num_special_tokens else tekken.id_to_byte_piece(index, SpecialTokenPolicy.IGNORE)
        for index in range(tekken.n_words)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="JSON lines (maybe gzipped): name, schema, tests of {valid, data}")
    parser.add_argument("--limit", type=int, default=1_000_000, help="schemas to take")
    arguments = parser.parse_args()
    tekken = tokenizer()
    OUT.mkdir(parents=True, exist_ok=True)
    tokens = token_bytes(tekken)
    (OUT / "vocabulary.bin").write_bytes(b"".join(struct.pack("<I", len(token)) + token for token in tokens))
    data = arguments.data.read_bytes()
    lines = (gzip.decompress(data) if arguments.data.suffix == ".gz" else data).decode().splitlines()
    with (OUT / "cases.jsonl").open("w") as out:
        for line in lines[: arguments.limit]:
            row = json.loads(line)
            texts = [json.dumps(test["data"], ensure_ascii=False) for test in row["tests"] if test["valid"]][:MOST]
            instances = [tekken.encode(text, bos=False, eos=False)[:LONGEST] for text in texts]
            if instances:
                case = {"name": row["name"], "schema": json.dumps(row["schema"]), "instances": instances}
                out.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
