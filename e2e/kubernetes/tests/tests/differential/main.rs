//! Runs client-go's informer and ours on the same server with the same faults. Both must reach what the server lists,
//! and send requests by the same rules.
//!
//! A seed determines writes and faults. `TIDINGS_SEEDS=500` runs 500 seeds, `TIDINGS_SEED=17` repeats one. A failure
//! contains the seed and the requests and notifications of both clients. Without a built server or without `go` each
//! seed is reported as ignored; with `CI=true` it fails.

mod client_go;
mod coding;
mod differences;
mod fault_plan;
mod notifications;
mod ours;
mod proxy;
mod rules;
mod run;
mod script;
mod wire;
mod workload;

use std::any::Any;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use kubernetes_tests::built::Program;
use kubernetes_tests::{Built, Cluster};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tokio::sync::OnceCell;

use differences::DifferenceCounts;
use script::{Script, WatchCache};

/// The default number of seeds.
const SEEDS: u64 = 50;

/// Seeds spend most of their time waiting, so many run in parallel.
const THREADS: usize = 8;

/// What all seeds share.
struct Shared {
    programs: LazyLock<Result<Programs, String>>,
    with_cache: OnceCell<Cluster>,
    without_cache: OnceCell<Cluster>,
    seen: DifferenceCounts,
}

struct Programs {
    server: Built,
    client_go: PathBuf,
}

fn main() -> ExitCode {
    let shared = Arc::new(Shared {
        programs: LazyLock::new(programs),
        with_cache: OnceCell::new(),
        without_cache: OnceCell::new(),
        seen: DifferenceCounts::default(),
    });
    let trial = |seed| {
        let shared = Arc::clone(&shared);
        // holds: R5, R16, R17, R18, R20, R21, R25, R30, R31, R32, R34, R36, R37, R38, R50, R54, R55, R56, R57, R58
        // holds: P3, P4, X4, X7, X14, X15, X20, X25, X26
        Trial::ignorable_test(format!("seed {seed}"), move || shared.run(seed))
    };
    let trials = seeds().map(trial).collect();
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(THREADS);
    let conclusion = libtest_mimic::run(&arguments, trials);
    if conclusion.num_passed > 0 {
        let _ = writeln!(std::io::stdout(), "{}", shared.seen.table());
    }
    conclusion.exit_code()
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    match number("TIDINGS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TIDINGS_SEEDS").unwrap_or(SEEDS),
    }
}

impl Shared {
    fn run(&self, seed: u64) -> Result<Completion, Failed> {
        let programs = match &*self.programs {
            Ok(programs) => programs,
            Err(reason) if std::env::var("CI").is_ok_and(|ci| ci == "true") => return Err(reason.into()),
            Err(reason) => return Ok(Completion::ignored_with(reason)),
        };
        let script = Script::of(seed);
        let played = catch_unwind(AssertUnwindSafe(|| self.play(&script, programs)));
        let found = match played {
            Ok(Ok(found)) if found.is_empty() => return Ok(Completion::Completed),
            Ok(Ok(found)) => found,
            Ok(Err(error)) => error,
            Err(panic) => format!("{script:#?}\nit panicked: {}", text(&*panic)),
        };
        let repeat = format!("TIDINGS_SEED={seed} cargo test -p kubernetes-tests --test differential");
        Err(format!("{found}\n\nto repeat it:\n{repeat}").into())
    }

    /// Runs a script. Returns the failure, if there is one.
    fn play(&self, script: &Script, programs: &Programs) -> Result<String, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(error_text)?;
        let report = runtime.block_on(async {
            let cluster = self.cluster(script.cache, &programs.server).await?;
            Ok::<_, String>(run::run(script, cluster, &programs.client_go).await)
        })?;
        self.seen.add(&report.differences);
        match report.found.is_empty() {
            true => Ok(String::new()),
            false => {
                Ok(format!("{}\nseed {}:\n{}", report.description, script.seed, report.found.join("\n")))
            }
        }
    }

    /// The server that all seeds of its kind share. Each seed has its own namespace.
    async fn cluster(&self, cache: WatchCache, built: &Built) -> Result<&Cluster, String> {
        let (cell, flags): (_, &[&str]) = match cache {
            WatchCache::On => (&self.with_cache, &[]),
            WatchCache::Off => (&self.without_cache, &["--watch-cache=false"]),
        };
        cell.get_or_try_init(|| Cluster::start(built, flags)).await.map_err(error_text)
    }
}

fn programs() -> Result<Programs, String> {
    Ok(Programs {
        server: Built::from_environment(Program::Server).map_err(error_text)?,
        client_go: client_go::built()?,
    })
}

/// An error with its causes.
fn error_text(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

/// The message of a panic.
fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("nothing")
}
