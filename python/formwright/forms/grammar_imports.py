r"""``%import`` of other Lark grammars: what a grammar takes from them is written at its end.

::

    text = "start: DATE\n%import .dates.DATE"
    join_imports(text, {"dates": "DATE: YEAR /-\\d\\d/\nYEAR: /\\d{4}/"}).text
    # start: DATE
    #
    # DATE: DATES__YEAR /-\d\d/
    # DATES__YEAR: /\d{4}/

As in Lark, an imported name is the one here, or its alias. What it refers to, and the alias of an alternative, has the
name of its module before its own. What a module ignores is not imported. The rest of the grammar stays where it is;
that messages name the places of modules, `grammar_places` sees to.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from formwright.errors import ArgumentError
from formwright.forms.grammar_places import Excerpt, JoinedGrammar, fail_at

__all__ = ["find_modules", "join_imports"]

_TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|\#[^\n]*)
    | (?P<string>"(?:\\.|[^"\\\n])*"i?)
    | (?P<regex>/(?!/)(?:\\.|[^/\\\n])+/[imslux]*)
    | ->\s*(?P<alias>\w+)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<other>\s+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_STATEMENT = re.compile(r"^[ \t]*(?:(?P<statement>%\w+)|[!?]*(?P<name>[A-Za-z_]\w*)(?=[ \t]*[.{:\[]))", re.MULTILINE)
_IMPORT = re.compile(
    r"%import\s+(?P<dot>\.?)(?P<path>\w+(?:\.\w+)*)[ \t]*(?:\((?P<several>[^)]*)\)|->[ \t]*(?P<alias>\w+))?"
)
_NOT_AN_END = re.compile(r"[^\n]")
_PARAMETERS = re.compile(r"[!?]*\w+[ \t]*\{([^}]*)\}")


@dataclass(frozen=True)
class Import:
    """One imported name: from which module, what it is called here, and where the statement is."""

    module: str
    name: str
    alias: str
    at: int


@dataclass
class _Module:
    """What a grammar defines, by name, each with its place, and what it imports.

    A name that is defined or imported twice is kept twice: the kernel refuses it, with both places.
    """

    definitions: defaultdict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    imports: defaultdict[str, list[Import]] = field(default_factory=lambda: defaultdict(list))

    def has(self, name: str) -> bool:
        """Whether it defines or imports a name."""
        return name in self.definitions or name in self.imports


def find_modules(text: str, package: str = "") -> list[str]:
    """The names of the modules that a grammar in a package imports from, without ``common``."""
    modules = [one.module for _, ones in _imports(text, package) for one in ones if one.module != "common"]
    return list(dict.fromkeys(modules))


def join_imports(text: str, modules: Mapping[str, str]) -> JoinedGrammar:
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
    sources = {**modules, "": text}
    linker, kept = _Linker(sources), text
    for (start, end), imports in _imports(text, ""):
        if all(one.module in modules for one in imports):
            kept = kept[:start] + _NOT_AN_END.sub(" ", kept[start:end]) + kept[end:]
            for one in imports:
                linker.add(one)
    if not linker.names:
        return JoinedGrammar(text, sources)
    pieces = (Excerpt(kept, "", 0, len(kept)), *linker.write())
    return JoinedGrammar("".join(piece.text for piece in pieces), sources, pieces)


class _Linker:
    """Collects definitions of modules under the names that they have in the importing grammar."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources
        self.modules: dict[str, _Module] = {}
        self.names: dict[tuple[str, str], str] = {}
        self.open: list[tuple[str, str, Excerpt]] = []
        self.lines: list[Excerpt] = []

    def add(self, wanted: Import) -> None:
        """Names what the grammar imports."""
        known = self.name_of(wanted.module, wanted.name, Excerpt("", "", wanted.at, 0), wanted.alias)
        if known != wanted.alias:  # it has a name already, so this is another one for it
            self.lines.append(Excerpt(f"\n{wanted.alias}: {known}", "", wanted.at, len("%import")))

    def write(self) -> Iterator[Excerpt]:
        """The definitions of all names, and of those that they refer to."""
        for module, name, asked in self.open:  # grows while it is read
            yield from self.definition(module, name, asked)
        yield from self.lines

    def definition(self, path: str, name: str, asked: Excerpt) -> Iterator[Excerpt]:
        """The definition of a name, which was asked for somewhere."""
        own = self.names[path, name]
        if path not in self.modules:
            self.modules[path] = _read_module(self.sources[path], path)
        module = self.modules[path]
        if not module.has(name):
            said = f"%import: the module {path!r} does not define {name!r}"
            raise fail_at(self.sources[asked.module], asked.module, asked.at, said)
        for definition in module.definitions.get(name, ()):
            yield from self.rewrite(path, module, definition, own)
        for wanted in module.imports.get(name, ()):
            yield self.write_import(path, wanted, own)

    def write_import(self, path: str, wanted: Import, own: str) -> Excerpt:
        """The definition of a name that a module imports itself."""
        here = Excerpt("", path, wanted.at, len("%import"))
        if wanted.module == "common":
            return here._replace(text=f"\n%import common.{wanted.name} -> {own}")
        if wanted.module not in self.sources:
            said = f"%import in the module {path!r}: there is no module {wanted.module!r}"
            raise fail_at(self.sources[path], path, wanted.at, said, hint="add its text to imports=")
        return here._replace(text=f"\n{own}: {self.name_of(wanted.module, wanted.name, here)}")

    def name_of(self, path: str, name: str, asked: Excerpt, own: str | None = None) -> str:
        """What a name of a module is called here: ``own`` if it is new, or after its module."""
        if (path, name) not in self.names:
            self.open.append((path, name, asked))
            self.names[path, name] = own or _name_in_module(path, name)
        return self.names[path, name]

    def rewrite(self, path: str, module: _Module, definition: tuple[str, int], own: str) -> Iterator[Excerpt]:
        """A definition, in which what it refers to has the names of the importing grammar."""
        text, start = definition
        parameters = _PARAMETERS.match(text)
        kept = {word.strip() for word in parameters.group(1).split(",")} if parameters else set()
        own_name: str | None = own
        yield Excerpt("\n", path, start, 0)
        for token in _TOKEN.finditer(text):
            piece = Excerpt(token.group(), path, start + token.start(), len(token.group()))
            if token.lastgroup == "name" and own_name is not None:
                piece, own_name = piece._replace(text=own_name), None
            elif token.lastgroup == "name" and piece.text not in kept and module.has(piece.text):
                piece = piece._replace(text=self.name_of(path, piece.text, piece))
            elif token.lastgroup == "alias":
                piece = piece._replace(text=f"-> {_name_in_module(path, token['alias'])}")
            yield piece


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
            said = f"%import: the module {path!r} has {start['statement']}, which cannot be imported"
            raise fail_at(text, path, start.start("statement"), said)
        if start["name"]:
            definition = text[start.start() : end]
            at = start.start() + len(definition) - len(definition.lstrip())
            module.definitions[start["name"]].append((definition.strip(), at))
    for _, ones in _imports(text, path.rpartition(".")[0]):
        for one in ones:
            if all((one.module, one.name) != (other.module, other.name) for other in module.imports[one.alias]):
                module.imports[one.alias].append(one)
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
            yield match.span(), [Import(module, name, alias, match.start()) for name, alias in names]
