//! Controllers on a real API server: what reconciles read, apply, refer to and wait for, and what requests them.
//!
//! Tests share a server and use their own namespaces. They wait for conditions, never for time.

mod applying;
mod awaiting;
mod causes;
mod fresh_reads;
mod references;
mod scene;
mod staleness;

use std::process::ExitCode;

use kubernetes_tests::trials::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::new("controllers");
    suite
        .group("as it comes", &[])
        .test("a read in a reconcile shows the writes of this reconcile", fresh_reads::shows_own_writes)
        .test(
            "a read of a kind known at run time shows the writes",
            fresh_reads::shows_own_writes_to_dynamic_kinds,
        )
        .test("a set is applied once, follows its owner, and is pruned", applying::applies_and_prunes)
        .test("a status is written if it changed", applying::writes_conditions)
        .test("a change of a referenced object requests its referrers", references::are_followed)
        .test("a path that the schema excludes ends the controller", references::wrong_path)
        .test("a request sleeps until an object meets a condition", awaiting::sleeps_until_ready)
        .test("a change that a reconcile made names that reconcile", causes::name_the_writer)
        .test("a controller that wakes itself is reported with the fields", causes::report_loops)
        .test("requests wait while a cache is stale", staleness::requests_wait)
        .test("reads go to the server while a cache is stale", staleness::reads_go_to_the_server);
    suite.run()
}
