//! The lines of a Rust file, with test code distinguished from other code.

use std::fs;

use crate::tidy::files::{File, root};

impl File {
    /// The crate that it belongs to.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/").and_then(|rest| rest.split('/').next())
    }

    /// The file name without folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Its lines, numbered from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The numbered lines before `#[cfg(test)] mod tests {`. None in a file of tests.
    pub(crate) fn lines_outside_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let end = if self.is_for_tests() { 0 } else { start_of_tests(&lines).unwrap_or(lines.len()) };
        self.lines().take(end)
    }

    /// Whether the file is generated, as its first comment states.
    pub(crate) fn is_generated(&self) -> bool {
        self.text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .any(|line| line.starts_with("//! @generated"))
    }

    fn is_for_tests(&self) -> bool {
        let is_test_folder = ["/tests/", "/benches/"].iter().any(|folder| self.path.contains(folder));
        is_test_folder
            || self.name().trim_end_matches(".rs").ends_with("tests")
            || self.is_declared_for_tests()
    }

    /// Whether the parent module declares it as `#[cfg(test)] mod this;`.
    fn is_declared_for_tests(&self) -> bool {
        let path = root().join(&self.path);
        let Some((folder, stem)) = path.parent().zip(path.file_stem().and_then(|stem| stem.to_str())) else {
            return false;
        };
        let above = [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
        let declared =
            [format!("#[cfg(test)]\nmod {stem};"), format!("#[cfg(test)]\npub(crate) mod {stem};")];
        above.iter().filter_map(|file| fs::read_to_string(file).ok()).any(|text| {
            // A declaration inside a module is indented. Its attribute may be on the same line.
            let text = text.replace("\n    ", "\n");
            declared.iter().any(|words| text.contains(words))
        })
    }
}

fn start_of_tests(lines: &[&str]) -> Option<usize> {
    lines.windows(2).position(|pair| {
        pair[0].starts_with("#[cfg(")
            && pair[0].contains("test")
            && pair[1].starts_with("mod ")
            && pair[1].ends_with('{')
    })
}
