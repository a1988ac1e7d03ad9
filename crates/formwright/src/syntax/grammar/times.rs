//! How often something comes: `*`, `+`, `?`, `{2,3}`.

use super::cursor::Cursor;
use crate::error::Result;

/// The fewest and the most times; `None` sets no bound.
pub struct Times {
    pub low: u32,
    pub high: Option<u32>,
}

impl Times {
    /// Reads what is written after a part; `None` where nothing is.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Option<Self>> {
        let (low, high) = match cursor.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return Self::in_braces(cursor).map(Some),
            _ => return Ok(None),
        };
        cursor.next();
        Ok(Some(Self { low, high }))
    }

    /// `{2}`, `{2,}`, `{,3}`, `{2,3}`
    fn in_braces(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.next();
        skip(cursor);
        let from = cursor.at;
        let low = if cursor.peek() == Some(',') { None } else { Some(Self::count(cursor)?) };
        skip(cursor);
        if !cursor.eat(",") {
            close(cursor, "',' or '}'")?;
            return Ok(Self { low: low.unwrap_or(0), high: low });
        }
        skip(cursor);
        let high = if cursor.peek() == Some('}') && low.is_some() { None } else { Some(Self::count(cursor)?) };
        let times = Self::checked(cursor, from, low.unwrap_or(0), high)?;
        close(cursor, "'}'")?;
        Ok(times)
    }

    /// Reads one count.
    pub fn count(cursor: &mut Cursor<'_>) -> Result<u32> {
        let (from, allowed) = (cursor.at, cursor.limits.grammar_times);
        if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err(cursor.expected("a count"));
        }
        let count = cursor.number().filter(|&count| count <= allowed);
        count.ok_or_else(|| cursor.fail((from, cursor.at), format_args!("a count is at most {allowed}")))
    }

    /// Bounds in their order.
    pub fn checked(cursor: &Cursor<'_>, from: usize, low: u32, high: Option<u32>) -> Result<Self> {
        match high {
            Some(high) if high < low => {
                let what = format_args!("a count goes from the fewest to the most, not from {low} to {high}");
                Err(cursor.fail((from, cursor.at), what))
            }
            _ => Ok(Self { low, high }),
        }
    }
}

fn skip(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| matches!(c, ' ' | '\t'));
}

fn close(cursor: &mut Cursor<'_>, expected: &str) -> Result<()> {
    skip(cursor);
    if cursor.eat("}") { Ok(()) } else { Err(cursor.expected(expected)) }
}
