"""The border between Python and the Rust kernel: its classes and a few functions.

The docstrings are copies of those of the compiled module: `docs/stubs.py` writes them.
"""

from collections.abc import Callable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Generic, Literal, Self, TypeVar, final

from formwright.device.device_tables import DeviceTables
from formwright.forms.explain import Explanation
from formwright.forms.form import Form
from formwright.forms.readers import Part
from formwright.masks.canvas import Canvas as MaskCanvas

__all__ = [
    "Canvas",
    "Constraint",
    "Derivations",
    "Interrupt",
    "KeptRows",
    "Language",
    "Matcher",
    "Merges",
    "RowBuffer",
    "Values",
    "Vocabulary",
    "__version__",
    "_panic",
    "apply_bitmask",
    "best_allowed",
    "character_ranges",
    "copy_allowed",
    "environment",
    "fill_bitmasks",
    "first_allowed",
    "json_schema_formats",
    "json_schema_keywords",
    "places",
]

_T_co = TypeVar("_T_co", covariant=True)

__version__: str

@final
class Language:
    """A set of byte strings: what may be written. Immutable, hashable by identity, shared freely.

    `formwright.Form` is a language together with the reading of its texts; users have that.
    """

    @staticmethod
    def json_schema(
        schema: str,
        *,
        order: str = "schema",
        whitespace: str = "flexible",
        max_whitespace: int | None = None,
        max_items: int | None = None,
        alphabet: str | None = None,
        escapes: str = "natural",
        integers: str = "plain",
        numbers: str = "double",
        max_digits: int = 24,
        unknown_keywords: str = "error",
        format: str = "assert",
        formats: Mapping[str, str] | None = None,
        dialect: str | None = None,
        registry: Mapping[str, str] | None = None,
        notation: str | None = None,
    ) -> Language:
        """Read JSON Schema text.

        Args:
            schema: The schema as JSON text.
            order: ``"schema"`` writes declared properties in declaration order; ``"model"`` in any order.
            whitespace: ``"flexible"`` (compact, spaced and indented, bounded), ``"compact"``, ``"pretty"``, ``"free"``,
                or a regular expression over space, tab, CR and LF.
            max_whitespace: Most whitespace characters in a row where it is ``"free"``, 0 to 1,000; ``None`` is 12.
            max_items: Most items of an array whose schema gives no maximum.
            alphabet: The characters of strings and undeclared names that the schema leaves open; ``None`` is all.
            escapes: ``"natural"`` (only the escapes JSON needs) or ``"any"`` (every valid escape sequence).
            integers: ``"plain"`` (digits only) or ``"decimal"`` (also with a fraction of zeros, ``1.0``).
            numbers: ``"double"`` writes only numbers whose doubles are valid too, for readers such as Python's ``json``
                and JavaScript; ``"exact"`` all numbers, for readers of decimals.
            max_digits: Longest run of digits in a number, 1 to 400: before the point, after it, or in an exponent.
            unknown_keywords: ``"error"`` refuses near misses of known keywords, ``"ignore"`` accepts every unknown key.
            format: ``"assert"`` enforces formats, ``"annotation"`` ignores them; ``"exact"``, for comparisons, takes
                every text that is not written as forbidden, where ``"assert"`` leaves it to its readers.
            formats: Extra formats: name to regular expression.
            dialect: Dialect URI or short name, when ``$schema`` is absent.
            registry: URI to schema text, for remote references.
            notation: How values are written: a name and its options, such as ``"yaml 2 16"``; ``None`` is JSON.

        Raises:
            ArgumentError: An option has a value that it cannot have.
            SchemaError, UnsupportedKeyword, UnsatisfiableSchema, LimitExceeded: With a JSON Pointer.
        """
    @staticmethod
    def explain_json_schema(schema: str, options: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
        """How each keyword of a schema is read, also where `json_schema` refuses it. The options are the same."""
    @staticmethod
    def regex(pattern: str, *, dialect: str = "ascii") -> Language:
        """The texts that ``pattern`` matches from their first character to their last.

        Args:
            pattern: A regular expression.
            dialect: ``"ascii"`` or ``"unicode"``, which is what its digits, word characters and blanks are, or
                ``"python"`` for what `formwright.forms.patterns` makes of a compiled pattern.

        Raises:
            RegexError: The pattern cannot be read or compiled; the message shows the place.
            ArgumentError: There is no such dialect.
        """
    @staticmethod
    def choice(options: list[str]) -> Language:
        """Exactly one of ``options``.

        Raises:
            ArgumentError: There are none.
            LimitExceeded: One is too long, or all of them are.
        """
    @staticmethod
    def choice_of_lines(data: bytes) -> Language:
        """Exactly one of the lines of a file, without its line end (LF or CRLF).

        Raises:
            ArgumentError: There are none, or one is empty or not UTF-8; with its number.
            LimitExceeded: One is too long, or all of them are.
        """
    @staticmethod
    def control(name: str, or_text: bool) -> Language:
        """A control token of a vocabulary, by its name.

        Args:
            name: The name, such as ``"<|tool|>"``.
            or_text: Whether the name, spelled as text, may stand for it.

        Raises:
            ArgumentError: The name is empty.
        """
    @staticmethod
    def text(
        markers: list[str], *, included: bool = True, max_chars: int | None = None, max_tokens: int | None = None
    ) -> Language:
        """Free text, up to where one of some markers first comes.

        Args:
            markers: Where the text ends; if there are none, it may end anywhere.
            included: Whether the marker is the end of the text; if not, the text ends before it.
            max_chars: Most characters before the marker; ``None`` sets no bound.
            max_tokens: Most tokens that end in the text, or exactly with it; ``None`` sets no bound.

        Raises:
            ArgumentError: A marker is empty or a part of another, ``max_chars`` is negative, or ``max_tokens`` is too
                small to end the text from anywhere in it.
        """
    @staticmethod
    def format(name: str) -> Language:
        """The texts of a format of JSON Schema, without quotes.

        Raises:
            ArgumentError: There is no such format.
        """
    @staticmethod
    def one_of_text(source: str, unit: str) -> Language:
        """A piece of ``source``: one or more of its units in a row, as they are there.

        Args:
            source: The text.
            unit: ``"char"``, ``"word"`` or ``"sentence"``.

        Raises:
            ArgumentError: There is no such unit, or ``source`` has none of them.
            LimitExceeded: ``source`` is too long.
        """
    @staticmethod
    def branches(branches: list[tuple[str, Language]]) -> Language:
        """Any of some texts, each with what follows it.

        Args:
            branches: The texts, all different, and the language that follows each.

        Raises:
            ArgumentError: There are none, or two texts are equal.
            LimitExceeded: They are too large together.
        """
    @staticmethod
    def grammar(
        text: str,
        *,
        syntax: str = "auto",
        start: str | None = None,
        lexing: str | None = None,
        translations: Sequence[tuple[str, str, str]] = ...,
        forms: Sequence[tuple[str, Language]] = ...,
        controls: Sequence[tuple[int, str]] = ...,
    ) -> Language:
        """The texts of a grammar.

        Args:
            text: The grammar.
            syntax: ``"lark"``, ``"gbnf"`` or ``"ebnf"``; ``"auto"`` for what it looks like.
            start: The rule a text begins with; ``None`` for ``start`` or ``root``.
            lexing: ``"longest"``, ``"basic"`` or ``"any"``; ``None`` for that of the syntax.
            translations: Of its regular expressions: the expression, its flags, and what
                `formwright.forms.patterns` makes of it. Others are read in the syntax of Rust's regex library.
            forms: The forms that it refers to, by name.
            controls: The control tokens that it refers to by their ids, with their names.

        Raises:
            GrammarError: With the place in the grammar.
            UnsatisfiableSchema: No text conforms to it.
            LimitExceeded: It is too large.
        """
    @staticmethod
    def assembly(
        text: str,
        *,
        forms: Sequence[tuple[str, Language]],
        templates: Sequence[tuple[Sequence[str], Sequence[str]]],
        texts: Sequence[str],
        steps: Sequence[int],
    ) -> Language:
        """Copies of the rules of a grammar in Lark whose texts are cut in any way, put together.

        Args:
            text: The grammar.
            forms: The forms that it refers to, by name, but for those that copies fill.
            templates: The names of rules that are copied together, and of the forms that each copy fills.
            texts: Texts that steps refer to.
            steps: What is done, as `formwright.forms.assembly` writes it.

        Raises:
            GrammarError: With the place in the grammar.
            LanguageError: A step cannot be taken.
            UnsatisfiableSchema, LimitExceeded: It has no text, or is too large.
        """
    @staticmethod
    def read_grammar(
        text: str,
        *,
        syntax: str = "auto",
        start: str | None = None,
        forms: Sequence[str] = ...,
        vocabulary: Vocabulary | None = None,
    ) -> tuple[list[tuple[str, str, int, int]], list[tuple[int, int, str]], list[tuple[int, str]]]:
        """The regular expressions of a grammar, each with its flags, its line and its column. Then remarks on what is
        allowed but hardly meant, each with its line and column. Then the control tokens that it refers to by their ids,
        with their names; none if no ``vocabulary`` is given.

        Raises:
            GrammarError: With the place in the grammar.
            UnsupportedConstruct: An id is not that of a control token.
        """
    @staticmethod
    def parser(explore: Callable[[], Any], knows_shortest: bool) -> Language:
        """The texts that a character parser reads: on which `formwright.CharacterParser` is built.

        Args:
            explore: Makes a `formwright.forms.parsers.Exploration` of the parser.
            knows_shortest: Whether its ``shortest`` has answers.

        Raises:
            ParserFailed: The parser failed, or contradicts itself.
            UnsatisfiableSchema: It reads no text.
        """

    def __add__(self, other: Language, /) -> Language: ...
    def __radd__(self, other: Language, /) -> Language: ...
    def __or__(self, other: Language, /) -> Language: ...
    def __ror__(self, other: Language, /) -> Language: ...
    def __and__(self, other: Language, /) -> Language: ...
    def __rand__(self, other: Language, /) -> Language: ...
    def __invert__(self) -> Language: ...
    def shortest_outside(self, other: Language, most_bytes: int | None = None) -> bytes | None:
        """A shortest text of this language that ``other`` does not have, as UTF-8; ``None`` if there is none. Neither
        has to be regular: texts are tried, the shortest first. With ``most_bytes``, those up to this length.

        Raises:
            ArgumentError: One holds JSON, a control token, a character parser, or a part with a bound on its tokens.
            LimitExceeded: It was not found out.
        """
    @property
    def is_regular(self) -> bool:
        """Whether it is regular, and small enough to be taken as a pattern."""
    def between(self, prefix: str, suffix: str) -> Language:
        """What may be written between two texts, so that all three in a row are a text of this.

        Raises:
            UnsatisfiableSchema, ArgumentError, UnsupportedKeyword, LimitExceeded: As `formwright.Form.between`.
        """
    def repeat(self, low: int, high: int | None) -> Language:
        """This language ``low`` to ``high`` times in a row; ``None`` sets no upper bound.

        Raises:
            ArgumentError: ``low`` is negative or more than ``high``.
        """
    @classmethod
    def from_bytes(cls, data: bytes) -> Language:
        """The language that `to_bytes` wrote, read again from what its user wrote.

        Raises:
            LanguageError: The bytes are of something else or another version, or were cut short or changed. What they
                hold is read like any other text, and raises the errors of the constructors and operators.
            LimitExceeded: The language is larger than a stored one may be.
        """
    def to_bytes(self) -> bytes:
        """This language as bytes: its schemas with their options, expressions, texts and operators.

        It can also be pickled.

        Raises:
            LanguageError: A character parser is a part of it.
        """
    @property
    def control_tokens(self) -> list[str]:
        """The names of the control tokens that its texts may hold."""
    @property
    def is_json(self) -> bool:
        """Whether it is one JSON Schema whose values are written as JSON."""
    def check(self, data: bytes) -> tuple[int, bool]:
        """How many bytes of ``data`` conform, and whether a complete text ends exactly at its end."""
    def ends(self, data: bytes) -> list[int]:
        """How many bytes of ``data`` a complete text at its beginning may have, ascending."""
    def byte_automaton(
        self, most_states: int, most_bytes: int | None = None
    ) -> list[tuple[bool, list[tuple[int, int]]]]:
        """All states of a language that has at most so many, with the bytes that lead from each: whether a text may end
        there, and ``(byte, state)`` of its edges. State 0 is the start. With ``most_bytes``, those that are reached
        within so many bytes; nothing leads from one that takes all of them.

        Raises:
            ArgumentError: A part has a bound on its tokens, which bytes do not tell.
            LimitExceeded: There are more states, as in every language with recursion.
        """

    def values(self) -> Values | None:
        """What reads its texts as JSON and writes values; ``None`` if it is not one JSON Schema."""
    @property
    def nbytes(self) -> int:
        """Bytes of memory held, roughly. Automata are not counted: the languages of a vocabulary share them."""
    def example(self) -> bytes:
        """The shortest complete text (one of them), UTF-8."""
    def explain(self) -> list[tuple[str, str, str, str]]:
        """How each keyword was read: ``(pointer, keyword, status, note)``. Of a grammar, remarks on parts that no text
        has, and on where fewer texts conform than Lark reads; of others nothing.
        """

@final
class Derivations:
    """How texts are derived from a grammar, as it is written.

    Args:
        text, syntax, start, lexing, translations, forms, controls: As of `Language.grammar`.

    Raises:
        GrammarError: With the place in the grammar.
        UnsatisfiableSchema: No text conforms to it.
        LimitExceeded: It is too large.
    """

    def __new__(
        cls,
        text: str,
        *,
        syntax: str = "auto",
        start: str | None = None,
        lexing: str | None = None,
        translations: Sequence[tuple[str, str, str]] = ...,
        forms: Sequence[tuple[str, Language]] = ...,
        controls: Sequence[tuple[int, str]] = ...,
    ) -> Self: ...
    @property
    def language(self) -> Language:
        """The texts of the grammar."""
    @property
    def has_captures(self) -> bool:
        """Whether a rule or terminal is captured."""
    def read(
        self, data: bytes, asks: bool
    ) -> tuple[list[tuple[str, int, int, int]], tuple[int, int] | None, list[tuple[str, int, int]]] | None:
        """The first derivation of a text; ``None`` if it has none.

        Args:
            data: The text, UTF-8.
            asks: Whether other trees are looked for.

        Returns:
            Its nodes, children before their parents: ``(name, start, end, children)``, in characters. A terminal has -1
            children, and what is not there -2. The first place that has several trees. And the captured texts, in the
            order in which they begin: ``(name, start, end)``, in bytes.

        Raises:
            LimitExceeded: The text has too many derivations.
        """

    def read_begun(
        self, data: bytes
    ) -> tuple[list[tuple[str, int, int, int]], tuple[int, int] | None, list[tuple[str, int, int]]] | None:
        """The nodes that have begun in a text that goes on, as of `read`; ``None`` if it departs from the grammar.

        Args:
            data: The text, UTF-8.

        Raises:
            LimitExceeded: The text has too many derivations.
        """

    def names(self) -> list[str]:
        """The names that nodes may have, that of the start rule first."""

    def rules(self) -> list[str]:
        """Those of them that are names of rules, and not only of their alternatives."""

@final
class Merges:
    """How a tokenizer spells: what it merges, and where it cuts a text into pieces. Immutable.

    Control tokens are not part of it: a text is encoded as if none were written in it.

    Args:
        tokens: ``tokens[i]`` is what id ``i`` spells; ``None`` for ids that are not part of the merges.
        priorities: Any two tokens whose concatenation is token ``i`` merge, by ``priorities[i]``: less is sooner.
        merges: In place of priorities, the pairs that merge, in order, each with what it makes.
        fallback: ``fallback[byte]`` stands for a byte of a character that is not a token; ``None`` where pieces are
            merged from bytes, not from characters.
        pattern: The expression that cuts a text into pieces; ``None`` where it is one piece.
        classes: What the tokenizer's engine takes each class of the pattern for (`class_names`): ranges of characters,
            each from the first to the last.
        prefix: A character put before each text.
        space: The character that the tokenizer takes for a space.
        words: Texts that are tokens wherever they are, each with its id: they are cut out first.
        whole_pieces: Whether a piece that is a token is that token, whatever the merges make of it.

    Raises:
        VocabularyError: The merges contradict the tokens, or the pattern cannot be followed exactly.
        RegexError: The pattern is not read.
    """

    def __new__(
        cls,
        tokens: Sequence[bytes | None],
        *,
        priorities: Sequence[int] | None = None,
        merges: Sequence[tuple[int, int, int]] | None = None,
        fallback: Sequence[int | None] | None = None,
        pattern: str | None = None,
        classes: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        prefix: str | None = None,
        space: str | None = None,
        words: Sequence[tuple[str, int]] | None = None,
        whole_pieces: bool = False,
    ) -> Self: ...
    @classmethod
    def from_bytes(cls, data: bytes) -> Merges:
        """The merges that `to_bytes` wrote, checked as if they were given again.

        Raises:
            VocabularyError: The bytes are of something else or another version, or were cut short or changed.
        """
    def to_bytes(self) -> bytes:
        """These merges as bytes, to be stored or sent: quicker to read than to ask the tokenizer again."""
    @staticmethod
    def class_names(pattern: str) -> list[str]:
        """The classes of characters that a pattern names: properties, spaces, digits.

        Raises:
            RegexError: The pattern is not read.
        """

    def encode(self, text: str) -> list[int] | None:
        """The tokens that the tokenizer makes of a text; ``None`` if no token spells some character of it."""

    def is_viable_prefix(self, token_ids: Sequence[int]) -> bool:
        """Whether these tokens can be the beginning of what the tokenizer makes of some text.

        A viable prefix need not be canonical itself: a piece may end by what comes later. False is certain. True is
        what these tokens tell: whether a token exists that can follow is not looked for, nor are ``words``.
        """

    def allowed_token_ids(self, token_ids: Sequence[int]) -> list[int]:
        """All tokens that can follow in a viable prefix, ascending; none if it is not such a prefix."""

    def may_follow(self, left: int, right: int) -> bool:
        """Whether a token may follow another one in the same piece."""

    def table(self) -> list[tuple[int, int, int]]:
        """The merges that make tokens, in order: left, right, and what they make."""

    def is_canonical(self, token_ids: Sequence[int]) -> bool:
        """Whether the tokenizer makes these tokens of the text that they spell."""

@final
class Vocabulary:
    """What each token id spells, with the prefix trees and caches every constraint shares. Immutable.

    Args:
        tokens: ``tokens[i]`` is what id ``i`` spells; ``None`` or ``b""`` for ids that spell nothing.
        eos_token_ids: Every id that ends a text; at least one.
        special_tokens: Name to id of control tokens; they are allowed only where a form names them.
        logits_size: Width of a row of logits, at least ``len(tokens)``; the ids beyond are always masked.
        merges: How the tokenizer spells, for canonical tokens: `Merges`, or what gives them when they are needed.

    Raises:
        VocabularyError: With what was seen.
    """

    def __new__(
        cls,
        tokens: Sequence[bytes | None],
        *,
        eos_token_ids: Sequence[int],
        special_tokens: Mapping[str, int] | None = None,
        logits_size: int | None = None,
        merges: Merges | Callable[[], Merges] | None = None,
    ) -> Vocabulary: ...
    @classmethod
    def from_tokenizer(
        cls, tokenizer: Any, *, eos_token_ids: Sequence[int] | None = None, logits_size: int | None = None
    ) -> Vocabulary:
        """Read a foreign tokenizer: transformers, tokenizers, tiktoken, sentencepiece or mistral-common.

        Args:
            tokenizer: The tokenizer, as its library gives it.
            eos_token_ids: Ids that end a text beside those that the tokenizer declares.
            logits_size: Width of a row of the model's logits, where it is wider than the tokenizer.

        Raises:
            VocabularyError: The tokenizer is of no known kind or cannot be represented.
            MissingDependency: The library of the tokenizer is not installed.
        """
    @classmethod
    def from_bytes(cls, data: bytes, merges: Merges | Callable[[], Merges] | None = None) -> Vocabulary:
        """The vocabulary that `to_bytes` wrote, built and checked as if its tokens were given again.

        Raises:
            VocabularyError: The bytes are of something else or another version, were cut short or changed, or hold no
                sound vocabulary; the message says what was seen and where.
            TypeError: ``merges`` is something else.
        """
    def to_bytes(self) -> bytes:
        """This vocabulary as bytes, to be stored or sent: about 9 for each token. It can also be pickled.

        The bytes do not hold the merges: store ``merges.to_bytes()`` beside them. A pickle holds them once they were
        asked for.
        """
    @property
    def kept_constraints(self) -> tuple[int, int]:
        """The compiled forms that are kept for the next request: how many, and how many bytes they take with what their
        texts found, roughly. The bounds are on the page on limits.
        """
    def forget_constraints(self) -> None:
        """Drop the compiled forms that are kept for the next request."""
    def __len__(self) -> int: ...
    def token(self, token_id: int) -> bytes:
        """The bytes of ``token_id``; empty for special tokens.

        Raises:
            VocabularyError: There is no such id.
        """
    @property
    def eos_token_ids(self) -> list[int]:
        """Every id that ends a text."""
    @property
    def special_tokens(self) -> dict[str, int]:
        """Name to id of the control tokens."""
    @property
    def logits_size(self) -> int:
        """Width of a row of the model's logits."""
    @property
    def mask_words(self) -> int:
        """``ceil(logits_size / 32)``: int32 words in a row of a mask."""
    @property
    def merges(self) -> Merges:
        """How the tokenizer spells: made when it is first asked for, and kept.

        Raises:
            VocabularyError: It is not known, or the tokenizer cannot be followed exactly.
        """
    @property
    def fingerprint(self) -> str:
        """SHA-256 of tokens, ends and width as 64 hex digits: equal only when masks mean the same."""

@final
class Interrupt:
    """Ends what formwright reads and compiles, from another thread.

    A block of the thread that works says what it ends; any other thread may set it::

        interrupt = fw.Interrupt()

        def compiled(schema):                 # in a thread
            with interrupt:
                return fw.compile(schema, vocabulary)

        interrupt.set()                       # in another thread: `compiled` raises Interrupted

    It stays set, so that what begins later in such a block ends at once. Nothing half-made is kept. Calls of matchers
    are not ended by it: they are short. The block belongs to its thread, so nothing should be awaited in it.
    """

    def __new__(cls) -> Self: ...
    def set(self) -> None:
        """End what runs in its blocks, and what will."""
    @property
    def is_set(self) -> bool:
        """Whether it is set."""
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

@final
class Constraint(Generic[_T_co]):
    """A form compiled for a vocabulary: frozen, shared by threads and sequences.

    Made by `formwright.compile`. It keeps the form, so what the form reads a text as is never lost::

        constraint = fw.compile(Person, vocabulary)      # Constraint[Person]
        constraint.parse('{"name": "Ada"}')              # Person(name='Ada')

    Raises:
        DeadEnd: The vocabulary cannot spell any text of the form.
    """

    def __new__(
        cls, form: Form[_T_co], vocabulary: Vocabulary, *, canonical: bool | Literal["forced"] | None = None
    ) -> Self: ...
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    @classmethod
    def from_bytes(cls, data: bytes, vocabulary: Vocabulary) -> Constraint[Any]:
        """The constraint that `to_bytes` wrote, compiled again for ``vocabulary``, which must be the same as then.

        The bytes hold no Python type: texts are read with ``json.loads`` if the form was one JSON Schema or type, as
        ``str`` if not. Pickle keeps the type.

        Raises:
            VocabularyError: It was another vocabulary: the fingerprints differ.
            LanguageError, LimitExceeded: As `formwright.Form.from_bytes`.
        """
    def to_bytes(self) -> bytes:
        """This constraint as bytes: its language, and the fingerprint of its vocabulary.

        A pickled constraint brings its form and its vocabulary along; one vocabulary for all constraints of a pickle.
        """
    @property
    def form(self) -> Form[_T_co]:
        """The form it was compiled from."""
    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary it was compiled for."""
    @property
    def canonical(self) -> bool | Literal["forced"]:
        """Which tokens are canonical, that is, those that the tokenizer itself writes: all if ``True``, forced ones if
        ``"forced"``, perhaps none if ``False``.
        """
    def matcher(self, prompt_ids: Sequence[int] | None = None) -> Matcher:
        """A new matcher at the start of a text.

        Args:
            prompt_ids: The tokens before the text. They matter to canonical tokens only, which may continue a piece of
                the prompt. Where the prompt is not canonical itself, or no text can follow it so, the text begins as if
                a piece had ended.
        """
    def device_tables(self, *, most_bytes: int = 67108864) -> DeviceTables | None:
        """This constraint as tables, for a loop that asks no host; see `formwright.device`.

        Args:
            most_bytes: How many bytes they may take together.

        Returns:
            `formwright.device.DeviceTables`, or ``None`` where there are none: the form is recursive;
            names are not declared, or items must differ; the form has a parser, or bounds the
            tokens of a part; ``canonical=True``; the vocabulary cannot end some text; or the tables would have more
            than 32,000 states or ``most_bytes``, or take longer to make than a compilation may.

        Raises:
            ArgumentError: ``most_bytes`` is negative.
            Interrupted: The work was ended from outside.
        """
    def canvas(self, length: int, after: int | None = None) -> MaskCanvas:
        """A text of so many positions whose tokens become known in any order.

        It is for models that do not write from left to right::

            canvas = constraint.canvas(64)
            index = canvas.fill_bitmasks(allocate_bitmask(64, vocabulary))     # which tokens fit in each hole
            canvas.place(63, vocabulary.eos_token_ids[0])

        The first canvas of a constraint takes the time to find where each token leads: some milliseconds for a record
        of a few members, a second at most. All others have it.

        Args:
            length: How many positions; ends of text fill what the text leaves.
            after: How many tokens may follow the canvas, for texts that are written block by block; ``None`` is none.

        Returns:
            `formwright.masks.canvas.Canvas`, all holes.

        Raises:
            UnsupportedKeyword: Items of an array, or undeclared names of an object, must differ; ``pointer`` leads to
                the value in the text, ``*`` being any item.
            ArgumentError: ``canonical=True``; the form has a character parser, or a part with ``max_tokens``; there is
                no position.
            LimitExceeded: The form has too many states, or the shortest text needs more positions.
            DeadEnd: The vocabulary cannot spell any text of the form.
            Interrupted: The work was ended from outside.
        """
    def between(self, prefix: str | bytes, suffix: str | bytes) -> Constraint[str]:
        """A constraint for what may be written between two texts, so that all three in a row are a text of the form.

        It fills in the middle::

            between = constraint.between('{"name": "Ada", "age": ', "}")
            matcher = between.matcher()                # masks, budgets, canonical tokens of the middle

        See `formwright.Form.between`, also for what it raises.

        Args:
            prefix: The beginning of a text, ``str`` or ``bytes`` of UTF-8.
            suffix: Its end.
        """
    def parse(self, text: str | bytes) -> _T_co:
        """The value that ``text`` spells. Raises OutputInvalid if it does not conform. See `formwright.Form.parse`."""
    def example(self) -> str:
        """The shortest complete text (one of them). See `formwright.Form.example`."""
    def explain(self) -> Explanation:
        """How each keyword was read. See `formwright.Form.explain`."""

@final
class Matcher:
    """One running sequence. Not for use by two threads at once (a second thread gets an error, not a race).

    Made by `Constraint.matcher`.
    """

    @property
    def constraint(self) -> Constraint[Any]:
        """The constraint it runs on."""
    def fill_bitmask(self, mask: Any, row: int = 0, *, budget: int | None = None) -> None:
        """Write the allowed tokens into one row.

        Args:
            mask: A `RowBuffer`, or a writable, C-contiguous int32 buffer (numpy array, CPU tensor's numpy view) of
                shape ``(rows, mask_words)`` or ``(mask_words,)``. Bit ``t & 31`` of word ``t >> 5`` is token ``t``;
                1 = allowed.
            row: Which row to write, counted from 0.
            budget: If given, allow only tokens after which a complete text still fits in ``budget`` tokens,
                this token included (the end-of-text token is not counted).

        Raises:
            TypeError: ``mask`` is not a writable int32 buffer.
            ArgumentError: The shape of the buffer, the row or the budget does not fit.
            DeadEnd: No token of the vocabulary can come next.
            LimitExceeded: ``budget`` is too small for any complete text.
        """
    def mask_tree(
        self, token_ids: Sequence[int], parents: Sequence[int], mask: Any, *, budget: int | None = None
    ) -> list[bool]:
        """Write the allowed tokens along a draft tree, for speculative decoding: at this place, and after each guess.

        The state does not change. Row 0 is this place, row ``i + 1`` is what may come after guess ``i``: nothing, if
        the guess cannot come itself or ends the text::

            mask = allocate_bitmask(4, vocabulary)
            matcher.mask_tree([5, 6, 7], [-1, -1, 0], mask)      # 5 or 6 comes next; 7 is a guess after 5

        Args:
            token_ids: The guesses, each after its parent.
            parents: For each guess the index of the guess that it follows; -1 follows the text. A chain is
                ``range(-1, len(token_ids) - 1)``.
            mask: As `fill_bitmask`, with ``len(token_ids) + 1`` rows or more.
            budget: As `fill_bitmask`, counted from this place; guesses that do not keep to it cannot come.

        Returns:
            For each guess whether it can come.

        Raises:
            ArgumentError: The lengths differ, a parent does not precede its guess, or the mask has too few rows.
            VocabularyError: There is no such id.
            TypeError, DeadEnd, LimitExceeded: As `fill_bitmask`; no row was written.
        """
    def allowed_token_ids(self, *, budget: int | None = None) -> list[int]:
        """The ids of the tokens that may come next, ascending: the same as `fill_bitmask`, as a list.

        For a look and for small vocabularies; a decode loop wants the mask.

        Raises:
            DeadEnd, LimitExceeded, ArgumentError: As `fill_bitmask`.
        """
    def accept_token(self, token_id: int) -> None:
        """Advance by one token.

        Raises:
            TokenRejected: It cannot come here; the state is unchanged.
            VocabularyError: There is no such id.
            LimitExceeded: The text leads to too many places at once, as where counters are inside one another; the
                state is unchanged.
        """
    def take(
        self, logits: Any, mask: Any, row: int = 0, *, left: int, finish: bool = True, forced: bool = True
    ) -> tuple[list[int], bytes, bool | None]:
        """Advance by the allowed token with the largest logit, and by the tokens that can only come after it.

        A whole greedy step in one call, which writes the mask of the place after it::

            matcher.take_forced(mask, most=64)                             # what can only come first
            token_ids, data, is_over = matcher.take(logits, mask, left=64)

        Args:
            logits: A C-contiguous float32 buffer of shape ``(width,)``, as `formwright._kernel.best_allowed`.
            mask: The mask of this place, as `fill_bitmask`, `take_forced` or the last call has written it.
            row: Which row to read and to write, counted from 0.
            left: How many tokens at most, the chosen one included.
            finish: Whether ``left`` is a budget too: a complete text must still fit in it.
            forced: Whether to go on after the chosen token. If not, the mask stays as it is.

        Returns:
            The tokens, the bytes that they spell (a control token its name), and whether the text is over: true and no
            tokens if the best one is an end of text, true also if only an end may come next. ``None`` as `take_forced`.

        Raises:
            DeadEnd: The best logit is not a finite number; the state is unchanged.
            TypeError, BufferError, ArgumentError: A buffer, the row or ``left`` does not fit, or no token is allowed.
            TokenRejected: The mask is of another place; the state is unchanged.
        """
    def take_forced(self, mask: Any, row: int = 0, *, most: int, finish: bool = True) -> tuple[list[int], bool | None]:
        """Advance by the tokens that can only come next, one by one as the masks say; writes the last mask.

        Args:
            mask: As `fill_bitmask`.
            row: Which row to write, counted from 0.
            most: How many tokens at most.
            finish: Whether ``most`` is a budget too: a complete text must still fit in it.

        Returns:
            The tokens, and whether only an end of text may come after them: ``None`` if that was not found out, because
            there are ``most`` tokens, or because of an error, which the next call raises.

        Raises:
            TypeError, ArgumentError, DeadEnd, LimitExceeded: As `fill_bitmask`; the state is unchanged.
        """
    def accept_tokens(self, token_ids: Sequence[int]) -> None:
        """Advance by all of these tokens, or by none.

        Raises:
            TokenRejected: One of them cannot come in its turn; the state is unchanged.
            VocabularyError: There is no such id; the state is unchanged.
        """
    def validate_tokens(self, token_ids: Sequence[int]) -> int:
        """How many of these tokens could be accepted in turn; the state does not change.

        Raises:
            VocabularyError: There is no such id.
        """
    def accept_bytes(self, data: bytes) -> None:
        """Advance by bytes rather than by a token. Counts as one step for `rollback`.

        Raises:
            TokenRejected: They cannot come here; the state is unchanged.
        """
    def rollback(self, steps: int = 1) -> None:
        """Undo the last ``steps`` accepted tokens or byte runs.

        Raises:
            MatchError: There are fewer.
        """
    def fork(self) -> Matcher:
        """An independent copy at the same place."""
    def reset(self) -> None:
        """Back to the start of the text."""
    def forced_bytes(self) -> bytes:
        """The bytes that can only come next, maybe empty; the state does not change."""
    def forced_token_ids(self) -> list[int]:
        """The tokens that can only come next, one after the other; the state does not change.

        With canonical tokens, or where forced ones are canonical, these are what the tokenizer itself would write.

        Raises:
            DeadEnd, LimitExceeded: As `fill_bitmask`.
        """
    @property
    def continues_prompt(self) -> bool:
        """Whether the first token may continue the last piece of the prompt that the matcher was made with."""
    @property
    def is_complete(self) -> bool:
        """Whether the text so far is complete (it may still go on)."""
    @property
    def is_finished(self) -> bool:
        """Whether an end-of-text token was accepted."""
    @property
    def min_tokens_to_finish(self) -> int:
        """Tokens that the shortest known completion needs, end-of-text not counted; 0 when complete."""
    def parts(self) -> tuple[Part, ...]:
        """The named parts of the text so far, as `formwright.Form.parts` gives them.

        The last one is open if the text is not complete.
        """
    @property
    def accepted_bytes(self) -> bytes:
        """The bytes accepted so far. A control token is its name, between two bytes 0xFF."""

@final
class RowBuffer:
    """A mask whose memory is looked up once, not for every row that is written.

    Takes what `Matcher.fill_bitmask` takes, and is taken there and by `fill_bitmasks`::

        rows = RowBuffer(allocate_bitmask(batch, vocabulary))
        matcher.fill_bitmask(rows, 3)                     # written to rows.mask[3]

    The memory of ``mask`` is held as long as this lives: a numpy array can meanwhile not be resized in place.

    Raises:
        TypeError: ``mask`` is not a writable int32 buffer.
        ArgumentError: It is not C-contiguous, or has not one or two dimensions.
    """

    def __new__(cls, mask: Any) -> Self: ...
    @property
    def mask(self) -> Any:
        """What it was made from."""
    def __len__(self) -> int: ...

@final
class Canvas:
    """A text whose tokens become known in any order: on which `formwright.masks.canvas.Canvas` is built.

    Made by `formwright.Constraint.canvas`. Not for use by two threads at once: a second thread gets an error.
    """

    def place(self, position: int, token_id: int) -> None:
        """Put a token into a position. See `formwright.masks.canvas.Canvas.place`."""
    def place_all(self, positions: Sequence[int], token_ids: Sequence[int]) -> list[bool]:
        """Put tokens into positions, one after the other, and say of each whether it fits there."""
    def lift(self, positions: Sequence[int]) -> None:
        """Make positions holes again."""
    def fill_bitmasks(self, mask: Any) -> list[int]:
        """Write the distinct masks of all holes, and say by position which row is its own; -1 if its token is known."""
    def best(self, log_probabilities: Any) -> tuple[list[int], float, float]:
        """The most probable filling: its tokens, their log probability, and that again."""
    def draw(self, log_probabilities: Any, uniform: Any) -> tuple[list[int], float, float]:
        """A draw, made of two numbers from 0 up to 1 for each position: its tokens, their log probability, and that of
        all conforming fillings together.
        """
    def marginals(self, log_probabilities: Any, probabilities: Any) -> None:
        """Write the probability of each token in each position, given the form and the known tokens."""
    def __len__(self) -> int: ...
    @property
    def token_ids(self) -> list[int | None]:
        """By position: its token, or ``None``."""
    @property
    def is_recursive(self) -> bool:
        """Whether the form is recursive: then ``best``, ``draw`` and ``marginals`` are refused."""
    @property
    def holes(self) -> list[int]:
        """The positions whose token is not known, ascending."""
    @property
    def text(self) -> bytes | None:
        """What the tokens spell, ends of text left out, control tokens by name; ``None`` as long as there are holes."""
    @property
    def form_size(self) -> tuple[int, int]:
        """How many states the form has, and how many edges between them."""
    @property
    def nbytes(self) -> int:
        """Bytes of memory held, roughly, beside what all canvases of the constraint share."""
    def fork(self) -> Self:
        """An independent copy with the same tokens."""

@final
class KeptRows:
    """The rows of a host's own loop at one call: their token ids, and where each of them is.

    A host says nothing about its rows. That all of them have grown by one token, which is so nearly always, is found
    out here, and each has its next mask in the same call::

        kept = KeptRows(vocabulary, np.array([[5, 6]]), [(matcher, 0)])
        kept.extend(np.array([[5, 6, 7]]), mask)                       # the same rows, and which of them go on
        kept.extend(np.array([[5, 7, 6]]), mask)                       # None: these are other rows

    Args:
        vocabulary: That of all matchers.
        ids: A C-contiguous int64 buffer of shape ``(rows, length)``; it is copied.
        states: For each row its matcher, ``None`` if the row is over, and how many tokens it has written.

    Raises:
        ArgumentError: There is not one state for each row.
        TypeError, BufferError: ``ids`` is not such a buffer.
    """

    def __new__(cls, vocabulary: Vocabulary, ids: Any, states: Sequence[tuple[Matcher | None, int]]) -> Self: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[bytes]:
        """The bytes of the ids of each row."""
    def states(self) -> list[tuple[Matcher | None, int]]:
        """What it was made from."""
    def extend(self, ids: Any, mask: Any, max_tokens: int | None = None) -> tuple[KeptRows, list[bool]] | None:
        """The rows with one token more each, and their masks.

        A row whose token ended the text, could not come, or leaves no room for an end is over: it may only end again.

        Args:
            ids: As for ``KeptRows``.
            mask: As `Matcher.fill_bitmask`, with a row for each row.
            max_tokens: How many tokens each text may have; ``None`` is not a budget.

        Returns:
            The rows, and whether each of them goes on; ``None`` if ``ids`` are not these rows and one token more each.

        Raises:
            TypeError, ArgumentError, DeadEnd, LimitExceeded: As `Matcher.fill_bitmask`, but for a budget too small.
        """

def fill_bitmasks(
    matchers: Sequence[Matcher | None],
    mask: Any,
    *,
    rows: Sequence[int] | None = None,
    budgets: Sequence[int | None] | None = None,
) -> None:
    """Write one row for each matcher (``None`` leaves the row unconstrained: all ones), without holding the GIL.

    If a mask cannot be found, no row is written. Other threads may fill other rows of the same ``mask`` meanwhile.

    Args:
        matchers: One for each row, each once.
        mask: As `Matcher.fill_bitmask`.
        rows: The row of each matcher, counted from 0; if ``None``, the first matcher has row 0, and so on.
        budgets: The budget of each matcher, see `Matcher.fill_bitmask`; none if ``None``.

    Raises:
        ArgumentError: A matcher or a row is given twice, a row is not there, or the lengths differ.
        TypeError, DeadEnd, LimitExceeded: As `Matcher.fill_bitmask`.
    """

def apply_bitmask(logits: Any, mask: Any, rows: Sequence[int] | None, minus_infinity: int) -> None:
    """Write ``minus_infinity`` where the mask has no 1: on which `formwright.apply_bitmask` is built.

    Args:
        logits: A writable, C-contiguous buffer of uint16, uint32 or uint64, the bits of floats, of shape
            ``(rows, width)`` or ``(width,)``. Columns beyond the mask count as forbidden.
        mask: A C-contiguous int32 buffer of shape ``(rows, words)`` or ``(words,)``.
        rows: The rows to treat, or ``None`` for all.
        minus_infinity: The bits to write.

    Raises:
        TypeError, BufferError, ArgumentError: A buffer or a row does not fit; nothing was written.
    """

def best_allowed(logits: Any, mask: Any, row: int = 0) -> tuple[int, float]:
    """The allowed token with the largest logit, and that logit: a greedy choice that writes no logits.

    Among equals it is the one with the lowest id. A logit that is not a number is taken for the largest.

    Args:
        logits: A C-contiguous float32 buffer of shape ``(width,)``. Columns beyond the mask count as forbidden.
        mask: As `Matcher.fill_bitmask`.
        row: Which row to read, counted from 0.

    Raises:
        TypeError, BufferError, ArgumentError: A buffer or the row does not fit, or no token is allowed.
    """

def copy_allowed(logits: Any, mask: Any, out: Any) -> list[int]:
    """Copy logits, forbidden ones as minus infinity: `apply_bitmask` for a host that keeps its own.

    Args:
        logits: A C-contiguous float32 buffer of shape ``(rows, width)``.
        mask: As `Matcher.fill_bitmask`, one row for each row of the logits. Columns beyond it count as forbidden.
        out: A writable buffer as ``logits``.

    Returns:
        The rows in which every allowed logit is minus infinity.

    Raises:
        TypeError, BufferError, ArgumentError: A buffer does not fit; nothing was written.
    """

def first_allowed(mask: Any, row: int = 0, *, most: int = 2) -> list[int]:
    """The first ``most`` token ids that a row of a mask allows, ascending: they tell whether there is a choice.

    Args:
        mask: As `Matcher.fill_bitmask`.
        row: Which row to read, counted from 0.
        most: How many ids at most; reading stops there.

    Raises:
        TypeError, ArgumentError: As `Matcher.fill_bitmask`.
    """

@final
class Values:
    """Reads the texts of a JSON Schema in its notation as JSON, and writes values. Made by `Language.values`."""

    def read(self, text: str, *, partial: bool = False) -> str | None:
        """The JSON that ``text`` says; ``None`` if no text begins so.

        Args:
            text: A text, complete unless ``partial``.
            partial: Whether it may go on: what it says so far is JSON that has begun.

        Raises:
            LimitExceeded: There are too many ways to read it.
        """
    def write(self, json: str, /) -> str | None:
        """A text for a value, given as JSON: members in order of declaration, in the usual spelling; ``None`` if no
        text says it. Whether JSON conforms is not checked.

        Raises:
            ArgumentError: It is not JSON.
            LimitExceeded: Too many choices have to be tried.
        """

def places(source: str, unit: str, piece: str) -> list[tuple[int, int]]:
    """Where ``piece`` is in ``source``, in characters: ``(start, end)``, ascending.

    Raises:
        ArgumentError: There is no such unit, or ``source`` has none of them.
    """

def json_schema_keywords() -> list[tuple[str, str, str]]:
    """Every JSON Schema keyword: ``(name, role, note)``.

    The role is ``enforced``, ``core``, ``annotation`` or ``refused``.
    """

def _panic(message: str, is_locked: bool) -> None:
    """Panics, to test what becomes of a panic."""

def character_ranges(pattern: str) -> list[tuple[str, str]] | None:
    """The ranges of the characters that a pattern matches, if it is one of exactly one character.

    ``pattern`` is what `formwright.forms.patterns` makes of a compiled pattern.

    Raises:
        RegexError: The pattern cannot be read.
    """

def environment(names: list[str]) -> list[str | None]:
    """The values of environment variables, as ``os.environ`` has them, without an exception for each that is not set.

    Each form that is made asks for its defaults, and most are found again in less time than ``os.environ`` takes.
    """

def json_schema_formats() -> list[tuple[str, str]]:
    """Every format that is asserted: ``(name, what is left out)``; empty if nothing is."""
