//! Tests with client-go: a Go program with a shared informer, an index and a work queue.
//!
//! The program is built from `e2e/clientgo` with `go`. Without `go`, each test is reported as ignored; with `CI=true`
//! it fails instead. Each test has its own server.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, Ending, Fault, Verb};

#[path = "support/tls_server.rs"]
mod tls_server;

use tls_server::TlsServer;

/// A test: its name and its function.
type Test = (&'static str, fn(&mut ClientGoSession));

const TESTS: &[Test] = &[
    ("an informer receives all objects and every change", receives_every_change),
    ("an informer resumes after its watch is cut", resumes_after_a_cut),
    ("an informer lists again after its version has expired", lists_again),
    ("an informer falls back to lists if streaming lists are refused", falls_back),
];

/// The path of the program, or why it could not be built.
static PROGRAM: LazyLock<Result<PathBuf, String>> = LazyLock::new(build);

fn main() -> ExitCode {
    let trials = TESTS.iter().map(|&(name, test)| Trial::ignorable_test(name, move || run(test))).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(test: fn(&mut ClientGoSession)) -> Result<Completion, Failed> {
    match &*PROGRAM {
        Ok(program) => {
            test(&mut ClientGoSession::start(program));
            Ok(Completion::Completed)
        }
        Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => Err(reason.as_str().into()),
        Err(reason) => Ok(Completion::ignored_with(reason)),
    }
}

fn build() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/clientgo");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clientgo");
    let built = Command::new("go").current_dir(source).args(["build", "-o"]).arg(&program).arg(".").output();
    match built {
        Err(error) => Err(format!("go is not on the path ({error})")),
        Ok(built) if !built.status.success() => {
            Err(format!("go could not build the program: {}", String::from_utf8_lossy(&built.stderr)))
        }
        Ok(_) => Ok(program),
    }
}

/// A server and the program that watches its pods.
struct ClientGoSession {
    tls: TlsServer,
    program: PathBuf,
    watching: Option<(Child, BufReader<ChildStdout>)>,
}

impl ClientGoSession {
    fn start(program: &Path) -> Self {
        Self { tls: TlsServer::start(), program: program.to_owned(), watching: None }
    }

    fn server(&self) -> &ApiServer {
        &self.tls.server
    }

    /// Starts the program. It ends when the pod `last` is deleted.
    fn watch(&mut self) {
        let mut child = Command::new(&self.program)
            .arg("-kubeconfig")
            .arg(self.tls.kubeconfig())
            .args(["-until", "default/last"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped"));
        self.watching = Some((child, lines));
    }

    fn put(&self, name: &str, node: &str, phase: &str) {
        self.server().put("pods", json!({
            "metadata": {"name": name}, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]},
            "status": {"phase": phase},
        }));
    }

    /// Reads output lines until this one.
    #[track_caller]
    fn reads(&mut self, expected: Value) {
        let (_, lines) = self.watching.as_mut().expect("the program was started");
        let mut read = Vec::new();
        loop {
            let mut line = String::new();
            let length = lines.read_line(&mut line).expect("its output can be read");
            assert!(length > 0, "no {expected} in {read:?}");
            let line: Value = serde_json::from_str(&line).expect("it prints JSON lines");
            if line == expected {
                return;
            }
            read.push(line);
        }
    }

    /// Deletes the pod `last` and checks that the program succeeds.
    #[track_caller]
    fn ends(&mut self) {
        self.put("last", "node-2", "Running");
        self.reads(json!({"event": "seen", "key": "default/last", "phase": "Running"}));
        self.server().remove("pods", "default/last");
        self.reads(json!({"event": "gone", "key": "default/last"}));
        let (mut child, _) = self.watching.take().expect("the program was started");
        assert!(child.wait().expect("it ends").success());
    }

    fn requests(&self, verb: Verb) -> usize {
        self.server().requests().iter().filter(|request| request.verb == Some(verb)).count()
    }
}

impl Drop for ClientGoSession {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.watching {
            // A failed test leaves it running.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn receives_every_change(session: &mut ClientGoSession) {
    session.put("a", "node-1", "Pending");
    session.put("b", "node-1", "Running");
    session.put("c", "node-2", "Running");
    session.watch();
    session.reads(json!({"event": "synced", "count": 3}));
    session.reads(json!({"event": "indexed", "count": 2}));
    session.reads(json!({"event": "seen", "key": "default/c", "phase": "Running"}));
    session.put("a", "node-1", "Succeeded");
    session.reads(json!({"event": "seen", "key": "default/a", "phase": "Succeeded"}));
    session.server().remove("pods", "default/b");
    session.reads(json!({"event": "gone", "key": "default/b"}));
    session.ends();
}

fn resumes_after_a_cut(session: &mut ClientGoSession) {
    session.watch();
    session.reads(json!({"event": "synced"}));
    for (name, ending) in [("a", Ending::Clean), ("b", Ending::Broken)] {
        session.server().faults().cut_watches(ending);
        session.put(name, "node-1", "Running");
        session.reads(json!({"event": "seen", "key": format!("default/{name}"), "phase": "Running"}));
    }
    session.ends();
    assert_eq!(session.requests(Verb::List), 0, "a cut watch resumes from its version, without a list");
}

fn lists_again(session: &mut ClientGoSession) {
    session.put("a", "node-1", "Running");
    session.watch();
    session.reads(json!({"event": "synced", "count": 1}));
    session.server().faults().inject(Fault::ExpireOnOpen.once().on(Verb::Watch).of("pods"));
    session.server().faults().cut_watches(Ending::Clean);
    session.put("b", "node-1", "Running");
    session.reads(json!({"event": "seen", "key": "default/b", "phase": "Running"}));
    session.ends();
}

fn falls_back(session: &mut ClientGoSession) {
    session.server().faults().inject(Fault::RefuseStreamingList.always());
    session.put("a", "node-1", "Running");
    session.watch();
    session.reads(json!({"event": "synced", "count": 1}));
    session.ends();
    assert!(session.requests(Verb::List) > 0, "the informer lists if streaming is refused");
}
