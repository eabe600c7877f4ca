//! Compares `docs/contract.md` with the tests: every statement has a test or a reason, every number in a
//! `// holds:` comment is a statement, and the page lists the tests.
//!
//! The page has this form. A statement and a reason can continue on the next lines, a test has one line:
//!
//! ```text
//! - **R43** The first line of a statement,
//!   and its second line.
//!   - in part: the first line of a reason,
//!     and its second line.
//!   - test: `tidings/tests/it/watch.rs::name_of_the_test`
//! ```
//!
//! With `TIDINGS_WRITE_CONTRACT=1` the lists of tests are rewritten. Statements and reasons stay unchanged.

use std::collections::BTreeMap;
use std::fs;

use crate::tidy::files::{File, root, rust_files};

const PAGE: &str = "docs/contract.md";
/// Starts every line below a statement that does not continue the statement.
const ENTRY: &str = "  - ";
const TEST: &str = "  - test: ";
/// Below a statement that is not implemented: a test of the alternative.
const TEST_OF_ALTERNATIVE: &str = "  - test of the alternative: ";
const NOT_TAKEN: &str = "  - not taken: ";
const IN_PART: &str = "  - in part: ";

/// The tests of each number, as `file::name`.
type Claims = BTreeMap<String, Vec<String>>;

#[test]
fn every_statement_has_a_test_or_a_reason() {
    let page = page();
    let statements = statements(&page);
    let claims = claims();
    let mut wrong = Vec::new();
    for (number, statement) in &statements {
        let has_test = claims.contains_key(number);
        match (has_test, statement.reason) {
            (false, None) => {
                wrong.push(format!("{number} has neither a test (`// holds: {number}`) nor `not taken:`"));
            }
            (false, Some(Reason::InPart)) => {
                wrong.push(format!("{number} is `in part:`, but has no test of the implemented part"));
            }
            (true, _) | (false, Some(Reason::NotTaken)) => {}
        }
    }
    assert!(statements.len() > 200, "only {} statements found in {PAGE}", statements.len());
    assert!(wrong.is_empty(), "{} statements of {PAGE}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_number_of_a_test_is_a_statement() {
    let page = page();
    let statements = statements(&page);
    let claims = claims();
    let unknown = claims.iter().filter(|(number, _)| !statements.contains_key(*number));
    let unknown: Vec<_> = unknown.map(|(number, tests)| format!("{number}, claimed by {tests:?}")).collect();
    assert!(unknown.is_empty(), "not in {PAGE}:\n{}", unknown.join("\n"));
}

#[test]
fn the_page_lists_the_existing_tests() {
    let page = page();
    let filled = filled_in(&page, &claims());
    if std::env::var_os("TIDINGS_WRITE_CONTRACT").is_some() {
        fs::write(root().join(PAGE), &filled).expect("docs/contract.md can be written");
        return;
    }
    let missing: Vec<_> = filled.lines().filter(|line| names_a_test(line) && !page.contains(line)).collect();
    let removed: Vec<_> = page.lines().filter(|line| names_a_test(line) && !filled.contains(line)).collect();
    assert!(
        filled == page,
        "{PAGE} is out of date: run `TIDINGS_WRITE_CONTRACT=1 cargo test -p tidings --test it contract`\n\
         missing in the page: {missing:#?}\nno longer a test: {removed:#?}"
    );
}

#[test]
fn statements_and_reasons_continue_on_the_next_lines() {
    let page = "\
- **R1** A statement
  of two lines.
  - in part: a reason
    of two lines.
- **R2** A statement
  of two lines.
  - not taken: a reason.
  - test of the alternative: `removed`

- **R3** A statement of one line.
";
    let claims = ["R1", "R2", "R3"].map(|number| (number.to_owned(), vec![format!("test_of_{number}")]));
    let filled = filled_in(page, &Claims::from(claims));
    let expected = "\
- **R1** A statement
  of two lines.
  - in part: a reason
    of two lines.
  - test: `test_of_R1`
- **R2** A statement
  of two lines.
  - not taken: a reason.
  - test of the alternative: `test_of_R2`

- **R3** A statement of one line.
  - test: `test_of_R3`
";
    assert_eq!(filled, expected);
    let reasons: Vec<_> = statements(&filled).into_values().map(|statement| statement.reason).collect();
    assert!(matches!(reasons[..], [Some(Reason::InPart), Some(Reason::NotTaken), None]));
}

#[test]
fn statements_and_reasons_fit_into_120_columns() {
    let page = page();
    let is_too_long = |line: &&str| !names_a_test(line) && line.chars().count() > 120;
    let too_long: Vec<_> = page.lines().filter(is_too_long).collect();
    assert!(too_long.is_empty(), "lines of {PAGE} with more than 120 columns:\n{}", too_long.join("\n"));
}

/// One statement of the page.
struct Statement {
    reason: Option<Reason>,
}

#[derive(Clone, Copy)]
enum Reason {
    NotTaken,
    InPart,
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("docs/contract.md can be read")
}

fn statements(page: &str) -> BTreeMap<String, Statement> {
    let mut found: BTreeMap<String, Statement> = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in page.lines() {
        if let Some(number) = number_of(line) {
            let before = found.insert(number.to_owned(), Statement { reason: None });
            assert!(before.is_none(), "{number} appears twice in {PAGE}");
            last = Some(number.to_owned());
        }
        let Some(reason) = reason_of(line) else { continue };
        let statement = last.as_ref().and_then(|number| found.get_mut(number));
        statement.unwrap_or_else(|| panic!("a reason without a statement: {line}")).reason = Some(reason);
    }
    found
}

/// `R16` of `- **R16** The first list…`.
fn number_of(line: &str) -> Option<&str> {
    line.strip_prefix("- **")?.split_once("** ").map(|(number, _)| number)
}

/// The page with the list of tests below each statement and its reason.
fn filled_in(page: &str, claims: &Claims) -> String {
    let mut filled = Vec::new();
    let mut lines = page.lines().filter(|line| !names_a_test(line)).peekable();
    while let Some(line) = lines.next() {
        filled.push(line.to_owned());
        let Some(number) = number_of(line) else { continue };
        let mut label = TEST;
        while let Some(line) = lines.next_if(|line| line.starts_with(ENTRY) || continues(line)) {
            if matches!(reason_of(line), Some(Reason::NotTaken)) {
                label = TEST_OF_ALTERNATIVE;
            }
            filled.push(line.to_owned());
        }
        let tests = claims.get(number).into_iter().flatten();
        filled.extend(tests.map(|test| format!("{label}`{test}`")));
    }
    filled.join("\n") + "\n"
}

/// Whether a line continues the statement or the reason above it.
fn continues(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with(ENTRY)
}

fn reason_of(line: &str) -> Option<Reason> {
    if line.starts_with(NOT_TAKEN) {
        Some(Reason::NotTaken)
    } else if line.starts_with(IN_PART) {
        Some(Reason::InPart)
    } else {
        None
    }
}

fn names_a_test(line: &str) -> bool {
    line.starts_with(TEST) || line.starts_with(TEST_OF_ALTERNATIVE)
}

fn claims() -> Claims {
    let mut claims = Claims::new();
    for file in rust_files() {
        for (numbers, name) in claims_of(&file) {
            let path = file.path.trim_start_matches("crates/");
            for number in numbers {
                claims.entry(number).or_default().push(format!("{path}::{name}"));
            }
        }
    }
    for tests in claims.values_mut() {
        tests.sort();
        tests.dedup();
    }
    claims
}

/// The `// holds:` comments of a file, each with the test below it.
fn claims_of(file: &File) -> Vec<(Vec<String>, String)> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(list) = line.strip_prefix("// holds: ") else { continue };
        let numbers = list.split(',').map(|number| number.trim().to_owned()).collect();
        let at = format!("{}:{}", file.path, index + 1);
        found.push((numbers, test_below(&lines[index + 1..], &at)));
    }
    found
}

/// The test below a comment. Attributes and comments can be in between.
fn test_below(lines: &[&str], at: &str) -> String {
    let is_between = |line: &&&str| line.starts_with("#[") || line.starts_with("//") || line.starts_with(')');
    let between: Vec<_> = lines.iter().take_while(is_between).collect();
    let below = lines.get(between.len()).copied().unwrap_or_default();
    // A trial of a custom harness: `trial("name", …)`.
    if let Some(name) = below.split_once("rial").and_then(|(_, rest)| rest.split('"').nth(1)) {
        return name.to_owned();
    }
    // Tests against a real server are trials too, named in one list, each with its own function.
    let is_test = between.iter().any(|line| line.contains("test")) || at.starts_with("e2e/");
    let name = below.split_once("fn ").map(|(_, rest)| rest.split(['(', '<']).next().unwrap_or_default());
    match name.filter(|_| is_test) {
        Some(name) => name.to_owned(),
        None => panic!("{at}: a `// holds:` comment must be directly above the attributes of a test"),
    }
}
