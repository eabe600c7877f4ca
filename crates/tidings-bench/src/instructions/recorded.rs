//! The recorded counts: one file for each target and compiler, because both change the counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

#[derive(Debug, Default)]
pub(crate) struct Recorded {
    counts: BTreeMap<String, u64>,
}

/// The file for this target and compiler.
pub(crate) fn path() -> anyhow::Result<PathBuf> {
    let output = Command::new("rustc").arg("-vV").output().context("running rustc -vV")?;
    let output = String::from_utf8(output.stdout).context("reading rustc's version")?;
    let line = |name: &str| {
        let value = output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.with_context(|| format!("rustc does not report its {name}"))
    };
    let (target, version) = (line("host")?, line("release")?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).context("finding the workspace")?;
    Ok(root.join("bench/instructions").join(format!("{target}-rustc-{version}.json")))
}

impl Recorded {
    /// The recorded counts, if there are any.
    pub(crate) fn read() -> anyhow::Result<Option<Recorded>> {
        let path = path()?;
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        let counts = serde_json::from_slice(&text).with_context(|| format!("reading {}", path.display()))?;
        Ok(Some(Recorded { counts }))
    }

    /// The recorded count of one part.
    pub(crate) fn count(&self, part: &str) -> Option<u64> {
        self.counts.get(part).copied()
    }

    pub(crate) fn set(&mut self, part: &str, count: u64) {
        self.counts.insert(part.to_owned(), count);
    }

    /// Removes parts that no longer exist.
    pub(crate) fn keep_only(&mut self, is_part: impl Fn(&str) -> bool) {
        self.counts.retain(|name, _| is_part(name));
    }

    /// Writes the file.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let path = path()?;
        fs::create_dir_all(path.parent().context("the file has a folder")?)?;
        let text = serde_json::to_string_pretty(&self.counts)? + "\n";
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }
}
