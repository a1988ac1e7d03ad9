"""Draw the diagrams of the documentation, from what the kernel answers: ``python docs/draw_diagrams.py``.

Each is an SVG in ``docs/pictures`` with colours for light and for dark screens. A test compares them with the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np

import formwright as fw
from formwright.generation.diffusion import CountingDenoiser, LowConfidence, fill_canvas

FOLDER = Path(__file__).parent / "pictures"
WIDTH = 760
STYLE = (
    "text{font:14px sans-serif;fill:#24384f}.code{font:14px monospace}.small{font-size:12px}.head{font-weight:bold}"
    "rect,path,line{stroke:#5b7da3;fill:none}.fill{fill:#eef3f8}.yes{fill:#cfe8d5;stroke:#3f8f5b}"
    ".no{fill:#f6d5d3;stroke:#b3473f}.bar{fill:#7fa6d1;stroke:none}.other{fill:#d9a25f;stroke:none}"
    ".third{fill:#6fb58a;stroke:none}.strike{stroke:#b3473f;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#dbe7f3}rect,path,line{stroke:#7fa6d1}.fill{fill:#1d2a38}"
    ".yes{fill:#1f4a30;stroke:#6fc28d}.no{fill:#57231f;stroke:#e0857d}.strike{stroke:#e0857d}}"
)


def wrap(height: int, title: str, parts: Iterable[str]) -> str:
    """A picture of some height."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def write(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """A line of text; ``anchor`` is start, middle or end."""
    place = f'x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}"'
    return f'<text {place} xml:space="preserve">{escape(text)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str = "fill") -> str:
    """A rectangle; bars have no outline and no round corners."""
    corner = 0 if kind in ("bar", "other", "third") else 5
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner}" class="{kind}"/>'


def arrow(x: float, y: float, to: float) -> str:
    """A horizontal arrow."""
    return f'<path d="M{x:.0f} {y:.0f}H{to:.0f}m-7 -5l7 5l-7 5"/>'


def draw_mask() -> str:
    """Six tokens before the next step of a text, and which of them the kernel allows."""
    tokens = [b"21", b" 36", b'"Ada"', b"}", b" null", b"0"]
    vocabulary = fw.Vocabulary([*tokens, *b'{"age":'.split(b"|"), None], eos_token_ids=[7])
    schema = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    matcher = fw.compile(schema, vocabulary).matcher()
    matcher.accept_token(6)
    allowed = set(matcher.allowed_token_ids())
    parts = [write(20, 34, "written so far", "small"), write(20, 60, '{"age":', "code head"), arrow(100, 55, 150)]
    for place, token in enumerate(tokens):
        x, is_allowed = 170 + 97 * place, place in allowed
        parts.append(box(x, 34, 85, 36, "yes" if is_allowed else "no"))
        parts.append(write(x + 42, 57, token.decode().replace(" ", "␣"), "code", "middle"))
        parts.append(write(x + 42, 92, "1" if is_allowed else "0", "code", "middle"))
        if not is_allowed:
            parts.append(f'<line x1="{x + 6}" y1="64" x2="{x + 79}" y2="40" class="strike"/>')
    parts.append(write(150, 92, "mask", "small", "end"))
    return wrap(110, "A mask: which of six tokens may come next", parts)


def draw_path() -> str:
    """From a type to a mask, and who shares what."""
    stages = ["type, schema,\npattern", "form", "constraint", "matcher", "mask"]
    shared = ["what you write", "shared by all", "shared by threads", "one per sequence", "one per token"]
    parts, width = [], 116
    for place, (stage, who) in enumerate(zip(stages, shared, strict=True)):
        x = 20 + 151 * place
        parts.append(box(x, 20, width, 50))
        lines = stage.split("\n")
        parts += [
            write(x + width / 2, 50 - 9 * (len(lines) - 1) + 18 * row, line, "head", "middle")
            for row, line in enumerate(lines)
        ]
        parts.append(write(x + width / 2, 90, who, "small", "middle"))
        if place:
            parts.append(arrow(x - 31, 45, x - 4))
    parts.append(write(382, 122, "vocabulary", "head", "middle"))
    parts.append('<path d="M382 108V97m-4 5l4 -5l4 5"/>')
    parts.append(write(432, 122, "what each token id spells", "small"))
    return wrap(135, "From a type to a mask", parts)


def draw_budget() -> str:
    """A model that only wants to open arrays, within 12 tokens: how many tokens are allowed, and which comes."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    matcher = fw.compile(fw.json(whitespace="compact"), vocabulary).matcher()
    mask, budget = fw.allocate_bitmask(1, vocabulary), 12
    parts = [
        write(
            20, 24, f"a model that only wants to write  [  within {budget} tokens: how many tokens it may choose from"
        )
    ]
    for place in range(budget):
        matcher.fill_bitmask(mask, budget=budget - place)
        allowed = fw.allowed_tokens(mask)
        token_id = ord("[") if ord("[") in allowed else ord("]")
        matcher.accept_token(token_id)
        x, height = 30 + 60 * place, 6.0 * len(allowed)
        parts.append(box(x, 160 - height, 38, height, "bar"))
        parts.append(write(x + 19, 154 - height, str(len(allowed)), "small", "middle"))
        parts.append(write(x + 19, 182, chr(token_id), "code head", "middle"))
    return wrap(196, "A model within a budget: it may open arrays only as long as they can still be closed", parts)


def draw_tokenizations() -> str:
    """The ways to cut a word into tokens, and the one that the tokenizer takes."""
    pieces = [b"t", b"r", b"u", b"e", b"tr", b"ue", b"true"]
    ways = cut_into(b"true", pieces)
    parts = [write(20, 24, f"{len(ways)} ways to cut  true  into tokens", "head")]
    for row, way in enumerate(ways):
        x, y = 20.0, 40 + 34 * row
        for piece in way:
            parts.append(box(x, y, 22 * len(piece) + 8, 26, "yes" if len(way) == 1 else "fill"))
            parts.append(write(x + 11 * len(piece) + 4, y + 18, piece.decode(), "code", "middle"))
            x += 22 * len(piece) + 14
        parts.append(write(190, y + 18, "what the tokenizer writes" if len(way) == 1 else "spells the same", "small"))
    return wrap(52 + 34 * len(ways), "Tokenizations of one word, of which one is canonical", parts)


def cut_into(word: bytes, pieces: Sequence[bytes]) -> list[list[bytes]]:
    """All ways to cut a word into pieces, the ones with fewest pieces first."""
    if not word:
        return [[]]
    ways = [
        [piece, *rest] for piece in pieces if word.startswith(piece) for rest in cut_into(word[len(piece) :], pieces)
    ]
    return sorted(ways, key=len)


PRIOR = {"AA": 0.012, "AB": 0.006, "BA": 0.03, "BB": 0.02}
"""What a model gives to four valid texts. It begins with A nine times out of ten, and then wants what is invalid."""

FIRST = {"A": 0.9, "B": 0.1}


def draw_fairness() -> str:
    """Probabilities of four texts: the model's own over valid texts, masks alone, and 64 particles."""
    own = {text: share / sum(PRIOR.values()) for text, share in PRIOR.items()}
    masked = {text: FIRST[text[0]] * share / mass_after(text[0]) for text, share in PRIOR.items()}
    series = {
        "the model's own": (own, "bar"),
        "masks alone": (masked, "other"),
        "64 particles": (resample(masked), "third"),
    }
    parts, x = [], 20.0
    for name, (_, kind) in series.items():
        parts += [box(x, 14, 14, 14, kind), write(x + 20, 26, name, "small")]
        x += 150
    for group, text in enumerate(PRIOR):
        x = 60 + 175 * group
        for place, (shares, kind) in enumerate(series.values()):
            height = 120 * shares[text]
            parts.append(box(x + 38 * place, 180 - height, 30, height, kind))
            parts.append(write(x + 38 * place + 15, 174 - height, f"{shares[text]:.2f}", "small", "middle"))
        parts.append(write(x + 53, 200, text, "code", "middle"))
    return wrap(212, "Fairness: the model's own distribution, masks alone, particles", parts)


def mass_after(first: str) -> float:
    """The probability of valid texts that begin so."""
    return sum(share for text, share in PRIOR.items() if text[0] == first)


def resample(masked: dict[str, float], particles: int = 64, draws: int = 20_000) -> dict[str, float]:
    """How often each text is drawn if particles are weighted by what the masks took from the model."""
    chance = np.random.default_rng(0)
    texts = list(masked)
    weights = np.array([mass_after(text[0]) / FIRST[text[0]] for text in texts])
    drawn = chance.choice(len(texts), size=(draws, particles), p=[masked[text] for text in texts])
    cumulative = np.cumsum(weights[drawn], axis=1)
    places = (cumulative < chance.random((draws, 1)) * cumulative[:, -1:]).sum(axis=1)
    counts = np.bincount(drawn[np.arange(draws), places], minlength=len(texts))
    return {text: float(count) / draws for text, count in zip(texts, counts, strict=True)}


def draw_enforcers() -> str:
    """Who holds a text to its form: here, in our server, at a service."""
    columns = [
        (
            "in your process",
            "fw.load, fw.from_transformers, ...",
            "the kernel masks every token",
            'enforced == "kernel"',
        ),
        ("formwright serve", "fw.connect to your own server", "the kernel, on the server", 'enforced == "server"'),
        ("a service", "fw.connect to OpenAI, Anthropic, ...", "the service, or nobody", '"server" or "checked"'),
    ]
    parts = []
    for place, (name, call, who, result) in enumerate(columns):
        x = 20 + 245 * place
        parts.append(box(x, 16, 230, 108))
        parts.append(write(x + 12, 40, name, "head"))
        parts += [
            write(x + 12, 62, call, "small"),
            write(x + 12, 84, who, "small"),
            write(x + 12, 108, result, "code small"),
        ]
    parts.append(box(20, 140, 720, 34, "yes"))
    parts.append(
        write(WIDTH / 2, 162, "every text is checked by the same kernel before it is called Complete", "", "middle")
    )
    return wrap(188, "Who enforces the form", parts)


PIECES = ['{"name":"', "Ada", "Bo", '","age":', "3", "6", "}", ',"city":"', "Rome", "Oslo", '"}']
"""Tokens of records, in the order of their ids; the end of text and the token of a hole follow."""

RECORDS = [[0, 1, 3, 4, 5, 6], [0, 2, 3, 5, 7, 9, 10], [0, 1, 3, 5, 4, 7, 8, 10], [0, 2, 3, 4, 6]]


def draw_canvas() -> str:
    """A canvas of nine positions that a toy diffusion model fills, three tokens a step; one is chosen twice."""
    end, hole, length, width = len(PIECES), len(PIECES) + 1, 9, 76
    vocabulary = fw.Vocabulary([*(piece.encode() for piece in PIECES), None, None], eos_token_ids=[end])
    model = CountingDenoiser([record + [end] * (length - len(record)) for record in RECORDS], hole + 1, mask_id=hole)
    age, members = {"type": "integer", "minimum": 1, "maximum": 99}, {"name": ["Ada", "Bo"], "city": ["Rome", "Oslo"]}
    properties = {"name": {"enum": members["name"]}, "age": age, "city": {"enum": members["city"]}}
    schema = {"type": "object", "properties": properties, "required": ["name", "age"], "additionalProperties": False}
    canvas = fw.compile(fw.json_schema(schema, whitespace="compact"), vocabulary).canvas(length)
    policy, parts = LowConfidence(mask_id=hole, tokens=3, temperature=1.0), list[str]()
    for row, step in enumerate(fill_canvas(canvas, vocabulary, model, [], policy, seed=0)):
        y = 34 + 44 * row
        parts.append(write(10, y + 22, f"{row + 1}", "head"))
        for place, token_id in enumerate(step.token_ids):
            kind = "no" if place in step.refused else "yes" if place in step.placed else "fill"
            text = "" if token_id is None else "end" if token_id == end else PIECES[token_id]
            parts.append(box(28 + 81 * place, y, width, 34, kind))
            parts.append(write(28 + 81 * place + width / 2, y + 21, text, "code small", "middle"))
    parts += [write(10, 22, "step", "small"), write(48, 22, "positions", "small")]
    for place, (kind, text) in enumerate([("yes", "placed in this step"), ("no", "the first choice did not fit")]):
        parts += [box(400 + 170 * place, 9, 16, 16, kind), write(422 + 170 * place, 22, text, "small")]
    return wrap(34 + 44 * (row + 1), "A canvas that a diffusion model fills in three steps", parts)


PICTURES: dict[str, Callable[[], str]] = {
    "canvas": draw_canvas,
    "mask": draw_mask,
    "path": draw_path,
    "budget": draw_budget,
    "tokenizations": draw_tokenizations,
    "fairness": draw_fairness,
    "enforcers": draw_enforcers,
}


def main() -> None:
    """Write every picture."""
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
