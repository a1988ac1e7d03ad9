"""Tools and calls as conversations write them: how tools are listed, and the styles of calls."""

from __future__ import annotations

import json

from texts.examples import Choice, JsonWriter, Segment, Style, text_of
from texts.tool_tables import Tool
from texts.world import World


def described(tool: Tool, name: str, names: dict[str, str]) -> dict:
    """A tool as an API lists it."""
    fields = {}
    for key, argument in tool.arguments.items():
        made = argument.make(World(0))
        field = {"type": "string", "enum": list(made.options)} if isinstance(made, Choice) else {"type": argument.kind}
        fields[names[key]] = field | ({"description": argument.description} if argument.description else {})
    return {"name": name, "description": tool.description, "parameters": {"type": "object", "properties": fields, "required": list(fields)}}


def list_tools(world: World, tools: list[dict], language: str) -> str:
    """The tools, as a prompt lists them."""
    draw = world.random.random()
    if draw < 0.3:
        return ("工具：" if language == "zh" else "Tools: ") + ", ".join(tool["name"] for tool in tools) + ("。" if language == "zh" else ".")
    if draw < 0.65 or len(tools) > 4:
        return "\n".join([world.random.choice(["Tools:", "You can call:", "工具："]), *(f"- {tool['name']}({', '.join(tool['parameters']['properties'])}): {tool['description']}" for tool in tools)])
    if draw < 0.7:
        tools = [{"type": "function", "function": tool} for tool in tools]
    whole = json.dumps(tools, ensure_ascii=False) if world.chance(0.3) else "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    before, after = world.random.choice([("Tools:\n", ""), ("Tools:\n", ""), ("# Tools\n", ""), ("<tools>\n", "\n</tools>"), ("You may call these functions:\n", ""), ("工具：\n", "")])
    return f"{before}{whole}{after}"


def call_segments(world: World, calls: list[tuple[Choice, dict]], style: str) -> list[Segment]:
    """Calls, as models of a style write them."""
    writer = JsonWriter(Style(space=True), key_weight=1.0)
    opening, between, closing, separator, ends = {
        "json": ('{"name": "', '", "arguments": ', "}", ", ", ("[", "]")),
        "json_lines": ('{"name": "', '", "arguments": ', "}", "\n", ("", "")),
        "hermes": ('<tool_call>\n{"name": "', '", "arguments": ', "}\n</tool_call>", "\n", ("", "")),
        "llama3": ('{"name": "', '", "parameters": ', "}", "\n", ("", "")),
        "mistral": ('{"name": "', '", "arguments": ', "}", ", ", ("[TOOL_CALLS][", "]")),
        "qwen_xml": ("<tool_call>\n<function=", ">\n", "</function>\n</tool_call>", "\n", ("", "")),
    }[style]
    writer.force(ends[0])
    for index, (name, arguments) in enumerate(calls):
        writer.force((separator if index else "") + opening)
        writer.segments.append(Segment(name.value, "choice", name.options))
        writer.force(between)
        if style == "qwen_xml":
            for key, value in arguments.items():
                writer.force(f"<parameter={key}>\n")
                writer.segments.append(Segment(text_of(value), "line"))
                writer.force("\n</parameter>\n")
        else:
            writer.write(arguments)
        writer.force(closing)
    writer.force(ends[1])
    return writer.segments


def spelled_arguments(world: World, tool: Tool) -> dict[str, str]:
    """The names of a tool's arguments in this example."""
    names: dict[str, str] = {}
    for key, argument in tool.arguments.items():
        name = world.random.choice(argument.names) if world.chance(0.3) else argument.names[0]
        names[key] = name if name not in names.values() else key
    return names
