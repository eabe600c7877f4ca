//! Checks that protobuf and JSON are equivalent. Every built-in kind is created on a real API server and read in both
//! formats, by GET, LIST and WATCH.
//!
//! Discovery lists the kinds. A kind without a fixture fails, unless it is listed with a reason.

mod custom;
mod difference;
mod discovery;
mod envelope;
mod every_kind;
mod expected_differences;
mod fixtures;
mod intake;
mod kinds;
mod pair;
mod path;
mod refusals;
mod response;
mod seeded_server;
mod typed;

use std::process::ExitCode;

use kubernetes_tests::Cluster;
use kubernetes_tests::trials::Suite;

/// Enables all APIs and all fields.
const FLAGS: &[&str] = &["--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true"];

fn main() -> ExitCode {
    let mut suite = Suite::new("wires");
    suite.alone("a refusal says the same on both wires", &["--watch-cache=false"], refusals::say_the_same);
    let mut group = suite.group("every API", FLAGS);
    group
        .test("every fixture is accepted", seeded_server::accepts_every_fixture)
        .test("every kind that can be made has a fixture", every_kind::has_a_fixture)
        .test("a custom resource asked for as protobuf first comes as JSON", custom::comes_as_json)
        .test("the metadata of a custom resource comes as protobuf", custom::metadata_comes_as_protobuf)
        .test("the metadata of a built-in kind is the same on both wires", custom::metadata_of_pods);
    for kind in typed::all() {
        group.test(format!("{} of {}", kind.name, kind.api_version()), async move |cluster: &Cluster| {
            kinds::says_the_same(cluster, kind).await;
        });
    }
    suite.run()
}
