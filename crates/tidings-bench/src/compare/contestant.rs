//! The contestants: the subject of tidings, and the programs of the peers, which are built first.
//!
//! A peer whose toolchain is missing is skipped, and the report says so. A machine without Go still measures the
//! others.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Library {
    Tidings,
    ClientGo,
    KubeRs,
}

/// One configuration of one program.
#[derive(Clone, Debug)]
pub(crate) struct Contestant {
    /// The name in the report.
    pub(crate) name: &'static str,
    pub(crate) library: Library,
    /// The wire that it requests: `json` or `protobuf`.
    pub(crate) wire: &'static str,
    list: &'static str,
    program: PathBuf,
    /// The arguments before those of the protocol.
    arguments: &'static [&'static str],
}

/// The contestants, and why others are missing.
#[derive(Debug, Default)]
pub(crate) struct Contestants {
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) notes: Vec<String>,
}

/// Name, library, wire and list mode of all contestants, tidings first.
const ALL: &[(&str, Library, &str, &str)] = &[
    (TIDINGS_JSON, Library::Tidings, "json", "stream"),
    (TIDINGS_PROTOBUF, Library::Tidings, "protobuf", "stream"),
    // Over JSON, pages take two fifths of the CPU that client-go needs for a streaming list.
    (CLIENT_GO_JSON, Library::ClientGo, "json", "pages"),
    (CLIENT_GO_PROTOBUF, Library::ClientGo, "protobuf", "stream"),
    (KUBE_RS_LIST, Library::KubeRs, "json", "pages"),
    (KUBE_RS_STREAM, Library::KubeRs, "json", "stream"),
];

pub(crate) const TIDINGS_JSON: &str = "tidings-json";
pub(crate) const TIDINGS_PROTOBUF: &str = "tidings-protobuf";
pub(crate) const CLIENT_GO_JSON: &str = "client-go-json";
pub(crate) const CLIENT_GO_PROTOBUF: &str = "client-go-protobuf";
pub(crate) const KUBE_RS_LIST: &str = "kube-rs-list";
pub(crate) const KUBE_RS_STREAM: &str = "kube-rs-stream";

impl Contestants {
    /// Builds the programs of the requested contestants.
    pub(crate) fn build_all(only: &[String], quick: bool) -> anyhow::Result<Self> {
        let known = |name: &String| ALL.iter().any(|(known, ..)| known == name);
        let unknown: Vec<_> = only.iter().filter(|name| !known(name)).cloned().collect();
        let names: Vec<_> = ALL.iter().map(|(name, ..)| *name).collect();
        ensure!(
            unknown.is_empty(),
            "no contestant is called {}; there are {}",
            unknown.join(", "),
            names.join(", ")
        );
        let mut field = Contestants::default();
        for library in [Library::Tidings, Library::ClientGo, Library::KubeRs] {
            let is_wanted = |name: &str| match only.is_empty() {
                true => !quick || library != Library::KubeRs,
                false => only.iter().any(|wanted| wanted == name),
            };
            let wanted: Vec<_> = ALL.iter().filter(|row| row.1 == library && is_wanted(row.0)).collect();
            if wanted.is_empty() {
                continue;
            }
            match library.program() {
                Ok(program) => field.contestants.extend(wanted.iter().map(|(name, library, wire, list)| {
                    let arguments = library.arguments();
                    Contestant { name, library: *library, wire, list, program: program.clone(), arguments }
                })),
                Err(error) => field.notes.push(format!("{} is skipped: {error:#}", library.title())),
            }
        }
        field.notes.iter().for_each(|note| super::scenario::log(note));
        Ok(field)
    }
}

impl Contestant {
    /// The command that starts it against this server.
    pub(crate) fn command(&self, server_url: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).args(["--server", server_url]);
        command.args(["--wire", self.wire, "--list", self.list]);
        command
    }
}

impl Library {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Library::Tidings => "tidings",
            Library::ClientGo => "client-go",
            Library::KubeRs => "kube-rs",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        if self == Library::Tidings { &["subject"] } else { &[] }
    }

    /// The program. Builds it if it is a peer's.
    fn program(self) -> anyhow::Result<PathBuf> {
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers");
        match self {
            Library::Tidings => std::env::current_exe().context("finding this program"),
            Library::ClientGo => {
                let program = cache()?.join("clientgo");
                let mut go = Command::new("go");
                go.args(["build", "-o"]).arg(&program).arg(".").current_dir(peers.join("clientgo"));
                build(self.title(), &mut go).map(|()| program)
            }
            Library::KubeRs => {
                let target = cache()?.join("kubers-target");
                let mut cargo = Command::new("cargo");
                cargo.args(["build", "--release", "--locked", "--quiet"]).env("CARGO_TARGET_DIR", &target);
                cargo.current_dir(peers.join("kubers"));
                build(self.title(), &mut cargo).map(|()| target.join("release/kubers"))
            }
        }
    }
}

/// The program of krt, which takes part in the scenario `derived` only.
pub(crate) fn krt() -> anyhow::Result<PathBuf> {
    let program = cache()?.join("krt");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers/krt");
    let mut go = Command::new("go");
    go.args(["build", "-o"]).arg(&program).arg(".").current_dir(folder);
    build("krt", &mut go).map(|()| program)
}

fn build(title: &str, command: &mut Command) -> anyhow::Result<()> {
    super::scenario::log(&format!("building {title}"));
    let program = command.get_program().to_string_lossy().into_owned();
    let built = command.status().with_context(|| format!("{program} is not installed"))?;
    ensure!(built.success(), "{program} failed to build it");
    Ok(())
}

/// The folder for built peers, outside the repository.
fn cache() -> anyhow::Result<PathBuf> {
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let folder = folder.context("there is no folder for caches")?.join("tidings/bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requested_contestants_take_part() {
        let field = Contestants::build_all(&[TIDINGS_JSON.to_owned()], false).expect("we are always here");
        assert_eq!(field.contestants.iter().map(|one| one.name).collect::<Vec<_>>(), [TIDINGS_JSON]);
        let arguments: Vec<_> =
            field.contestants[0].command("http://a").get_args().map(ToOwned::to_owned).collect();
        assert_eq!(arguments, ["subject", "--server", "http://a", "--wire", "json", "--list", "stream"]);
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = Contestants::build_all(&["informer".to_owned()], true).unwrap_err();
        assert!(error.to_string().contains("informer"), "{error}");
    }
}
