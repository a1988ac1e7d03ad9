"""Draw automata as SVG pictures, from the start on the left to the ends on the right.

::

    draw_automaton(Automaton(ways=[{b"yes": 1}, {}], accepting=frozenset({1})))[:4]       # '<svg'

The column of a state is its distance from the start in letters; an end has two circles.

Cost: a page of text for a few dozen states. Many letters between two states are
one arrow, which names three of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from html import escape

from formwright.reference.canonical.automata import Automaton

__all__ = ["draw_automaton"]

_ACROSS, _DOWN, _RADIUS = 130, 70, 16
_MAX_NAMED = 3
"""Letters that an arrow names."""


def draw_automaton(automaton: Automaton) -> str:
    """Draw an automaton, and return the text of an SVG file."""
    places = _place_states(automaton)
    width = max(x for x, _ in places) + _ACROSS // 2
    height = max(y for _, y in places) + _DOWN // 2
    arrows = (
        _draw_arrow(places[at], places[to], _name_letters(letters))
        for at, ways in enumerate(automaton.ways)
        for to, letters in _group_by_target(ways).items()
    )
    circles = (_draw_circle(place, number, number in automaton.accepting) for number, place in enumerate(places))
    head = (
        '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker>'
    )
    style = 'font-family="monospace" font-size="11" text-anchor="middle"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {style}><defs>{head}</defs>'
    return "\n".join([opening, *arrows, *circles, "</svg>"]) + "\n"


def _place_states(automaton: Automaton) -> list[tuple[int, int]]:
    """Place the states: columns by distance from the start, rows in the order of their numbers."""
    column = {0: 0}
    pending = [0]
    for at in pending:
        for to in automaton.ways[at].values():
            if to not in column:
                column[to] = column[at] + 1
                pending.append(to)
    rows: dict[int, int] = defaultdict(int)
    places = []
    for state in range(automaton.states):
        at = column[state]
        places.append((_ACROSS // 2 + at * _ACROSS, _DOWN + rows[at] * _DOWN))
        rows[at] += 1
    return places


def _group_by_target(ways: Mapping[bytes, int]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = defaultdict(list)
    for letter, to in sorted(ways.items()):
        found[to].append(letter)
    return found


def _name_letters(letters: list[bytes]) -> str:
    shown = [_escape_letter(letter.decode(errors="backslashreplace")) for letter in letters[:_MAX_NAMED]]
    more = f" +{len(letters) - _MAX_NAMED}" if len(letters) > _MAX_NAMED else ""
    return escape("  ".join(shown) + more)


def _escape_letter(text: str) -> str:
    """Escape each character of a text that cannot be shown."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text).replace(" ", "␣")


def _draw_arrow(start: tuple[int, int], end: tuple[int, int], names: str) -> str:
    (x0, y0), (x1, y1) = start, end
    if start == end:
        path = f"M{x0 - 8} {y0 - 14}C{x0 - 24} {y0 - 46} {x0 + 24} {y0 - 46} {x0 + 8} {y0 - 15}"
        middle = (x0, y0 - 42)
    else:
        bend = (abs(x1 - x0) // _ACROSS - 1) * 26 + (18 if x1 <= x0 else 0)
        middle = ((x0 + x1) // 2, (y0 + y1) // 2 - bend)
        from_, to = _find_circle_edge(start, middle), _find_circle_edge(end, middle)
        path = f"M{from_[0]} {from_[1]}Q{middle[0]} {middle[1]} {to[0]} {to[1]}"
    text = f'<text x="{middle[0]}" y="{middle[1] - 5}">{names}</text>'
    return f'<path d="{path}" fill="none" stroke="black" marker-end="url(#head)"/>{text}'


def _find_circle_edge(center: tuple[int, int], towards: tuple[int, int]) -> tuple[int, int]:
    """Find the point where an arrow meets the circle of a state."""
    across, down = towards[0] - center[0], towards[1] - center[1]
    length = max(1.0, (across**2 + down**2) ** 0.5)
    return round(center[0] + across * _RADIUS / length), round(center[1] + down * _RADIUS / length)


def _draw_circle(place: tuple[int, int], number: int, is_end: bool) -> str:
    x, y = place
    inner = f'<circle cx="{x}" cy="{y}" r="{_RADIUS - 3}" fill="none" stroke="black"/>' if is_end else ""
    circle = f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="white" stroke="black"/>'
    return f'{circle}{inner}<text x="{x}" y="{y + 4}">{number}</text>'
