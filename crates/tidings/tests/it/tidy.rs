//! Rules about the source code that clippy can't check: the size of files and functions, their names and first lines, the
//! direction of imports, and forbidden words. Each finding says what to do about it.

mod code;
pub(crate) mod files;

use files::{File, files_with, root, rust_files};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

/// Every crate may use this one. It may use none.
const LEAF: &str = "tidings-util";

/// The crates of the workspace that each crate may depend on.
const MAY_KNOW: &[(&str, &[&str])] = &[
    (LEAF, &[]),
    ("tidings-protobuf", &[]),
    ("tidings-object", &["tidings-protobuf"]),
    ("tidings-source", &["tidings-object", "tidings-protobuf"]),
    ("tidings-informer", &["tidings-object", "tidings-source"]),
    ("tidings-factory", &["tidings-object", "tidings-source", "tidings-informer"]),
    ("tidings-derived", &["tidings-object", "tidings-informer"]),
    ("tidings-workqueue", &[]),
    ("tidings-endpoints", &["tidings-derived", "tidings-factory", "tidings-informer", "tidings-workqueue"]),
    (
        "tidings-controller",
        &[
            "tidings-endpoints",
            "tidings-factory",
            "tidings-informer",
            "tidings-object",
            "tidings-source",
            "tidings-workqueue",
        ],
    ),
    (
        "tidings",
        &[
            "tidings-controller",
            "tidings-derived",
            "tidings-endpoints",
            "tidings-factory",
            "tidings-informer",
            "tidings-object",
            "tidings-source",
            "tidings-workqueue",
        ],
    ),
    ("tidings-apiserver", &["tidings-object", "tidings-protobuf"]),
    ("tidings-cluster", &["tidings"]),
    ("tidings-cli", &["tidings", "tidings-apiserver", "tidings-cluster", "tidings-endpoints"]),
    (
        "tidings-bench",
        &[
            "tidings",
            "tidings-apiserver",
            "tidings-informer",
            "tidings-object",
            "tidings-protobuf",
            "tidings-source",
        ],
    ),
    ("tidings-sim", &["tidings", "tidings-apiserver"]),
    ("tidings-simulation", &["tidings", "tidings-apiserver", "tidings-informer"]),
    ("tidings-test-types", &["tidings-protobuf"]),
];

const PROGRAMS: &[&str] = &["tidings-cli", "tidings-bench", "tidings-simulation"];

/// Split into parts, so that this file does not match.
const BANNED_IN_CODE: &[(&str, &str)] = &[
    (concat!("to", "do!("), "write it, or leave it out"),
    (concat!("unimple", "mented!("), "write it, or leave it out"),
    (concat!("db", "g!("), "use tracing"),
    (concat!("FIX", "ME"), "mend it, or file an issue"),
    (concat!("TO", "DO"), "do it, or file an issue"),
    (concat!("XX", "X:"), "say why, or mend it"),
    (concat!("#[ig", "nore"), "a test runs or is not there"),
    (concat!("#[allow(clippy::too_many_", "lines"), "split the function"),
];

const BANNED_NAMES: &[&str] = &["mod", "utils", "util", "common", "helpers", "helper", "misc", "types"];

#[test]
fn every_file_starts_with_its_purpose() {
    check("start it with `//!`: what it is for, what it must never do", |file| {
        let says = file.text.lines().next().is_some_and(|line| line.starts_with("//! ") && line.len() > 8);
        if says { vec![] } else { vec![format!("{}:1 has no first comment", file.path)] }
    });
}

#[test]
fn files_have_specific_names() {
    check("name it for what it holds; a module `foo` is foo.rs beside foo/", |file| {
        let stem = file.name().trim_end_matches(".rs");
        if BANNED_NAMES.contains(&stem) { vec![file.path.clone()] } else { vec![] }
    });
}

#[test]
fn files_are_short() {
    check("split it along what it is about", |file| {
        let lines = file.lines_outside_tests().count();
        if lines <= FILE_LINES_MAX || file.is_generated() {
            return vec![];
        }
        vec![format!("{} has {lines} lines before its tests, {FILE_LINES_MAX} are allowed", file.path)]
    });
}

#[test]
fn functions_are_short() {
    check("split it into steps that have names", |file| {
        let long = function_lengths(file).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES_MAX);
        long.map(|(at, lines)| {
            format!("{}:{at} has {lines} lines, {FUNCTION_LINES_MAX} are allowed", file.path)
        })
        .collect()
    });
}

/// Words that were private metaphors here, and what to say instead.
const METAPHORS: &[(&str, &str)] = &[
    ("told", "notified, reported, encoded or configured"),
    ("whoever", "the caller, the reader, the handler"),
    ("kin", "reference"),
    ("graves", "tombstones"),
    ("inlet", "sender"),
    ("outlet", "receiver"),
    ("crew", "tasks"),
    ("workforce", "workers"),
    ("curtain", "what it does"),
];

#[test]
fn names_and_comments_use_the_words_of_the_field() {
    check("see after the colon", |file| {
        if file.path.ends_with("it/tidy.rs") {
            return vec![];
        }
        let found = |(at, line): (usize, &str)| {
            let words = line.split(|c: char| !is_word(c)).map(str::to_lowercase).collect::<Vec<_>>();
            let hits = METAPHORS.iter().filter(|(metaphor, _)| words.iter().any(|word| word == metaphor));
            hits.map(|(word, instead)| format!("{}:{at} says {word} : {instead}", file.path))
                .collect::<Vec<_>>()
        };
        file.lines().flat_map(found).collect()
    });
}

#[test]
fn the_code_has_no_open_ends() {
    check("see after the colon", |file| {
        let lines: Vec<_> = file.lines().collect();
        let found = |(word, instead): &(&str, &str)| {
            let hits = lines.iter().filter(|(_, line)| line.contains(word));
            hits.map(|(at, _)| format!("{}:{at} says {word} : {instead}", file.path)).collect::<Vec<_>>()
        };
        BANNED_IN_CODE.iter().flat_map(found).collect()
    });
}

/// The text of an error contains its cause. If the cause were its `source` too, a reporter that prints the chain would repeat
/// it.
#[test]
fn no_error_has_a_cause_that_its_text_does_not_contain() {
    let instead = "say the cause in the text, and leave `source()` out: `r#source`, or a `From` by hand";
    check(instead, |file| {
        let lines: Vec<_> = file.lines_outside_tests().collect();
        let is_wrong = |at: usize| {
            let is_forwarded = || at > 0 && lines[at - 1].1.contains("#[error(transparent)]");
            let line = &lines[at].1;
            line.contains(concat!("#[sou", "rce]"))
                || line.contains(concat!("#[fr", "om]")) && !is_forwarded()
        };
        if !file.path.contains("/src/") {
            return vec![];
        }
        let wrong = (0..lines.len()).filter(|at| is_wrong(*at));
        wrong.map(|at| format!("{}:{}", file.path, lines[at].0)).collect()
    });
}

#[test]
fn no_file_contains_paths_of_a_machine() {
    let folders = ["work", "root", "farm", "home"].map(|name| format!("/{name}/"));
    let files = files_with(&["rs", "md", "toml", "sh", "yaml", "yml", "json", "py", "go", "mod", "txt"]);
    let found: Vec<String> = files.iter().flat_map(|file| paths_of_a_machine(file, &folders)).collect();
    none_of(found, "use a path from the workspace's root, or a temporary folder");
}

#[test]
fn crates_import_only_crates_to_their_left() {
    check("move the code to the crate that may know both, or the word into a crate further left", |file| {
        let Some(crate_name) = file.crate_name() else { return vec![] };
        if file.path.contains("/examples/") {
            return vec![]; // it uses dev-dependencies, as tests do
        }
        let known = may_know(crate_name);
        let named = |line: &str| {
            let others = MAY_KNOW.iter().map(|(other, _)| *other);
            others
                .filter(|other| *other != crate_name && *other != LEAF && !known.contains(other))
                .find(|other| names_crate(line, &other.replace('-', "_")))
        };
        let code = file.lines_outside_tests().filter(|(_, line)| !is_comment(line));
        let found = code.filter_map(|(at, line)| named(line).map(|other| (at, other)));
        found.map(|(at, other)| format!("{}:{at}: {crate_name} must not know {other}", file.path)).collect()
    });
}

#[test]
fn manifests_depend_only_on_crates_to_their_left() {
    let mut found = Vec::new();
    for manifest in crate_manifests() {
        let crate_name = manifest.crate_name().expect("it is below crates/");
        for dependency in dependencies_of(&manifest.text) {
            let name = dependency.split(['.', ' ', '=']).next().unwrap_or_default();
            if name.starts_with("tidings") && name != LEAF && !may_know(crate_name).contains(&name) {
                found.push(format!("{}: {crate_name} must not depend on {name}", manifest.path));
            }
            if name == "k8s-openapi" && dependency.contains("features") && !PROGRAMS.contains(&crate_name) {
                found.push(format!(
                    "{}: a library leaves the version of k8s-openapi to its user",
                    manifest.path
                ));
            }
        }
    }
    none_of(found, "make it a dev-dependency, or move the code");
}

#[test]
fn the_stages_of_the_informer_import_only_from_their_left() {
    let lib = root().join("crates/tidings-informer/src/lib.rs");
    let lib = std::fs::read_to_string(lib).expect("the informer has a lib.rs");
    let stages: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(
        stages.ends_with(&["reflector", "delta", "indexer", "informer", "lister", "testing"]),
        "{stages:?}"
    );
    check("hand it in through a port of the stage on the left", |file| {
        let Some(at) = file.path.strip_prefix("crates/tidings-informer/src/") else { return vec![] };
        let stage = at.split(['/', '.']).next().unwrap_or_default();
        let Some(place) = stages.iter().position(|other| *other == stage) else { return vec![] };
        let mut found = Vec::new();
        for (at, name) in crate_paths(file) {
            if stages[place + 1..].contains(&name.as_str()) {
                found.push(format!("{}:{at}: {stage} imports from {name}, which is to its right", file.path));
            }
        }
        found
    });
}

#[test]
fn locks_and_atomics_come_from_the_crates_own_sync() {
    let elsewhere = ["parking_lot::", "std::sync::atomic", "std::sync::Mutex", "std::sync::RwLock"];
    check("take it from `crate::tidy::sync`, so that shuttle sees it", |file| {
        let is_peer = file.path.starts_with("bench/peers/");
        let is_program = is_peer || PROGRAMS.iter().any(|name| file.crate_name() == Some(name));
        let is_library = file.path.contains("/src/") && !is_program;
        if !is_library || file.path.ends_with("/sync.rs") || file.path.contains("/sync/") {
            return vec![];
        }
        let code = file.lines_outside_tests().filter(|(_, line)| !is_comment(line));
        let found = code.filter_map(|(at, line)| Some((at, elsewhere.iter().find(|w| line.contains(**w))?)));
        found.map(|(at, word)| format!("{}:{at} uses {word}", file.path)).collect()
    });
}

#[test]
fn every_crate_has_a_readme_and_a_description() {
    let mut found = Vec::new();
    for manifest in crate_manifests() {
        let crate_name = manifest.crate_name().expect("it is below crates/");
        let readme = root().join("crates").join(crate_name).join("README.md");
        let readme = std::fs::read_to_string(readme).unwrap_or_default();
        if !readme.starts_with(&format!("# {crate_name}\n")) {
            found.push(format!("crates/{crate_name}/README.md does not start with `# {crate_name}`"));
        }
        for line in ["description = ", "[lints]\nworkspace = true", "license.workspace = true"] {
            if !manifest.text.contains(line) {
                found.push(format!("{} lacks `{line}`", manifest.path));
            }
        }
    }
    none_of(found, "write it: a crate's page is what its users see first");
}

#[test]
fn the_grafana_dashboard_uses_existing_metrics() {
    let page =
        std::fs::read_to_string(root().join("docs/grafana-dashboard.json")).expect("it is a page of ours");
    let queried = page.split("{job").filter_map(|before| before.rsplit(|c: char| !is_word(c)).next());
    let queried: Vec<&str> = queried.filter(|name| name.contains('_')).collect();
    assert!(queried.len() > 20, "only {queried:?} is queried");
    let code: String =
        rust_files().iter().filter(|file| file.path.contains("/src/")).map(|file| &*file.text).collect();
    let is_there = |name: &str| {
        let plain = ["_total", "_bucket"].iter().fold(name, |name, suffix| name.trim_end_matches(suffix));
        code.contains(&format!("\"{plain}\""))
    };
    let missing = queried.iter().filter(|name| !is_there(name)).map(ToString::to_string);
    none_of(missing.collect(), "name it as the collector does");
}

#[test]
fn every_fuzz_body_has_a_target_and_a_corpus() {
    let mut found = Vec::new();
    for file in rust_files() {
        let Some(crate_name) = file.crate_name() else { continue };
        let Some(short) = crate_name.strip_prefix("tidings-") else { continue };
        for (at, parser) in fuzz_bodies(&file) {
            let target = format!("fuzz/targets/{short}_{parser}.rs");
            let corpus = format!("crates/{crate_name}/corpus/{parser}");
            let missing = [target, corpus].into_iter().filter(|path| !root().join(path).exists());
            found.extend(missing.map(|path| format!("{}:{at} lacks {path}", file.path)));
        }
    }
    none_of(found, "cargo-fuzz runs the target, `cargo test` the body over the corpus");
}

#[test]
fn the_minimum_rust_version_is_the_same_everywhere() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let manifest = read("Cargo.toml");
    let minimum = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let minimum = minimum.expect("the workspace states it");
    let stated = [
        ("README.md", format!("(https://rustup.rs), {minimum} or newer")),
        ("docs/controllers.md", format!("a Rust toolchain of {minimum} or newer")),
        ("clippy.toml", format!("msrv = \"{minimum}\"\n")),
    ];
    let mut found: Vec<String> = stated
        .iter()
        .filter(|(path, text)| !read(path).contains(text))
        .map(|(path, text)| format!("{path} does not say `{}`", text.trim_end()))
        .collect();
    for manifest in crate_manifests() {
        if !manifest.text.contains("\nrust-version.workspace = true\n") {
            found.push(format!("{} lacks `rust-version.workspace = true`", manifest.path));
        }
    }
    // With one of these files rustup downloads that version, even if a suitable one is installed.
    let files = ["rust-toolchain", "rust-toolchain.toml"];
    found.extend(
        files.iter().filter(|path| root().join(path).exists()).map(|path| format!("{path} is there")),
    );
    none_of(found, "Cargo.toml says it, cargo refuses older compilers, and .ci/run compiles with it");
}

#[test]
fn workflows_run_scripts_of_the_repository() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    for (workflow, commands) in [
        (".github/workflows/ci.yml", &["bash .ci/run"][..]),
        (
            ".github/workflows/nightly.yml",
            &["check advisories", "-p tidings-simulation -- soak --minutes", "bash .ci/fuzz.sh"],
        ),
    ] {
        let text = read(workflow);
        let missing = commands.iter().filter(|command| !text.contains(**command));
        let missing: Vec<_> = missing.map(|command| format!("{workflow} does not run `{command}`")).collect();
        none_of(missing, "the workflow and the scripts go together");
    }
    assert!(root().join(".ci/fuzz.sh").exists() && root().join("SECURITY.md").exists());
}

/// Applies a rule to every Rust file and fails with all findings.
#[track_caller]
fn check(instead: &str, rule: impl Fn(&File) -> Vec<String>) {
    let files = rust_files();
    assert!(files.len() > 50, "only {} Rust files found: the walk is broken", files.len());
    none_of(files.iter().flat_map(rule).collect(), instead);
}

#[track_caller]
fn none_of(found: Vec<String>, instead: &str) {
    assert!(found.is_empty(), "{} found ({instead}):\n{}", found.len(), found.join("\n"));
}

/// The parsers with a fuzz body in this file: each function of a `fuzz.rs`, or the `fuzz` module of a parser.
fn fuzz_bodies(file: &File) -> Vec<(usize, String)> {
    let functions = file.lines_outside_tests().filter_map(|(at, line)| {
        let (name, _) = line.strip_prefix("pub fn ")?.strip_suffix(": &[u8]) {")?.split_once('(')?;
        match (file.name().strip_suffix(".rs")?, name) {
            ("fuzz", _) => Some((at, name.trim_start_matches("fuzz_").to_owned())),
            (module, "fuzz") => Some((at, module.to_owned())),
            _ => None,
        }
    });
    functions.collect()
}

fn may_know(crate_name: &str) -> &'static [&'static str] {
    let row = MAY_KNOW.iter().find(|(name, _)| *name == crate_name);
    row.unwrap_or_else(|| panic!("{crate_name} has no row in MAY_KNOW: say what it may know")).1
}

fn crate_manifests() -> Vec<File> {
    let manifests = files_with(&["toml"]).into_iter();
    manifests.filter(|file| file.crate_name().is_some() && file.path.matches('/').count() == 2).collect()
}

/// The lines of `[dependencies]`, without dev- and build-dependencies.
fn dependencies_of(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]\n"));
    section.unwrap_or_default().lines().filter(|line| !line.starts_with('#'))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Whether the line contains a path that starts with this crate.
fn names_crate(line: &str, name: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + name.len()..];
        if !before.is_some_and(is_word) && (after.starts_with("::") || after.starts_with(';')) {
            return true;
        }
        rest = after;
    }
    false
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first segments of all `crate::…` paths, with their line numbers. `crate::{a, b}` gives both.
fn crate_paths(file: &File) -> Vec<(usize, String)> {
    let code: Vec<_> = file.lines_outside_tests().filter(|(_, line)| !is_comment(line)).collect();
    let mut found = Vec::new();
    let mut braces = 0;
    for (at, line) in code {
        let mut rest = line;
        while braces == 0
            && let Some((_, after)) = rest.split_once("crate::tidy::")
        {
            match after.strip_prefix('{') {
                Some(inside) => (braces, rest) = (1, inside),
                None => {
                    found.push((at, first_word(after)));
                    rest = after;
                }
            }
        }
        if braces > 0 {
            let mut part = String::new();
            for c in rest.chars() {
                match c {
                    '{' => braces += 1,
                    '}' => braces -= 1,
                    ',' if braces == 1 => found.push((at, first_word(&std::mem::take(&mut part)))),
                    c if braces > 0 => part.push(c),
                    _ => {}
                }
            }
            found.push((at, first_word(&part)));
        }
    }
    found
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| is_word(*c)).collect()
}

/// The first line and the length of each function. rustfmt indents its last brace like its first letter.
fn function_lengths(file: &File) -> Vec<(usize, usize)> {
    let lines: Vec<_> = file.lines_outside_tests().collect();
    let mut found = Vec::new();
    for (index, (at, line)) in lines.iter().enumerate() {
        let code = line.trim_start();
        let is_function = code.split("fn ").next().is_some_and(|before| {
            before != code
                && before.split_whitespace().all(|word| FUNCTION_WORDS.iter().any(|w| word.starts_with(w)))
        });
        if !is_function || code.ends_with(';') || code.ends_with('}') {
            continue;
        }
        let indent = " ".repeat(line.len() - code.len());
        let end = lines[index..].iter().position(|(_, line)| {
            line.strip_prefix(&indent)
                .is_some_and(|rest| rest == "}" || rest.starts_with(')') && rest.ends_with(';'))
        });
        found.extend(end.map(|length| (*at, length + 1)));
    }
    found
}

const FUNCTION_WORDS: &[&str] = &["pub", "async", "const", "in"];

fn paths_of_a_machine(file: &File, folders: &[String]) -> Vec<String> {
    let starts_here = |line: &str, folder: &String| {
        line.match_indices(folder.as_str()).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| is_word(c) || "./~-}*".contains(c))
        })
    };
    let found = file.lines().filter(|(_, line)| folders.iter().any(|folder| starts_here(line, folder)));
    found.map(|(at, _)| format!("{}:{at} names a folder of one machine", file.path)).collect()
}
