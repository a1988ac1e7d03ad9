//! `\d`, `\w`, `\s` and `\b` of text patterns without `u`: those of ASCII.
//!
//! ```text
//! \w        [0-9A-Z_a-z]       (?i)[\W_]     what is not [0-9A-Za-z], Kelvin sign included
//! (?u:\w)   every letter       \bé           a boundary only after a word character of ASCII
//! ```
//!
//! The library knows Unicode's classes, and bytes. Between its parser and its translator, this rewrites the tree: a
//! class that holds one of these escapes becomes the list of its characters.
//!
//! Cost: patterns without them stay as they are. Wrinkle: `(?i)` folds the other members of such a class and not the
//! escape: `\W` has U+212A (the Kelvin sign, a capital k), but no `k`.

use regex_syntax::ast::{
    Assertion, AssertionKind, Ast, ClassBracketed, ClassPerl, ClassPerlKind, ClassSet, ClassSetBinaryOpKind,
    ClassSetItem, ClassSetRange, ClassSetUnion, Flag, Flags, FlagsItem, FlagsItemKind, Group, GroupKind, Literal,
    LiteralKind, Span,
};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, ClassUnicode, Error, HirKind};

use super::pattern::class_of;

const DIGIT: &[(char, char)] = &[('0', '9')];
const SPACE: &[(char, char)] = &[('\t', '\r'), (' ', ' ')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// `tree` with the escapes of ASCII, wherever `u` is not set.
///
/// # Errors
/// The library's, for a class that it cannot read.
pub fn of_ascii(source: &str, mut tree: Ast) -> Result<Ast, Error> {
    Rewriter { source, unicode: false, folds: false }.rewrite(&mut tree)?;
    Ok(tree)
}

/// Goes through a tree in the order of its text, as the flags do.
struct Rewriter<'s> {
    source: &'s str,
    unicode: bool,
    folds: bool,
}

impl Rewriter<'_> {
    fn set(&mut self, flags: &Flags) {
        self.unicode = flags.flag_state(Flag::Unicode).unwrap_or(self.unicode);
        self.folds = flags.flag_state(Flag::CaseInsensitive).unwrap_or(self.folds);
    }

    fn rewrite(&mut self, tree: &mut Ast) -> Result<(), Error> {
        match tree {
            Ast::Flags(set) => self.set(&set.flags),
            Ast::Group(group) => {
                let outer = (self.unicode, self.folds);
                if let GroupKind::NonCapturing(flags) = &group.kind {
                    self.set(flags);
                }
                self.rewrite(&mut group.ast)?;
                (self.unicode, self.folds) = outer;
            }
            Ast::Repetition(repetition) => self.rewrite(&mut repetition.ast)?,
            Ast::Concat(parts) => parts.asts.iter_mut().try_for_each(|part| self.rewrite(part))?,
            Ast::Alternation(options) => options.asts.iter_mut().try_for_each(|option| self.rewrite(option))?,
            _ if self.unicode => {}
            Ast::Assertion(assertion) => {
                if matches!(assertion.kind, AssertionKind::WordBoundary | AssertionKind::NotWordBoundary) {
                    *tree = of_bytes(assertion);
                }
            }
            Ast::ClassPerl(class) => *tree = listed(class.span, &perl(class)),
            Ast::ClassBracketed(class) if has_perl(&class.kind) => {
                let mut listing = self.evaluate(&class.kind)?;
                if class.negated {
                    listing.negate();
                }
                *tree = listed(class.span, &listing);
            }
            _ => {}
        }
        Ok(())
    }

    /// The characters of a class.
    fn evaluate(&self, set: &ClassSet) -> Result<ClassUnicode, Error> {
        match set {
            ClassSet::Item(item) => self.evaluate_item(item),
            ClassSet::BinaryOp(operation) => {
                let (mut left, right) = (self.evaluate(&operation.lhs)?, self.evaluate(&operation.rhs)?);
                match operation.kind {
                    ClassSetBinaryOpKind::Intersection => left.intersect(&right),
                    ClassSetBinaryOpKind::Difference => left.difference(&right),
                    ClassSetBinaryOpKind::SymmetricDifference => left.symmetric_difference(&right),
                }
                Ok(left)
            }
        }
    }

    fn evaluate_item(&self, item: &ClassSetItem) -> Result<ClassUnicode, Error> {
        match item {
            ClassSetItem::Perl(class) => Ok(perl(class)),
            ClassSetItem::Union(union) => {
                let mut all = ClassUnicode::empty();
                for item in &union.items {
                    all.union(&self.evaluate_item(item)?);
                }
                Ok(all)
            }
            ClassSetItem::Bracketed(class) => {
                let mut listing = self.evaluate(&class.kind)?;
                if class.negated {
                    listing.negate();
                }
                Ok(listing)
            }
            other => self.translate(other),
        }
    }

    /// What the library makes of one member.
    fn translate(&self, item: &ClassSetItem) -> Result<ClassUnicode, Error> {
        let class = ClassBracketed { span: *item.span(), negated: false, kind: ClassSet::Item(item.clone()) };
        let mut translator = TranslatorBuilder::new().case_insensitive(self.folds).build();
        Ok(match translator.translate(self.source, &Ast::class_bracketed(class))?.into_kind() {
            HirKind::Class(Class::Unicode(class)) => class,
            HirKind::Literal(literal) => {
                let one = std::str::from_utf8(&literal.0).ok().and_then(|text| text.chars().next());
                class_of(&one.map(|c| (c, c)).into_iter().collect::<Vec<_>>())
            }
            _ => ClassUnicode::empty(),
        })
    }
}

fn perl(class: &ClassPerl) -> ClassUnicode {
    let mut listing = class_of(match class.kind {
        ClassPerlKind::Digit => DIGIT,
        ClassPerlKind::Space => SPACE,
        ClassPerlKind::Word => WORD,
    });
    if class.negated {
        listing.negate();
    }
    listing
}

fn has_perl(set: &ClassSet) -> bool {
    match set {
        ClassSet::Item(item) => item_has_perl(item),
        ClassSet::BinaryOp(operation) => has_perl(&operation.lhs) || has_perl(&operation.rhs),
    }
}

fn item_has_perl(item: &ClassSetItem) -> bool {
    match item {
        ClassSetItem::Perl(_) => true,
        ClassSetItem::Bracketed(class) => has_perl(&class.kind),
        ClassSetItem::Union(union) => union.items.iter().any(item_has_perl),
        _ => false,
    }
}

/// A boundary of words of ASCII, which the library reads without `u`.
fn of_bytes(assertion: &Assertion) -> Ast {
    without(Flag::Unicode, assertion.span, Ast::assertion(assertion.clone()))
}

/// A class of exactly these characters.
fn listed(span: Span, class: &ClassUnicode) -> Ast {
    let literal = |c| Literal { span, kind: LiteralKind::Verbatim, c };
    let range = |start, end| ClassSetItem::Range(ClassSetRange { span, start: literal(start), end: literal(end) });
    let items = class.ranges().iter().map(|ends| range(ends.start(), ends.end())).collect();
    let kind = ClassSet::Item(ClassSetItem::Union(ClassSetUnion { span, items }));
    without(Flag::CaseInsensitive, span, Ast::class_bracketed(ClassBracketed { span, negated: false, kind }))
}

/// `(?-flag:tree)`
fn without(flag: Flag, span: Span, tree: Ast) -> Ast {
    let items = [FlagsItemKind::Negation, FlagsItemKind::Flag(flag)].map(|kind| FlagsItem { span, kind });
    let kind = GroupKind::NonCapturing(Flags { span, items: items.into() });
    Ast::group(Group { span, kind, ast: Box::new(tree) })
}
