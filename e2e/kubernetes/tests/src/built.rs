//! Builds and finds the programs of `e2e/kubernetes`: the server and kube-controller-manager.
//!
//! They are cached outside the repository under a hash of their sources, so that a changed source gives another program.
//! Finding one never builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use twox_hash::XxHash3_64;

/// A program of `e2e/kubernetes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// kube-apiserver with etcd.
    Server,
    /// kube-controller-manager, of the default release only.
    Controllers,
}

/// A built program.
#[derive(Debug, Clone)]
pub struct Built {
    /// The path of the program.
    pub program: PathBuf,
    /// The release of Kubernetes, such as `1.37`.
    pub release: String,
}

/// The default release. `TIDINGS_KUBERNETES` selects another.
pub const RELEASE_DEFAULT: &str = "1.37";

/// The selected release.
pub fn release_tested() -> String {
    std::env::var("TIDINGS_KUBERNETES").unwrap_or_else(|_| RELEASE_DEFAULT.to_owned())
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerBuildError {
    /// It has not been built.
    #[error("Kubernetes {release} is not built: run `cargo run -p kubernetes-tests -- build {release}`")]
    NotBuilt {
        /// The release.
        release: String,
    },
    /// There is no module file for that release.
    #[error("reading the sources of Kubernetes {release}")]
    Sources {
        /// The release.
        release: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// There is no folder for a cache.
    #[error("neither XDG_CACHE_HOME nor HOME is set, so that there is no cache to build into")]
    NoCache,
    /// Go could not be started.
    #[error("running go")]
    Go(#[source] std::io::Error),
    /// Go failed to build it.
    #[error("go could not build Kubernetes {release}")]
    Build {
        /// The release.
        release: String,
    },
}

impl Built {
    /// The program of the selected release, if it has been built. With `TIDINGS_E2E=1` it is built if necessary.
    pub fn from_environment(program: Program) -> Result<Built, ServerBuildError> {
        let release = match program {
            Program::Server => release_tested(),
            Program::Controllers => RELEASE_DEFAULT.to_owned(),
        };
        match Self::find(program, &release) {
            Err(ServerBuildError::NotBuilt { .. })
                if std::env::var("TIDINGS_E2E").is_ok_and(|asked| asked == "1") =>
            {
                Self::build(program, &release)
            }
            found => found,
        }
    }

    /// The program of a release, if it has been built.
    pub fn find(program: Program, release: &str) -> Result<Built, ServerBuildError> {
        let built = Self::of(program, release)?;
        if built.program.exists() {
            Ok(built)
        } else {
            Err(ServerBuildError::NotBuilt { release: release.to_owned() })
        }
    }

    /// Builds the program of a release if necessary. The first build takes ten minutes on two cores.
    pub fn build(program: Program, release: &str) -> Result<Built, ServerBuildError> {
        let built = Self::of(program, release)?;
        if built.program.exists() {
            return Ok(built);
        }
        let folder = built.program.parent().expect("the program is in a folder");
        let sources = |source| ServerBuildError::Sources { release: release.to_owned(), source };
        fs::create_dir_all(folder).map_err(sources)?;
        // Builds under another name and renames, so that another process never runs an incomplete program.
        let unfinished = folder.join(format!("unfinished-{}", std::process::id()));
        let version = kubernetes_version(program, release).map_err(sources)?;
        let status = Command::new("go")
            .current_dir(program.folder())
            .env("CGO_ENABLED", "0")
            .args(["build", "-buildvcs=false", "-trimpath", "-p", "2"])
            .arg(format!("-modfile={}", program.module_file(release).display()))
            .arg(format!("-ldflags=-s -w {}", version_flags(&version)))
            .arg("-o")
            .arg(&unfinished)
            .arg(".")
            .status()
            .map_err(ServerBuildError::Go)?;
        if !status.success() {
            return Err(ServerBuildError::Build { release: release.to_owned() });
        }
        fs::rename(&unfinished, &built.program).map_err(sources)?;
        Ok(built)
    }

    fn of(program: Program, release: &str) -> Result<Built, ServerBuildError> {
        let hash = hash_of_sources(program, release)
            .map_err(|source| ServerBuildError::Sources { release: release.to_owned(), source })?;
        let folder = cache_folder()?.join(format!("kubernetes-{release}-{hash:016x}"));
        Ok(Built { program: folder.join(program.name()), release: release.to_owned() })
    }
}

impl Program {
    /// The name of the program and of the folder of its sources.
    fn name(self) -> &'static str {
        match self {
            Program::Server => "server",
            Program::Controllers => "controllers",
        }
    }

    fn folder(self) -> PathBuf {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.parent().expect("the crate is next to the programs").join(self.name())
    }

    /// Go reads the checksums from the file of the same name with the extension `.sum`.
    fn module_file(self, release: &str) -> PathBuf {
        let name = if release == RELEASE_DEFAULT {
            "go.mod".to_owned()
        } else {
            format!("kubernetes-{release}.mod")
        };
        self.folder().join(name)
    }
}

/// The cache folder for built programs, outside the repository.
pub fn cache_folder() -> Result<PathBuf, ServerBuildError> {
    let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = || folder("HOME").map(|home| home.join(".cache"));
    Ok(folder("XDG_CACHE_HOME").or_else(home).ok_or(ServerBuildError::NoCache)?.join("tidings"))
}

fn hash_of_sources(program: Program, release: &str) -> std::io::Result<u64> {
    let module = program.module_file(release);
    let mut files = vec![module.with_extension("sum"), module];
    for entry in fs::read_dir(program.folder())? {
        let path = entry?.path();
        files.extend(path.extension().is_some_and(|extension| extension == "go").then_some(path));
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read(&file)?;
        all.extend_from_slice(file.file_name().unwrap_or_default().as_encoded_bytes());
        all.extend_from_slice(&text.len().to_le_bytes());
        all.extend_from_slice(&text);
    }
    Ok(XxHash3_64::oneshot(&all))
}

/// The full version, such as `v1.37.1`, from the module file.
fn kubernetes_version(program: Program, release: &str) -> std::io::Result<String> {
    let text = fs::read_to_string(program.module_file(release))?;
    let found = text.lines().find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "));
    let version = found.and_then(|rest| rest.split_whitespace().next());
    version
        .map(str::to_owned)
        .ok_or_else(|| std::io::Error::other("the module file requires no k8s.io/kubernetes"))
}

/// Linker flags that set the version, which is not in the sources. Feature gates depend on it.
fn version_flags(version: &str) -> String {
    let minor = version.split('.').nth(1).unwrap_or_default();
    let facts = [("gitVersion", version), ("gitMajor", "1"), ("gitMinor", minor)];
    let packages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
    let flags = packages
        .iter()
        .flat_map(|package| facts.iter().map(move |(name, value)| format!("-X {package}.{name}={value}")));
    flags.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_server_reports_its_version() {
        let version = kubernetes_version(Program::Server, RELEASE_DEFAULT).unwrap();
        assert!(version.starts_with("v1.37."), "{version}");
        assert_eq!(kubernetes_version(Program::Controllers, RELEASE_DEFAULT).unwrap(), version);
        assert!(version_flags(&version).contains("-X k8s.io/component-base/version.gitMinor=37"));
    }

    #[test]
    fn a_release_without_a_module_file_is_an_error() {
        assert!(matches!(Built::find(Program::Server, "1.2"), Err(ServerBuildError::Sources { .. })));
    }
}
