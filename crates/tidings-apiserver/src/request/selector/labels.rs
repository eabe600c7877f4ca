//! Label selectors: `a=b,c!=d,e in (f,g),h,!i,j>1`.

/// One condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabelRequirement {
    pub(super) key: String,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

impl LabelRequirement {
    pub(super) fn matches(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.condition {
            Condition::In(values) => value.is_some_and(|value| values.iter().any(|v| v == value)),
            Condition::NotIn(values) => value.is_none_or(|value| values.iter().all(|v| v != value)),
            Condition::Exists => value.is_some(),
            Condition::Absent => value.is_none(),
            Condition::Above(bound) => number().is_some_and(|number| number > *bound),
            Condition::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// `=`, `==`, `!=`, `!`, `>`, `<`, `(`, `)` or `,`.
    Sign(&'a str),
}

/// Reads a selector, or tells why it is none.
pub(super) fn parse(text: &str) -> Result<Vec<LabelRequirement>, String> {
    let tokens = tokens(text);
    let mut rest = tokens.as_slice();
    let mut requirements = Vec::new();
    if rest.is_empty() {
        return Ok(requirements);
    }
    loop {
        requirements.push(requirement(&mut rest)?);
        match rest.split_first() {
            None => return Ok(requirements),
            Some((Token::Sign(","), after)) if !after.is_empty() => rest = after,
            Some((found, _)) => return Err(unexpected(Some(found), "',' or 'end of string'")),
        }
    }
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_sign = |c: char| matches!(c, '=' | '!' | '>' | '<' | '(' | ')' | ',');
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_sign(first) {
            if rest.starts_with("==") || rest.starts_with("!=") { 2 } else { 1 }
        } else {
            rest.find(|c: char| is_sign(c) || c.is_whitespace()).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(length);
        tokens.push(if is_sign(first) { Token::Sign(token) } else { Token::Word(token) });
        rest = after.trim_start();
    }
    tokens
}

fn requirement(rest: &mut &[Token<'_>]) -> Result<LabelRequirement, String> {
    if take_sign(rest, "!") {
        let key = key(rest)?;
        return Ok(LabelRequirement { key, condition: Condition::Absent });
    }
    let key = key(rest)?;
    let condition = match rest.first() {
        None | Some(Token::Sign(",")) => Condition::Exists,
        Some(Token::Sign("=" | "==")) => Condition::In(vec![value_after(rest)?]),
        Some(Token::Sign("!=")) => Condition::NotIn(vec![value_after(rest)?]),
        Some(Token::Sign(">")) => Condition::Above(bound_after(rest)?),
        Some(Token::Sign("<")) => Condition::Below(bound_after(rest)?),
        Some(Token::Word("in")) => Condition::In(values_after(rest)?),
        Some(Token::Word("notin")) => Condition::NotIn(values_after(rest)?),
        found => return Err(unexpected(found, "in, notin, =, ==, !=, gt, lt")),
    };
    Ok(LabelRequirement { key, condition })
}

fn take_sign(rest: &mut &[Token<'_>], sign: &str) -> bool {
    let found = matches!(rest.first(), Some(Token::Sign(first)) if *first == sign);
    if found {
        *rest = &rest[1..];
    }
    found
}

fn key(rest: &mut &[Token<'_>]) -> Result<String, String> {
    match rest.split_first() {
        Some((Token::Word(word), after)) => {
            *rest = after;
            if is_label_key(word) {
                Ok((*word).to_owned())
            } else {
                Err(format!("key: Invalid value: {word:?}"))
            }
        }
        found => Err(unexpected(found.map(|(first, _)| first), "identifier")),
    }
}

fn value_after(rest: &mut &[Token<'_>]) -> Result<String, String> {
    *rest = &rest[1..];
    value(rest)
}

/// A value may be empty: then nothing stands there.
fn value(rest: &mut &[Token<'_>]) -> Result<String, String> {
    match rest.split_first() {
        Some((Token::Word(word), after)) => {
            *rest = after;
            if is_label_value(word) {
                Ok((*word).to_owned())
            } else {
                Err(format!("values: Invalid value: {word:?}"))
            }
        }
        None | Some((Token::Sign("," | ")"), _)) => Ok(String::new()),
        Some((found, _)) => Err(unexpected(Some(found), "identifier")),
    }
}

fn bound_after(rest: &mut &[Token<'_>]) -> Result<i64, String> {
    let text = value_after(rest)?;
    text.parse().map_err(|_| {
        format!("values: Invalid value: {text:?}: for 'Gt', 'Lt' operators, the value must be an integer")
    })
}

fn values_after(rest: &mut &[Token<'_>]) -> Result<Vec<String>, String> {
    *rest = &rest[1..];
    if !take_sign(rest, "(") {
        return Err(unexpected(rest.first(), "'('"));
    }
    let mut values = vec![value(rest)?];
    while take_sign(rest, ",") {
        values.push(value(rest)?);
    }
    if take_sign(rest, ")") { Ok(values) } else { Err(unexpected(rest.first(), "',' or ')'")) }
}

fn unexpected(found: Option<&Token<'_>>, expected: &str) -> String {
    let found = match found {
        None => "",
        Some(Token::Word(text) | Token::Sign(text)) => text,
    };
    format!("unable to parse requirement: found '{found}', expected: {expected}")
}

fn is_label_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let is_prefix_fine = prefix.is_none_or(|prefix| {
        !prefix.is_empty()
            && prefix.len() <= 253
            && prefix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
    });
    is_prefix_fine && !name.is_empty() && is_label_value(name)
}

fn is_label_value(value: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let is_edge = |b: Option<u8>| b.is_none_or(|b| b.is_ascii_alphanumeric());
    value.len() <= 63
        && value.bytes().all(is_inner)
        && is_edge(value.bytes().next())
        && is_edge(value.bytes().next_back())
}
