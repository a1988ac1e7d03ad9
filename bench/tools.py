"""Whether the embedded model calls tools as well as it writes the same answers alone.

::

    python bench/tools.py 300

Questions are those of `training/data.py`, drawn with a seed that training does not use; each lists some tools. *Alone*
is one JSON Schema, a name and its arguments for each tool; *tools* is ``fw.tools(calls="one")`` in the style ``json``,
greedy both. Right is the name, and the values of all arguments.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import formwright as fw

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))
import data  # type: ignore[import-not-found]


def schema_of(value: object) -> dict[str, Any]:
    """The type of a fact of the training data."""
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean"}
    return {"type": kinds.get(type(value), "number")}


def question(world: Any) -> tuple[str, list[dict[str, Any]], str, dict[str, Any]]:
    """A prompt, the tools it lists, and the call that is right."""
    tools = world.random.sample(data.TOOLS, 5)
    values = [{key: make(world) for key, (_, make) in tool.arguments.items()} for tool in tools]
    said = {key: data.say_number_plain(world, value) for key, value in values[0].items()}
    text = world.sentence(tools[0].requests).format(**said)
    names = [tool.names[0] for tool in tools]
    shown = ", ".join(world.random.sample(names, len(names)))
    described = [
        {
            "name": tool.names[0],
            "parameters": {
                "type": "object",
                "properties": {key: schema_of(value) for key, value in made.items()},
                "required": list(made),
                "additionalProperties": False,
            },
        }
        for tool, made in zip(tools, values, strict=True)
    ]
    return f"{text} Tools: {shown}. Call a tool.", described, names[0], values[0]


def is_right(name: str, arguments: dict[str, Any], wanted_name: str, wanted: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the name is right, and whether all is."""
    same = {key: str(value) for key, value in arguments.items()} == {key: str(value) for key, value in wanted.items()}
    return name == wanted_name, name == wanted_name and same


def main() -> None:
    """Print how many are right."""
    count = int(sys.argv[1])
    model = fw.load("formwright-tiny")
    world = data.World("tools that nobody trained on", held_out=True, held_sentences=True)
    right = {"alone": [0, 0], "tools": [0, 0]}
    for _ in range(count):
        prompt, described, name, wanted = question(world)
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
