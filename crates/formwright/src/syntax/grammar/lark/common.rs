//! The terminals of Lark's module `common`, in Lark's notation.
//!
//! Two are written as the texts that Lark's lexer finds, where Lark relies on a lazy repetition inside a longer terminal:
//! `ESCAPED_STRING` ends at the first quote without an escape, `C_COMMENT` at the first `*/`.

/// Names, and what they stand for.
const TERMINALS: [(&str, &str); 27] = [
    ("DIGIT", r#""0".."9""#),
    ("HEXDIGIT", r#""a".."f" | "A".."F" | DIGIT"#),
    ("INT", "DIGIT+"),
    ("SIGNED_INT", r#"["+" | "-"] INT"#),
    ("DECIMAL", r#"INT "." INT? | "." INT"#),
    ("_EXP", r#"("e" | "E") SIGNED_INT"#),
    ("FLOAT", "INT _EXP | DECIMAL _EXP?"),
    ("SIGNED_FLOAT", r#"["+" | "-"] FLOAT"#),
    ("NUMBER", "FLOAT | INT"),
    ("SIGNED_NUMBER", r#"["+" | "-"] NUMBER"#),
    ("_STRING_INNER", "/.*?/"),
    ("_STRING_ESC_INNER", r"_STRING_INNER /(?<!\\)(\\\\)*?/"),
    ("ESCAPED_STRING", r#"/"([^"\\\n]|\\[^\n])*"/"#),
    ("LCASE_LETTER", r#""a".."z""#),
    ("UCASE_LETTER", r#""A".."Z""#),
    ("LETTER", "UCASE_LETTER | LCASE_LETTER"),
    ("WORD", "LETTER+"),
    ("CNAME", r#"("_" | LETTER) ("_" | LETTER | DIGIT)*"#),
    ("WS_INLINE", r#"(" " | /\t/)+"#),
    ("WS", r"/[ \t\f\r\n]/+"),
    ("CR", r"/\r/"),
    ("LF", r"/\n/"),
    ("NEWLINE", "(CR? LF)+"),
    ("SH_COMMENT", r"/#[^\n]*/"),
    ("CPP_COMMENT", r"/\/\/[^\n]*/"),
    ("C_COMMENT", r"/\/\*([^*]|\*+[^*\/])*\*+\//"),
    ("SQL_COMMENT", r"/--[^\n]*/"),
];

/// Of the two that are written otherwise: how many characters Lark's own expression has.
const LENGTHS: [(&str, usize); 2] = [(r#""([^"\\\n]|\\[^\n])*""#, 20), (r"/\*([^*]|\*+[^*/])*\*+/", 13)];

/// What a name stands for.
pub fn find(name: &str) -> Option<&'static str> {
    TERMINALS.iter().find(|(known, _)| *known == name).map(|(_, body)| *body)
}

/// The characters of Lark's own expression where it is another one than this.
pub fn length(source: &str) -> Option<usize> {
    LENGTHS.iter().find(|(known, _)| *known == source).map(|(_, length)| *length)
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    TERMINALS.iter().map(|(name, _)| *name)
}
