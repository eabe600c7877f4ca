//! client-go's informer: a process that prints its notifications.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use kubernetes_tests::agreement::{ObjectVersion, Versions};
use kubernetes_tests::built::cache_folder;
use serde::Deserialize;
use tidings_object::Wire;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use twox_hash::XxHash3_64;

use crate::notifications::{HandlerKind, Notification};
use crate::script::{Lists, SLOW, Script};

/// The running process. Dropping it ends it.
pub(crate) struct ClientGo {
    child: Child,
    asking: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    notifications: Vec<Notification>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Notification(Notification),
    Cache { objects: Vec<Cached> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cached {
    key: String,
    uid: String,
    resource_version: String,
}

impl ClientGo {
    pub(crate) fn start(
        script: &Script,
        program: &Path,
        server: &str,
        namespace: &str,
        selector: &str,
    ) -> ClientGo {
        let mut command = Command::new(program);
        command.args(["-server", server, "-namespace", namespace, "-selector", selector]);
        command.args(["-slow", &format!("{}ms", SLOW.as_millis())]);
        if script.lists == Lists::Chunked {
            command.arg("-chunked");
        }
        if script.wire == Wire::Protobuf {
            command.arg("-protobuf");
        }
        // Its log is about deliberate faults, so it is discarded.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program that was built can be started");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        ClientGo { asking: child.stdin.take(), child, lines, notifications: Vec::new() }
    }

    /// The current content of its cache. All notifications before this moment have been read.
    pub(crate) async fn cache(&mut self) -> Versions {
        let asking = self.asking.as_mut().expect("it was not notification to end");
        asking.write_all(b"\n").await.expect("it reads its input");
        self.read_cache().await
    }

    /// Ends it, and returns its cache and all notifications.
    pub(crate) async fn ended(mut self) -> (Versions, Vec<Notification>) {
        drop(self.asking.take());
        let state = self.read_cache().await;
        let status = self.child.wait().await.expect("it ends");
        assert!(status.success(), "client-go's program ended with {status}");
        (state, self.notifications)
    }

    /// Whether slow handlers have received as many notifications as fast ones. client-go never merges.
    pub(crate) fn has_delivered_all(&self) -> bool {
        let received =
            |kind| self.notifications.iter().filter(|notification| notification.handler == kind).count();
        received(HandlerKind::All) == received(HandlerKind::Slow)
            && received(HandlerKind::Filtered) == received(HandlerKind::SlowFiltered)
    }

    pub(crate) fn notifications(&self) -> &[Notification] {
        &self.notifications
    }

    async fn read_cache(&mut self) -> Versions {
        loop {
            let line = self.lines.next_line().await.expect("its output can be read");
            let line = line.expect("it prints its cache before it ends");
            match serde_json::from_str(&line).expect("it prints what is expected") {
                Line::Notification(notification) => self.notifications.push(notification),
                Line::Cache { objects } => {
                    let life = |object: Cached| {
                        (object.key, ObjectVersion { uid: object.uid, version: object.resource_version })
                    };
                    return objects.into_iter().map(life).collect();
                }
            }
        }
    }
}

/// Builds the program of `e2e/kubernetes/differential` once for each state of its sources, into the same cache as the
/// server. Only this needs Go.
pub(crate) fn built() -> Result<PathBuf, String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential");
    let mut all = Vec::new();
    for name in ["go.mod", "go.sum", "main.go"] {
        let text = fs::read(sources.join(name)).map_err(|error| format!("reading {name}: {error}"))?;
        all.extend(text.len().to_le_bytes());
        all.extend(text);
    }
    let folder = cache_folder().map_err(|error| error.to_string())?;
    let program = folder.join(format!("differential-{:016x}", XxHash3_64::oneshot(&all)));
    if program.exists() {
        return Ok(program);
    }
    // Builds under another name and renames, so that another process never runs an incomplete program.
    let unfinished = folder.join(format!("differential-unfinished-{}", std::process::id()));
    let mut go = std::process::Command::new("go");
    go.current_dir(sources).env("CGO_ENABLED", "0").args(["build", "-buildvcs=false", "-o"]);
    let built = go.arg(&unfinished).arg(".").output();
    let built =
        built.map_err(|error| format!("go, which builds client-go's side, is not on the path ({error})"))?;
    if !built.status.success() {
        let error_text = String::from_utf8_lossy(&built.stderr).into_owned();
        return Err(format!("go could not build client-go's side: {error_text}"));
    }
    fs::rename(&unfinished, &program).map_err(|error| format!("keeping client-go's side: {error}"))?;
    Ok(program)
}
