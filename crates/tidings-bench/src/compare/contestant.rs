//! Who is measured: our own subject and the peers' programs, built here if their toolchains are.
//!
//! A peer that can't be built is left out, and the report says so: a machine without Go still measures the others.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

/// Whose program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Maker {
    Tidings,
    ClientGo,
    KubeRs,
}

/// One way to run one program.
#[derive(Clone, Debug)]
pub(crate) struct Contestant {
    /// As the report names it.
    pub(crate) name: &'static str,
    pub(crate) maker: Maker,
    /// What it asks for: `json` or `protobuf`.
    pub(crate) wire: &'static str,
    list: &'static str,
    program: PathBuf,
    /// What stands before the protocol's own arguments.
    arguments: &'static [&'static str],
}

/// Everyone who is measured, and why others are not.
#[derive(Debug, Default)]
pub(crate) struct Field {
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) notes: Vec<String>,
}

/// Name, maker, wire and list of everyone, ours first.
const ALL: &[(&str, Maker, &str, &str)] = &[
    (TIDINGS_JSON, Maker::Tidings, "json", "stream"),
    (TIDINGS_PROTOBUF, Maker::Tidings, "protobuf", "stream"),
    (CLIENT_GO_JSON, Maker::ClientGo, "json", "stream"),
    (CLIENT_GO_PROTOBUF, Maker::ClientGo, "protobuf", "stream"),
    (KUBE_RS_LIST, Maker::KubeRs, "json", "pages"),
    (KUBE_RS_STREAM, Maker::KubeRs, "json", "stream"),
];

pub(crate) const TIDINGS_JSON: &str = "tidings-json";
pub(crate) const TIDINGS_PROTOBUF: &str = "tidings-protobuf";
pub(crate) const CLIENT_GO_JSON: &str = "client-go-json";
pub(crate) const CLIENT_GO_PROTOBUF: &str = "client-go-protobuf";
pub(crate) const KUBE_RS_LIST: &str = "kube-rs-list";
pub(crate) const KUBE_RS_STREAM: &str = "kube-rs-stream";

impl Field {
    /// Builds what has to be built for those who are asked for.
    pub(crate) fn assemble(only: &[String], quick: bool) -> anyhow::Result<Self> {
        let known = |name: &String| ALL.iter().any(|(known, ..)| known == name);
        let unknown: Vec<_> = only.iter().filter(|name| !known(name)).cloned().collect();
        let names: Vec<_> = ALL.iter().map(|(name, ..)| *name).collect();
        ensure!(
            unknown.is_empty(),
            "no contestant is called {}; there are {}",
            unknown.join(", "),
            names.join(", ")
        );
        let mut field = Field::default();
        for maker in [Maker::Tidings, Maker::ClientGo, Maker::KubeRs] {
            let is_wanted = |name: &str| match only.is_empty() {
                true => !quick || maker != Maker::KubeRs,
                false => only.iter().any(|wanted| wanted == name),
            };
            let wanted: Vec<_> = ALL.iter().filter(|row| row.1 == maker && is_wanted(row.0)).collect();
            if wanted.is_empty() {
                continue;
            }
            match maker.program() {
                Ok(program) => field.contestants.extend(wanted.iter().map(|(name, maker, wire, list)| {
                    let arguments = maker.arguments();
                    Contestant { name, maker: *maker, wire, list, program: program.clone(), arguments }
                })),
                Err(error) => field.notes.push(format!("{} is left out: {error:#}", maker.title())),
            }
        }
        field.notes.iter().for_each(|note| super::scenario::tell(note));
        Ok(field)
    }
}

impl Contestant {
    /// How to start it on this server.
    pub(crate) fn command(&self, server_url: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).args(["--server", server_url]);
        command.args(["--wire", self.wire, "--list", self.list]);
        command
    }
}

impl Maker {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Maker::Tidings => "tidings",
            Maker::ClientGo => "client-go",
            Maker::KubeRs => "kube-rs",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        if self == Maker::Tidings { &["subject"] } else { &[] }
    }

    /// Its program; a peer's is built first.
    fn program(self) -> anyhow::Result<PathBuf> {
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers");
        match self {
            Maker::Tidings => std::env::current_exe().context("finding this program"),
            Maker::ClientGo => {
                let program = cache()?.join("clientgo");
                let mut go = Command::new("go");
                go.args(["build", "-o"]).arg(&program).arg(".").current_dir(peers.join("clientgo"));
                build(self, &mut go).map(|()| program)
            }
            Maker::KubeRs => {
                let target = cache()?.join("kubers-target");
                let mut cargo = Command::new("cargo");
                cargo.args(["build", "--release", "--locked", "--quiet"]).env("CARGO_TARGET_DIR", &target);
                cargo.current_dir(peers.join("kubers"));
                build(self, &mut cargo).map(|()| target.join("release/kubers"))
            }
        }
    }
}

fn build(maker: Maker, command: &mut Command) -> anyhow::Result<()> {
    super::scenario::tell(&format!("building {}", maker.title()));
    let program = command.get_program().to_string_lossy().into_owned();
    let built = command.status().with_context(|| format!("{program} is not here"))?;
    ensure!(built.success(), "{program} could not build it");
    Ok(())
}

/// Where built peers stay, outside the working tree.
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
    fn only_those_asked_for_take_part() {
        let field = Field::assemble(&[TIDINGS_JSON.to_owned()], false).expect("we are always here");
        assert_eq!(field.contestants.iter().map(|one| one.name).collect::<Vec<_>>(), [TIDINGS_JSON]);
        let arguments: Vec<_> =
            field.contestants[0].command("http://a").get_args().map(ToOwned::to_owned).collect();
        assert_eq!(arguments, ["subject", "--server", "http://a", "--wire", "json", "--list", "stream"]);
    }

    #[test]
    fn a_name_that_nobody_has_is_an_error() {
        let error = Field::assemble(&["informer".to_owned()], true).unwrap_err();
        assert!(error.to_string().contains("informer"), "{error}");
    }
}
