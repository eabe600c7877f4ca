//! Our own example controllers pass every exploration, at the promised speed.

#![allow(clippy::duplicate_mod, reason = "each example includes the shared module")]

#[allow(dead_code, unused_imports, reason = "only users run its main")]
#[path = "../../../tidings/examples/pod_set.rs"]
mod pod_set;
#[allow(dead_code, unused_imports, reason = "only users run its main")]
#[path = "../../../tidings/examples/sample_controller.rs"]
mod sample_controller;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube_client::{Api, ResourceExt as _};
use kube_core::CustomResourceExt as _;
use serde_json::json;
use tidings::controller::Controller;
use tidings_sim::{Report, Rule, Sim, explore};

use self::pod_set::{PodSet, PodSetSpec};
use self::sample_controller::{Foo, FooSpec, fake_deployment_controller};

fn passes(setup: impl Fn(&mut Sim) + Send + Sync + 'static) -> Report {
    match explore(setup) {
        Ok(report) => {
            println!("{report}");
            assert!(report.repeats, "two undisturbed executions differ");
            report
        }
        Err(failure) => panic!("{failure}"),
    }
}

fn sample(sim: &mut Sim) {
    sim.install(Foo::crd());
    sim.immutable(
        "foos.samplecontroller.example.com",
        "/spec/deploymentName",
        "the sample controller never deletes the Deployment of an earlier name",
    );
    sim.controller(|_| sample_controller::controller());
    sim.controller(|_| fake_deployment_controller());
    sim.scenario(|client| async move {
        let foos: Api<Foo> = Api::default_namespaced(client.clone());
        let spec = FooSpec { deployment_name: "example-deployment".to_owned(), replicas: 1 };
        foos.create(&PostParams::default(), &Foo::new("example", spec)).await?;
        let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        foos.patch("example", &PatchParams::default(), &patch).await?;
        let deployments: Api<Deployment> = Api::default_namespaced(client);
        deployments.delete("example-deployment", &DeleteParams::default()).await.map(drop)
    });
    sim.always("a Foo has at most one Deployment", |state| state.list::<Deployment>().len() <= 1);
    sim.finally("all replicas are reported", |state| {
        let example: Foo = state.get("default", "example").ok_or("the Foo is gone")?;
        let available = example.status.map(|status| status.available_replicas);
        if available == Some(example.spec.replicas) { Ok(()) } else { Err("the status says something else") }
    });
}

#[test]
fn the_sample_controller_passes() {
    let report = passes(sample);
    assert!(report.reconciles >= 10, "{} reconciles", report.reconciles);
}

#[test]
fn the_pod_set_passes() {
    passes(|sim| {
        sim.install(PodSet::crd());
        sim.without(
            Rule::NoDuplicates,
            "pods have generated names: after a lost answer there is one too many for a while, as with a ReplicaSet",
        );
        sim.controller(|_| -> Controller { pod_set::controller() });
        sim.scenario(|client| async move {
            let sets: Api<PodSet> = Api::default_namespaced(client.clone());
            let web = PodSet::new("web", PodSetSpec { replicas: 2, image: "nginx".to_owned() });
            sets.create(&PostParams::default(), &web).await?;
            let pods: Api<Pod> = Api::default_namespaced(client);
            if let Some(first) = pods.list(&ListParams::default()).await?.items.first() {
                pods.delete(&first.name_any(), &DeleteParams::default()).await?;
            }
            for replicas in [3, 1] {
                let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
                sets.patch("web", &PatchParams::default(), &patch).await?;
            }
            Ok::<_, kube_client::Error>(())
        });
    });
}
