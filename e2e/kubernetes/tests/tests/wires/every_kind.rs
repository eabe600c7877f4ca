//! Checks by discovery that every kind is compared.

use std::collections::BTreeSet;

use kube_client::Client;
use kubernetes_tests::Cluster;
use tidings_object::ResourceKind;
use tidings_protobuf::message;

use crate::kinds;
use crate::response::{PROTOBUF, TestRequest};
use crate::seeded_server::{is_release_of_fixtures, seeded_server};

/// Kinds that are sent as protobuf and that the table does not know, with the reason.
const UNKNOWN: &[(&str, &str)] = &[
    ("scheduling.k8s.io/v1alpha2 PodGroup", "the table is of 1.37, which has v1alpha3 in its place"),
    ("scheduling.k8s.io/v1alpha2 Workload", "the table is of 1.37, which has v1alpha3 in its place"),
];

/// Every kind that can be created and listed is compared, or listed with a reason.
pub(crate) async fn has_a_fixture(cluster: &Cluster) {
    let client = cluster.client().await;
    let compared: BTreeSet<String> =
        kinds::all().iter().map(|kind| shown(&kind.api_version(), kind.name)).collect();
    let mut missing = Vec::new();
    let mut unknown = BTreeSet::new();
    for served in
        seeded_server(cluster).await.served.iter().filter(|served| served.can_be_created_and_listed())
    {
        let ResourceKind { group, version, kind, .. } = &served.resource;
        let name = shown(&served.resource.api_version(), kind);
        if message(group, version, kind).is_none() {
            if comes_as_protobuf(&client, &served.resource).await {
                unknown.insert(name);
            }
        } else if !compared.contains(&name) {
            missing.push(name);
        }
    }
    if is_release_of_fixtures() {
        assert!(missing.is_empty(), "without a fixture: {missing:?}");
        let named: BTreeSet<String> = UNKNOWN.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(unknown, named, "sent as protobuf and not in the table; and which of those are named");
    }
}

/// Custom resources have no protobuf.
async fn comes_as_protobuf(client: &Client, resource: &ResourceKind) -> bool {
    let answer = TestRequest::get(&resource.url_path(None), PROTOBUF).answered(client).await;
    match answer.code {
        200 => answer.format.starts_with(PROTOBUF),
        406 => false,
        code => panic!("LIST {resource} as protobuf: {code}"),
    }
}

fn shown(api_version: &str, kind: &str) -> String {
    format!("{api_version} {kind}")
}
