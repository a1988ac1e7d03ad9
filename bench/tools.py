"""Whether the embedded model calls tools as well as it writes the same answers alone.

::

    python bench/tools.py 300

Requests are those of `training/texts/tools.py`, from the entries that training does not use; each lists five tools.
*Alone* is one JSON Schema, a name and its arguments for each tool; *tools* is ``fw.tools(calls="one")`` in the style
``json``, greedy both. Right is the name, and the values of all arguments.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import formwright as fw

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))
from texts.calls import described  # type: ignore[import-not-found]
from texts.examples import text_of  # type: ignore[import-not-found]
from texts.tools import TOOLS, request_for  # type: ignore[import-not-found]
from texts.world import World  # type: ignore[import-not-found]

SEED = 20_000


def draw_question(world: Any) -> tuple[str, list[dict[str, Any]], str, dict[str, str]]:
    """A prompt, the tools it lists, and the call that is right: its name, and its arguments as texts."""
    tools = world.random.sample(TOOLS["en"], 5)
    asked, values = request_for(world, tools[0], "en")
    listed = [
        described(tool, tool.names[0], {key: argument.names[0] for key, argument in tool.arguments.items()})
        for tool in tools
    ]
    for tool in listed:
        tool["parameters"]["additionalProperties"] = False
    shown = ", ".join(world.random.sample([tool["name"] for tool in listed], len(listed)))
    wanted = {tools[0].arguments[key].names[0]: text_of(value) for key, value in values.items()}
    return f"{asked} Tools: {shown}. Call a tool.", listed, listed[0]["name"], wanted


def is_right(name: str, arguments: dict[str, Any], wanted_name: str, wanted: dict[str, str]) -> tuple[bool, bool]:
    """Whether the name is right, and whether all is."""
    same = {key: text_of(value) for key, value in arguments.items()} == wanted
    return name == wanted_name, name == wanted_name and same


def main() -> None:
    """Print how many are right."""
    count = int(sys.argv[1])
    model = fw.load("formwright-tiny")
    world = World(SEED, held_out=True, held_sentences=True)
    right = {"alone": [0, 0], "tools": [0, 0]}
    for _ in range(count):
        prompt, described, name, wanted = draw_question(world)
        options = [
            {
                "type": "object",
                "properties": {"name": {"const": tool["name"]}, "arguments": tool["parameters"]},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for tool in described
        ]
        alone = model.generate(prompt, {"anyOf": options}).value
        (call,) = model.generate(prompt, fw.tools(described, calls="one")).value
        found = {"alone": (alone["name"], alone["arguments"]), "tools": (call.name, call.arguments)}
        for arm, (given, arguments) in found.items():
            for at, good in enumerate(is_right(given, arguments, name, wanted)):
                right[arm][at] += good
    for arm, (names, all_) in right.items():
        print(f"{arm}: name right {names} of {count}, name and arguments {all_} of {count}")


if __name__ == "__main__":
    main()
