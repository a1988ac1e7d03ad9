"""What canonical masks cost beside masks of all spellings, and what the published steps cost here.

::

    python bench/canonical.py masks --sample FILE [--most 300]    # real schemas, with the tokens of Tekken
    python bench/canonical.py steps                               # the published algorithms, with those of Mistral 7B
    python bench/canonical.py prepare --sample FILE               # cases of `cargo bench --bench canonical -- NAME`

Masks are those along one valid text of each schema, as the tokenizer writes it. A text is walked twice with each
matcher, lenient and canonical, either one first: *first* is what the first walk takes longer than the second one. Times
are of a call from Python, into a `RowBuffer`. Masks of more than 512 tokens are called wide: most are inside strings.
The vocabulary is warm after the first schemas: what is known of strings serves all schemas. *Forced* are steps at which
one token may come.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mistral_common
import numpy as np
import sentencepiece
from cases import Case, suite
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw
from formwright.reference.canonical import (
    Automaton,
    PartMerger,
    Seams,
    cartesian_merge,
    concatenate,
    direct_merge,
    make_form_automaton,
    make_token_automaton,
)
from formwright.tokenizers import Merges, merges_from, read

FILES = Path(mistral_common.__file__).parent / "data"
WIDE = 512


def time_work(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def middle(values: Sequence[float], share: float = 0.5) -> float:
    return sorted(values)[int(len(values) * share)] if values else float("nan")


def set_up(name: str, tokenizer: Any) -> Merges:
    """The merges of a tokenizer, and how long it takes to have them."""
    found, merges = time_work(lambda: merges_from(tokenizer))
    data = merges.to_bytes()
    loaded = min(time_work(lambda: Merges.from_bytes(data))[0] for _ in range(5))
    print(f"{name}: merges {found:.2f} s, from {len(data) / 1e6:.1f} MB of bytes {loaded * 1e3:.0f} ms")
    return merges


def masks(sample: Path, most: int) -> None:
    """Real schemas, lenient and canonical."""
    tokenizer = Tekkenizer.from_file(str(FILES / "tekken_240911.json"))
    merges = set_up("tekken", tokenizer)
    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer)
    first: dict[bool, list[float]] = {False: [], True: []}
    wide: dict[bool, list[float]] = {False: [], True: []}
    narrow: dict[bool, list[float]] = {False: [], True: []}
    forced = {False: 0, True: 0}
    refused = 0
    for case in suite("sample", sample):
        ids = _walkable(case, vocabulary, merges)
        if ids is None:
            continue
        order = (False, True) if len(first[True]) % 2 else (True, False)
        walks = {canonical: _walk(case, vocabulary, canonical, ids) for canonical in order}
        refused += walks[True] is None
        for canonical, walk in walks.items():
            if None in walks.values() or walk is None:
                continue
            early, late, widths = walk
            first[canonical].append(sum(early) - sum(late))
            for took, width in zip(late, widths, strict=True):
                (wide if width > WIDE else narrow)[canonical].append(took)
            forced[canonical] += sum(width == 1 for width in widths)
        if len(first[True]) == most:
            break
    if not first[True]:
        raise SystemExit("no schema of the sample could be walked")
    steps = len(wide[True]) + len(narrow[True])
    print(f"{len(first[True])} schemas, {steps} steps; texts whose tokens a mask does not allow: {refused}")
    print(f"{'':28}{'all spellings':>16}{'canonical':>12}")
    for what, values, unit, share in [
        ("first visits, median, ms", first, 1e3, 0.5),
        ("first visits, p95, ms", first, 1e3, 0.95),
        ("narrow mask, median, us", narrow, 1e6, 0.5),
        ("narrow mask, p95, us", narrow, 1e6, 0.95),
        ("wide mask, median, us", wide, 1e6, 0.5),
        ("wide mask, p95, us", wide, 1e6, 0.95),
    ]:
        print(f"{what:28}{middle(values[False], share) * unit:>16.2f}{middle(values[True], share) * unit:>12.2f}")
    print(f"{'forced':28}{forced[False] / steps:>16.1%}{forced[True] / steps:>12.1%}")


def _walkable(case: Case, vocabulary: fw.Vocabulary, merges: Merges) -> list[int] | None:
    """The tokens of the first valid text that is in form, of 3,000 at most."""
    try:
        matcher = fw.compile(fw.json_schema(case.source), vocabulary).matcher()
        ids = merges.encode(case.valid[0]) if case.valid else None
        if ids is None or len(ids) > 3_000:
            return None
        matcher.accept_tokens(ids)
    except fw.errors.FormwrightError:
        return None
    return ids


def _walk(
    case: Case, vocabulary: fw.Vocabulary, canonical: bool, ids: list[int]
) -> tuple[list[float], list[float], list[int]] | None:
    """Seconds of each mask on the first walk and on the second one, and how many tokens it allows."""
    row = fw.allocate_bitmask(1, vocabulary)[0]
    rows = fw.RowBuffer(row)
    matcher = fw.compile(fw.json_schema(case.source), vocabulary, canonical=canonical).matcher()
    times: list[list[float]] = [[], []]
    widths = []
    for walk in times:
        matcher.reset()
        for token in ids:
            walk.append(time_work(lambda: matcher.fill_bitmask(rows))[0])
            if walk is times[0]:
                widths.append(int(np.bitwise_count(row.view(np.uint32)).sum()))
            if not row[token // 32] >> (token % 32) & 1:
                return None
            matcher.accept_token(token)
    return times[0], times[1], widths


def steps() -> None:
    """What the published algorithms cost: the small versions, and the kernel."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(FILES / "tokenizer.model.v1"))
    merges = set_up("Mistral 7B", processor)
    vocabulary = fw.Vocabulary.from_tokenizer(processor)
    fw.compile(fw.choice(["warm"]), vocabulary, canonical=True)
    ids: dict[bytes, int] = {}
    for token, spelled in enumerate(read(processor).tokens):
        if spelled and (spelled not in ids or not processor.is_byte(token)):
            ids[spelled] = token

    def may_follow(left: bytes, right: bytes) -> bool:
        return merges.may_follow(ids[left], ids[right])

    def merge(texts: Automaton) -> Automaton:
        return cartesian_merge(make_token_automaton(texts, ids), may_follow)

    spelled = {token: text for text, token in ids.items()}
    table = [(spelled[left], spelled[right]) for left, right, _ in merges.table()]
    for pattern in ["boolean: ((true)|(false))", r'\{"name": "[a-z]{1,2}", "born": \d{4}\}']:
        texts = make_form_automaton(fw.regex(pattern))
        spellings, every = time_work(lambda texts=texts: make_token_automaton(texts, ids))
        pairs, by_pairs = time_work(lambda every=every: cartesian_merge(every, may_follow))
        edits, edited = time_work(lambda texts=texts: direct_merge(texts, table))
        compiled, _ = time_work(
            lambda p=pattern: (
                fw.compile(fw.regex(p), vocabulary, canonical=True)
                .matcher()
                .fill_bitmask(fw.allocate_bitmask(1, vocabulary))
            )
        )
        print(f"\n{pattern}: {every.states} states, {every.edges} edges; canonical {by_pairs.states}, {by_pairs.edges}")
        print(
            f"  all spellings {spellings:.3f} s; live pairs {pairs:.3f} s (published, of JSON texts: 0.687 s, 27.3 s)"
        )
        print(f"  merge by merge {edits:.3f} s; the kernel, to its first mask {compiled * 1e6:.0f} us")
        assert edited.minimize() == by_pairs.minimize()

    parts = {
        "word": make_form_automaton(fw.regex(r" [a-z]{1,3}\n")),
        "number": make_form_automaton(fw.regex(r" -?(0|[1-9][0-9]{0,8})\n")),
        "date": make_form_automaton(fw.regex(r" [0-9]{4}-[0-9]{2}-[0-9]{2}\n")),
    } | {key: make_form_automaton(fw.regex(f" {key}:\\n")) for key in ("name", "size", "born")}
    texts = [parts[name] for name in ["name", "word", "size", "number", "born", "date"] * 2]
    seams = Seams(ids)
    common = [parts[name] for name in ("word", "number", "date")]
    made, library = time_work(lambda: PartMerger(seams, merge, common))
    again, by_parts = time_work(lambda: PartMerger(seams, merge)(texts))
    kept, by_library = time_work(lambda: library(texts))
    without, whole = time_work(lambda: merge(concatenate(texts)))
    assert whole.minimize() == by_parts.minimize() == by_library.minimize()
    print(f"\nYAML keys and values, {len(texts)} parts with seams between them, {whole.states} states")
    print(f"  as one {without:.2f} s; each part once {again:.2f} s; with a library {kept:.2f} s (made in {made:.2f} s)")


def prepare(sample: Path) -> None:
    """Writes what `cargo bench --bench canonical` reads: a vocabulary, its merges, instances as canonical tokens."""
    tokenizers = {
        "tekken": Tekkenizer.from_file(str(FILES / "tekken_240911.json")),
        "spm32k": sentencepiece.SentencePieceProcessor(model_file=str(FILES / "tokenizer.model.v1")),
    }
    for name, tokenizer in tokenizers.items():
        vocabulary, merges = fw.Vocabulary.from_tokenizer(tokenizer), merges_from(tokenizer)
        folder = Path(__file__).parents[1] / "build" / "bench" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "canonical.vocabulary").write_bytes(vocabulary.to_bytes())
        (folder / "canonical.merges").write_bytes(merges.to_bytes())
        with (folder / "canonical.jsonl").open("w") as file:
            for case in suite("sample", sample):
                ids = [_after_newline(text, merges) for text in case.valid]
                instances = [{"tokens": tokens, "reject": None} for tokens in ids if tokens]
                line = {"name": case.name, "kind": "json", "source": case.source, "instances": instances}
                file.write(json.dumps(line) + "\n")


def _after_newline(text: str, merges: Merges) -> list[int]:
    """The tokens of a text where it follows a line: `SentencePiece` writes a space before the first line alone."""
    line, tokens = merges.encode("\n"), merges.encode("\n" + text)
    return list(tokens[len(line) :]) if line and tokens and list(tokens[: len(line)]) == list(line) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["masks", "steps", "prepare"])
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--most", type=int, default=300)
    args = parser.parse_args()
    if args.what == "steps":
        steps()
    elif args.sample is None:
        parser.error(f"{args.what} needs --sample FILE")
    elif args.what == "prepare":
        prepare(args.sample)
    else:
        masks(args.sample, args.most)


if __name__ == "__main__":
    main()
