//! The program of `e2e/kubernetes/server`, built once for each version and state of its sources.
//!
//! It lies in a cache outside the repository, under a hash of what it was built from: a changed source is another
//! program. Looking for it never builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use twox_hash::XxHash3_64;

/// A server that is built.
#[derive(Debug, Clone)]
pub struct Built {
    /// The program.
    pub program: PathBuf,
    /// Which release of Kubernetes it is, such as `1.36`.
    pub release: String,
}

/// The release that is tested unless `TIDINGS_KUBERNETES` names another.
pub const RELEASE_DEFAULT: &str = "1.36";

/// The release that is tested.
pub fn release_tested() -> String {
    std::env::var("TIDINGS_KUBERNETES").unwrap_or_else(|_| RELEASE_DEFAULT.to_owned())
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum BuiltError {
    /// Nobody built it yet.
    #[error("Kubernetes {release} is not built: run `cargo run -p kubernetes-tests -- build {release}`")]
    NotBuilt {
        /// The release.
        release: String,
    },
    /// There is no module file of that release.
    #[error("reading the sources of Kubernetes {release}")]
    Sources {
        /// The release.
        release: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// There is no place for a cache.
    #[error("neither XDG_CACHE_HOME nor HOME is set, so that there is no cache to build into")]
    NoCache,
    /// Go could not be run.
    #[error("running go")]
    Go(#[source] std::io::Error),
    /// Go ran, and did not like it.
    #[error("go could not build Kubernetes {release}")]
    Build {
        /// The release.
        release: String,
    },
}

impl Built {
    /// The server of the release that `TIDINGS_KUBERNETES` names, if it is built. With `TIDINGS_E2E=1` it is built
    /// if it is not.
    pub fn from_environment() -> Result<Built, BuiltError> {
        let release = release_tested();
        match Self::find(&release) {
            Err(BuiltError::NotBuilt { .. })
                if std::env::var("TIDINGS_E2E").is_ok_and(|asked| asked == "1") =>
            {
                Self::build(&release)
            }
            found => found,
        }
    }

    /// The server of a release, if it is built.
    pub fn find(release: &str) -> Result<Built, BuiltError> {
        let built = Self::of(release)?;
        if built.program.exists() {
            Ok(built)
        } else {
            Err(BuiltError::NotBuilt { release: release.to_owned() })
        }
    }

    /// The server of a release; it is built if it is not yet. The first time, that takes ten minutes of two cores.
    pub fn build(release: &str) -> Result<Built, BuiltError> {
        let built = Self::of(release)?;
        if built.program.exists() {
            return Ok(built);
        }
        let folder = built.program.parent().expect("a program stands in a folder");
        let sources = |source| BuiltError::Sources { release: release.to_owned(), source };
        fs::create_dir_all(folder).map_err(sources)?;
        // Under another name first: whoever sees the program can run it, also while another one builds.
        let unfinished = folder.join(format!("unfinished-{}", std::process::id()));
        let status = Command::new("go")
            .current_dir(server_folder())
            .env("CGO_ENABLED", "0")
            .args(["build", "-buildvcs=false", "-trimpath", "-p", "2"])
            .arg(format!("-modfile={}", module_file(release).display()))
            .arg(format!("-ldflags=-s -w {}", version_flags(&kubernetes_version(release).map_err(sources)?)))
            .arg("-o")
            .arg(&unfinished)
            .arg(".")
            .status()
            .map_err(BuiltError::Go)?;
        if !status.success() {
            return Err(BuiltError::Build { release: release.to_owned() });
        }
        fs::rename(&unfinished, &built.program).map_err(sources)?;
        Ok(built)
    }

    fn of(release: &str) -> Result<Built, BuiltError> {
        let hash = hash_of_sources(release)
            .map_err(|source| BuiltError::Sources { release: release.to_owned(), source })?;
        let program = cache_folder()?.join(format!("kubernetes-{release}-{hash:016x}")).join("server");
        Ok(Built { program, release: release.to_owned() })
    }
}

fn server_folder() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the crate stands beside the server").join("server")
}

/// Go takes the sums from the file of the same name that ends in `.sum`.
fn module_file(release: &str) -> PathBuf {
    let name =
        if release == RELEASE_DEFAULT { "go.mod".to_owned() } else { format!("kubernetes-{release}.mod") };
    server_folder().join(name)
}

/// Where programs are built to: outside the repository, and kept.
pub fn cache_folder() -> Result<PathBuf, BuiltError> {
    let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = || folder("HOME").map(|home| home.join(".cache"));
    Ok(folder("XDG_CACHE_HOME").or_else(home).ok_or(BuiltError::NoCache)?.join("tidings"))
}

fn hash_of_sources(release: &str) -> std::io::Result<u64> {
    let module = module_file(release);
    let mut files = vec![module.with_extension("sum"), module];
    for entry in fs::read_dir(server_folder())? {
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

/// The full version, such as `v1.36.3`, as its module file says.
fn kubernetes_version(release: &str) -> std::io::Result<String> {
    let text = fs::read_to_string(module_file(release))?;
    let found = text.lines().find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "));
    let version = found.and_then(|rest| rest.split_whitespace().next());
    version
        .map(str::to_owned)
        .ok_or_else(|| std::io::Error::other("the module file requires no k8s.io/kubernetes"))
}

/// The version is not in the sources: whoever builds says it. Feature gates depend on it.
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
    fn what_is_built_says_which_version_it_is() {
        let version = kubernetes_version(RELEASE_DEFAULT).unwrap();
        assert!(version.starts_with("v1.36."), "{version}");
        assert!(version_flags(&version).contains("-X k8s.io/component-base/version.gitMinor=36"));
    }

    #[test]
    fn a_release_that_nobody_wrote_a_module_file_for_is_an_error() {
        assert!(matches!(Built::find("1.2"), Err(BuiltError::Sources { .. })));
    }
}
