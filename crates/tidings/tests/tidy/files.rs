//! The files of the workspace as its tests see them: paths from the root, with the part of each Rust file that
//! is not test code told apart. It reads, and judges nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// One text file of the workspace.
pub struct File {
    /// From the root, with `/` between its parts.
    pub path: String,
    /// What it says.
    pub text: String,
}

impl File {
    /// The crate whose folder it stands in.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/").and_then(|rest| rest.split('/').next())
    }

    /// The file's name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Its lines, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The numbered lines before its `#[cfg(test)] mod tests {`; none in a file that only tests read.
    pub fn lines_outside_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let end = if self.is_for_tests() { 0 } else { start_of_tests(&lines).unwrap_or(lines.len()) };
        self.lines().take(end)
    }

    fn is_for_tests(&self) -> bool {
        let is_test_folder = ["/tests/", "/benches/"].iter().any(|folder| self.path.contains(folder));
        is_test_folder
            || self.name().trim_end_matches(".rs").ends_with("tests")
            || self.is_declared_for_tests()
    }

    /// Whether the module above says `#[cfg(test)] mod this;`.
    fn is_declared_for_tests(&self) -> bool {
        let path = root().join(&self.path);
        let Some((folder, stem)) = path.parent().zip(path.file_stem().and_then(|stem| stem.to_str())) else {
            return false;
        };
        let above = [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
        let declared =
            [format!("#[cfg(test)]\nmod {stem};"), format!("#[cfg(test)]\npub(crate) mod {stem};")];
        above.iter().filter_map(|file| fs::read_to_string(file).ok()).any(|text| {
            // A declaration inside a module is indented; its attribute may stand on its line.
            let text = text.replace("\n    ", "\n");
            declared.iter().any(|words| text.contains(words))
        })
    }
}

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate stands two folders below the root").to_owned()
}

/// Every Rust file, in the order of its path.
pub fn rust_files() -> Vec<File> {
    files_with(&["rs"])
}

/// Every file that is written by hand and whose name ends in one of these, in the order of its path.
pub fn files_with(extensions: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace can be read") {
            let path = entry.expect("an entry of a folder can be read").path();
            if path.is_dir() {
                folders.extend(is_ours(&path).then_some(path));
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                files.push(read(&path));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// What is not of git, not built, and not the input of a fuzz body.
fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !matches!(name, ".git" | "target" | "corpus" | "artifacts" | "node_modules")
}

fn read(path: &Path) -> File {
    let from_root = path.strip_prefix(root()).expect("a file of the workspace stands below its root");
    let parts: Vec<_> = from_root.iter().map(|part| part.to_string_lossy()).collect();
    File { path: parts.join("/"), text: fs::read_to_string(path).expect("a file of the workspace is text") }
}

fn start_of_tests(lines: &[&str]) -> Option<usize> {
    lines.windows(2).position(|pair| {
        pair[0].starts_with("#[cfg(")
            && pair[0].contains("test")
            && pair[1].starts_with("mod ")
            && pair[1].ends_with('{')
    })
}
