//! Reads the text files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// One text file of the workspace.
pub(crate) struct File {
    /// The path from the root, with `/` as separator.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate is two folders below the root").to_owned()
}

/// Every Rust file, sorted by path.
pub(crate) fn rust_files() -> Vec<File> {
    files_with(&["rs"])
}

/// Every hand-written file with one of these extensions, sorted by path.
pub(crate) fn files_with(extensions: &[&str]) -> Vec<File> {
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

/// Excludes git's folder, build output and fuzz input.
fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !matches!(name, ".git" | "target" | "corpus" | "artifacts" | "node_modules")
}

fn read(path: &Path) -> File {
    let from_root = path.strip_prefix(root()).expect("a file of the workspace is below its root");
    let parts: Vec<_> = from_root.iter().map(|part| part.to_string_lossy()).collect();
    File { path: parts.join("/"), text: fs::read_to_string(path).expect("a file of the workspace is text") }
}
