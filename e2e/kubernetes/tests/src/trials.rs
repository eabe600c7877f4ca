//! Defines tests on real servers, which can share a server.
//!
//! Without a built server each test is reported as ignored; with `CI=true` it fails. A failure contains the last output
//! of the server and the command that repeats the test.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::built::{Built, Program};
use crate::cluster::{Cluster, ClusterError, Settings};

/// The tests of one test target.
pub struct Suite {
    /// The name of the target, for `cargo test --test`.
    target: &'static str,
    built: Result<Built, String>,
    trials: Vec<Trial>,
    threads: usize,
}

/// Tests that share a server. It is started for the first test and killed after the last.
pub struct Group<'a> {
    suite: &'a mut Suite,
    name: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    cluster: OnceCell<Cluster>,
}

/// How many tests run in parallel. Each keeps a server busy.
const THREADS: usize = 2;

/// The seed of all random choices: `TIDINGS_SEED`, or 1.
pub fn seed() -> u64 {
    let given = std::env::var("TIDINGS_SEED").ok();
    given.map_or(1, |text| text.parse().expect("TIDINGS_SEED is a number"))
}

impl Suite {
    /// The tests of the target with this name.
    pub fn new(target: &'static str) -> Suite {
        Suite::of(Program::Server, target)
    }

    /// As [`new`](Self::new), for tests that need this program.
    pub fn of(program: Program, target: &'static str) -> Suite {
        let built = Built::from_environment(program).map_err(|error| chain(&error));
        Suite { target, built, trials: Vec::new(), threads: THREADS }
    }

    /// A test that starts the program itself.
    pub fn test(&mut self, name: &'static str, test: impl AsyncFnOnce(&Built) + Send + 'static) -> &mut Self {
        self.add(name.to_owned(), move |built| {
            caught(|| runtime().block_on(test(built)))
                .map_err(|message| FailedTest { message, output: String::new() })
        });
        self
    }

    /// Runs the tests one after another.
    #[must_use]
    pub fn one_at_a_time(mut self) -> Suite {
        self.threads = 1;
        self
    }

    /// Tests that share a server with these flags of kube-apiserver.
    pub fn group(&mut self, name: &'static str, flags: &[&str]) -> Group<'_> {
        self.group_with(name, Settings::with_flags(flags))
    }

    /// As [`group`](Self::group), with all settings.
    pub fn group_with(&mut self, name: &'static str, settings: Settings) -> Group<'_> {
        Group { suite: self, name, shared: Arc::new(Shared { settings, cluster: OnceCell::new() }) }
    }

    /// A test with its own server, which it may kill.
    pub fn alone(
        &mut self,
        name: &'static str,
        flags: &[&str],
        test: impl AsyncFnOnce(&mut Cluster) + Send + 'static,
    ) -> &mut Self {
        let settings = Settings::with_flags(flags);
        self.add(name.to_owned(), move |built| {
            let runtime = runtime();
            let mut cluster =
                runtime.block_on(Cluster::start_with(built, settings)).map_err(FailedTest::before)?;
            let done = caught(|| runtime.block_on(test(&mut cluster)));
            done.map_err(|message| FailedTest { message, output: cluster.output() })
        });
        self
    }

    /// Runs the tests that the command line selects.
    pub fn run(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        arguments.test_threads.get_or_insert(self.threads);
        libtest_mimic::run(&arguments, self.trials).exit_code()
    }

    fn add(&mut self, name: String, test: impl FnOnce(&Built) -> Result<(), FailedTest> + Send + 'static) {
        let (built, target, shown) = (self.built.clone(), self.target, name.clone());
        self.trials.push(Trial::ignorable_test(name, move || {
            let built = match built {
                Ok(built) => built,
                Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => return Err(reason.into()),
                Err(reason) => return Ok(Completion::ignored_with(reason)),
            };
            let Err(FailedTest { message, output }) = test(&built) else { return Ok(Completion::Completed) };
            let repeat = format!(
                "TIDINGS_KUBERNETES={} TIDINGS_SEED={} cargo test -p kubernetes-tests --test {target} -- --exact '{shown}'",
                built.release,
                seed()
            );
            Err(Failed::from(format!("{message}\n\nthe last output of the server:\n{output}\n\nto repeat it:\n{repeat}")))
        }));
    }
}

impl Group<'_> {
    /// A test on the server of the group. It must use its own namespaces, because other tests run at the same time.
    pub fn test(
        &mut self,
        name: impl Display,
        test: impl AsyncFnOnce(&Cluster) + Send + 'static,
    ) -> &mut Self {
        let shared = Arc::clone(&self.shared);
        self.suite.add(format!("{}: {name}", self.name), move |built| {
            let runtime = runtime();
            let started =
                shared.cluster.get_or_try_init(|| Cluster::start_with(built, shared.settings.clone()));
            let cluster = runtime.block_on(started).map_err(FailedTest::before)?;
            let done = caught(|| runtime.block_on(test(cluster)));
            done.map_err(|message| FailedTest { message, output: cluster.output() })
        });
        self
    }
}

/// A failed test.
struct FailedTest {
    message: String,
    /// The last output of the server.
    output: String,
}

impl FailedTest {
    fn before(error: ClusterError) -> FailedTest {
        FailedTest { message: chain(&error), output: String::new() }
    }
}

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime can be made")
}

fn caught(test: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(test)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
    })
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
