//! Checks by discovery that every kind is compared.

use std::collections::BTreeSet;

use kube_client::Client;
use kubernetes_tests::Cluster;
use tidings_object::ResourceKind;
use tidings_protobuf::message;

use crate::response::{PROTOBUF, TestRequest};
use crate::seeded_server::{is_release_of_fixtures, seeded_server};
use crate::typed;

/// Every kind that can be created and listed is compared.
pub(crate) async fn has_a_fixture(cluster: &Cluster) {
    let client = cluster.client().await;
    let compared: BTreeSet<String> =
        typed::all().iter().map(|kind| shown(&kind.api_version(), kind.name)).collect();
    let mut missing = Vec::new();
    let mut unknown = Vec::new();
    for served in
        seeded_server(cluster).await.served.iter().filter(|served| served.can_be_created_and_listed())
    {
        let ResourceKind { group, version, kind, .. } = &served.resource;
        let name = shown(&served.resource.api_version(), kind);
        if message(group, version, kind).is_none() {
            if comes_as_protobuf(&client, &served.resource).await {
                unknown.push(name);
            }
        } else if !compared.contains(&name) {
            missing.push(name);
        }
    }
    if is_release_of_fixtures() {
        assert!(missing.is_empty(), "without a fixture: {missing:?}");
        assert!(unknown.is_empty(), "sent as protobuf and not in the table: {unknown:?}");
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
