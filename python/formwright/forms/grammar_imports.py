r"""``%import`` of other Lark grammars: what a grammar takes from them is written at its end.

::

    text = "start: DATE\n%import .dates.DATE"
    join_imports(text, {"dates": "DATE: YEAR /-\\d\\d/\nYEAR: /\\d{4}/"})
    # start: DATE
    #
    # DATE: DATES__YEAR /-\d\d/
    # DATES__YEAR: /\d{4}/

As in Lark, an imported name is the one here, or its alias, what it refers to has the name of its module before its own,
and what a module ignores is not imported. The rest of the grammar stays where it is, so places in messages are those of
its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from formwright.errors import ArgumentError, GrammarError

__all__ = ["find_modules", "join_imports"]

_TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|\#[^\n]*)
    | (?P<string>"(?:\\.|[^"\\\n])*"i?)
    | (?P<regex>/(?!/)(?:\\.|[^/\\\n])+/[imslux]*)
    | (?P<alias>->\s*\w+)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<other>\s+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_STATEMENT = re.compile(r"^[ \t]*(?:(?P<statement>%\w+)|[!?]*(?P<name>[A-Za-z_]\w*)(?=[ \t]*[.{:\[]))", re.MULTILINE)
_IMPORT = re.compile(
    r"%import\s+(?P<dot>\.?)(?P<path>\w+(?:\.\w+)*)[ \t]*(?:\((?P<several>[^)]*)\)|->[ \t]*(?P<alias>\w+))?"
)
_PARAMETERS = re.compile(r"[!?]*\w+[ \t]*\{([^}]*)\}")


@dataclass(frozen=True)
class Import:
    """One imported name: from which module, and what it is called here."""

    module: str
    name: str
    alias: str


@dataclass
class _Module:
    """What a grammar defines, by name, and what it imports."""

    definitions: dict[str, str] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)


def find_modules(text: str, package: str = "") -> list[str]:
    """The names of the modules that a grammar in a package imports from, without ``common``."""
    modules = [one.module for _, ones in _imports(text, package) for one in ones if one.module != "common"]
    return list(dict.fromkeys(modules))


def join_imports(text: str, modules: Mapping[str, str]) -> str:
    """A grammar with what it imports from other grammars.

    Args:
        text: The grammar.
        modules: The texts of other grammars, by their names: ``"dates"`` for ``%import .dates.DATE``, ``"a.b"`` for
            ``%import .a.b.NAME``.

    Raises:
        GrammarError: A module does not define a name that is imported from it.
        ArgumentError: One of ``modules`` is not a ``str``.
    """
    for name, module in modules.items():
        if not isinstance(module, str):
            raise ArgumentError(f"imports[{name!r}]: expected a str, got {type(module).__name__}", argument="imports")
    linker, kept = _Linker(modules), text
    for span, imports in _imports(text, ""):
        if all(one.module in modules for one in imports):
            kept = kept[: span[0]] + " " * (span[1] - span[0]) + kept[span[1] :]
            for one in imports:
                linker.add(one, one.alias)
    return "\n".join([kept, *linker.write()]) if linker.names else text


class _Linker:
    """Collects definitions of modules under the names that they have in the importing grammar."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self.texts = modules
        self.modules: dict[str, _Module] = {}
        self.names: dict[tuple[str, str], str] = {}
        self.open: list[tuple[str, str]] = []
        self.lines: list[str] = []

    def add(self, wanted: Import, name: str) -> None:
        """Names what is imported."""
        known = self.name_of(wanted.module, wanted.name, name)
        if known != name:  # it has a name already, so this is another one for it
            self.lines.append(f"{name}: {known}")

    def write(self) -> Iterator[str]:
        """The definitions of all names, and of those that they refer to."""
        for module, name in self.open:  # grows while it is read
            yield self.definition(module, name, self.names[module, name])
        yield from self.lines

    def definition(self, path: str, name: str, own: str) -> str:
        if path not in self.modules:
            self.modules[path] = _read_module(self.texts[path], path)
        module = self.modules[path]
        if name in module.definitions:
            return self.rewrite(path, module, name, own)
        if name not in module.imports:
            raise GrammarError(f"%import: the module {path!r} does not define {name!r}")
        wanted = module.imports[name]
        if wanted.module == "common":
            return f"%import common.{wanted.name} -> {own}"
        if wanted.module not in self.texts:
            raise GrammarError(
                f"%import in the module {path!r}: there is no module {wanted.module!r}", hint="add its text to imports="
            )
        return f"{own}: {self.name_of(wanted.module, wanted.name)}"

    def name_of(self, path: str, name: str, own: str | None = None) -> str:
        """What a name of a module is called here: ``own`` if it is new, or after its module."""
        if (path, name) not in self.names:
            self.open.append((path, name))
            self.names[path, name] = own or _name_in_module(path, name)
        return self.names[path, name]

    def rewrite(self, path: str, module: _Module, name: str, own: str) -> str:
        """A definition, in which what it refers to has the names of the importing grammar."""
        text = module.definitions[name]
        parameters = _PARAMETERS.match(text)
        kept = {word.strip() for word in parameters.group(1).split(",")} if parameters else set()
        parts, is_first = [], True
        for token in _TOKEN.finditer(text):
            word = token.group()
            if token.lastgroup == "name" and is_first:
                word, is_first = own, False
            elif (
                token.lastgroup == "name"
                and word not in kept
                and (word in module.definitions or word in module.imports)
            ):
                word = self.name_of(path, word)
            parts.append(word)
        return "".join(parts).rstrip()


def _name_in_module(path: str, name: str) -> str:
    """``dates__year`` for a rule, ``DATES__YEAR`` for a terminal; an underscore stays the first character."""
    prefix = path.replace(".", "__").strip("_")
    bare = name.lstrip("_")
    prefix = prefix.upper() if bare[:1].isupper() else prefix.lower()
    return f"{'_' * name.startswith('_')}{prefix}__{bare}"


def _read_module(text: str, path: str) -> _Module:
    module = _Module()
    lines = _find_first_lines(text)
    starts = [match for match in _STATEMENT.finditer(text) if match.start() in lines]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for start, end in zip(starts, ends, strict=True):
        if start["statement"] in ("%override", "%extend"):
            raise GrammarError(f"%import: the module {path!r} has {start['statement']}, which cannot be imported")
        if start["name"]:
            module.definitions[start["name"]] = text[start.start() : end].strip()
    package = path.rpartition(".")[0]
    module.imports = {one.alias: one for _, ones in _imports(text, package) for one in ones}
    return module


def _find_first_lines(text: str) -> set[int]:
    """Where lines begin that go on with no other line: not in brackets, and not after a backslash."""
    found, depth, before = {0}, 0, ""
    for token in _TOKEN.finditer(text):
        word = token.group()
        if token.lastgroup == "other":
            depth += (word in "([{") - (word in ")]}")
            if depth == 0 and before != "\\":
                found |= {token.start() + at + 1 for at, letter in enumerate(word) if letter == "\n"}
        before = word
    return found


def _imports(text: str, package: str) -> Iterator[tuple[tuple[int, int], list[Import]]]:
    """The import statements of a grammar: where each is, and what it imports."""
    for match in _IMPORT.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.strip():
            continue  # in a comment, or in a text
        path = match["path"].split(".")
        if match["several"] is None:
            *path, name = path
            names = [(name, match["alias"] or name)]
        else:
            names = [(name, name) for name in re.findall(r"\w+", match["several"])]
        module = ".".join([package, *path] if match["dot"] and package else path)
        if module:
            yield match.span(), [Import(module, name, alias) for name, alias in names]
