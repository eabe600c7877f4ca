//! Tests on real servers: which share one, and what is said when one fails.
//!
//! Without a built server each test is shown as ignored with the reason; under `CI=true` it fails instead. A failure
//! says what the server said last, and the command that repeats it.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::built::Built;
use crate::cluster::{Cluster, ClusterError, Settings};

/// The tests of one test target.
pub struct Suite {
    /// The target's name, as `cargo test --test` takes it.
    target: &'static str,
    built: Result<Built, String>,
    trials: Vec<Trial>,
    threads: usize,
}

/// Tests that share a server: it is started for the first that runs, and killed after the last.
pub struct Group<'a> {
    suite: &'a mut Suite,
    name: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    cluster: OnceCell<Cluster>,
}

/// How many tests run at the same time: each keeps a server busy.
const THREADS: usize = 2;

/// What every random choice of a test comes from: `TIDINGS_SEED`, or 1.
pub fn seed() -> u64 {
    let given = std::env::var("TIDINGS_SEED").ok();
    given.map_or(1, |text| text.parse().expect("TIDINGS_SEED is a number"))
}

impl Suite {
    /// The tests of the target of this name.
    pub fn new(target: &'static str) -> Suite {
        let built = Built::from_environment().map_err(|error| chain(&error));
        Suite { target, built, trials: Vec::new(), threads: THREADS }
    }

    /// Runs no two tests at the same time.
    #[must_use]
    pub fn one_at_a_time(mut self) -> Suite {
        self.threads = 1;
        self
    }

    /// Tests that share a server with these flags of kube-apiserver.
    pub fn group(&mut self, name: &'static str, flags: &[&str]) -> Group<'_> {
        self.group_with(name, Settings::with_flags(flags))
    }

    /// As [`group`](Self::group), with everything that can be set.
    pub fn group_with(&mut self, name: &'static str, settings: Settings) -> Group<'_> {
        Group { suite: self, name, shared: Arc::new(Shared { settings, cluster: OnceCell::new() }) }
    }

    /// A test with a server of its own, which it may kill.
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
                runtime.block_on(Cluster::start_with(built, settings)).map_err(Broken::before)?;
            let done = caught(|| runtime.block_on(test(&mut cluster)));
            done.map_err(|message| Broken { message, output: cluster.output() })
        });
        self
    }

    /// Runs what the command line asks for.
    pub fn run(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        arguments.test_threads.get_or_insert(self.threads);
        libtest_mimic::run(&arguments, self.trials).exit_code()
    }

    fn add(&mut self, name: String, test: impl FnOnce(&Built) -> Result<(), Broken> + Send + 'static) {
        let (built, target, shown) = (self.built.clone(), self.target, name.clone());
        self.trials.push(Trial::ignorable_test(name, move || {
            let built = match built {
                Ok(built) => built,
                Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => return Err(reason.into()),
                Err(reason) => return Ok(Completion::ignored_with(reason)),
            };
            let Err(Broken { message, output }) = test(&built) else { return Ok(Completion::Completed) };
            let repeat = format!(
                "TIDINGS_KUBERNETES={} TIDINGS_SEED={} cargo test -p kubernetes-tests --test {target} -- --exact '{shown}'",
                built.release,
                seed()
            );
            Err(Failed::from(format!("{message}\n\nthe server said last:\n{output}\n\nto repeat it:\n{repeat}")))
        }));
    }
}

impl Group<'_> {
    /// A test on the group's server. Others run on it at the same time: it keeps to namespaces of its own.
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
            let cluster = runtime.block_on(started).map_err(Broken::before)?;
            let done = caught(|| runtime.block_on(test(cluster)));
            done.map_err(|message| Broken { message, output: cluster.output() })
        });
        self
    }
}

/// A test that went wrong.
struct Broken {
    message: String,
    /// What the server said last.
    output: String,
}

impl Broken {
    fn before(error: ClusterError) -> Broken {
        Broken { message: chain(&error), output: String::new() }
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
