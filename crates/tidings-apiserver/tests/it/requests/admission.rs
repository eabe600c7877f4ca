//! Admission webhooks and policies.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tokio::time::timeout;

use crate::requests::http_calls::{HttpAnswer, call, config_map, delete, get, post, put};
use crate::requests::webhook_server::WebhookServer;

const MAPS: &str = "/api/v1/namespaces/t/configmaps";
const REGISTRATION: &str = "/apis/admissionregistration.k8s.io/v1";
const REVIEW: &str = "admission.k8s.io/v1";

fn rules(operations: &[&str]) -> Value {
    json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": operations, "resources": ["configmaps"]}])
}

fn webhook(name: &str, client_config: Value, operations: &[&str]) -> Value {
    json!({
        "name": name, "clientConfig": client_config, "rules": rules(operations), "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    })
}

/// Creates a configuration; `kind` is `Mutating` or `Validating`.
async fn configure(client: &kube_client::Client, kind: &str, name: &str, webhooks: Value) {
    let path = format!("{REGISTRATION}/{}webhookconfigurations", kind.to_lowercase());
    let configuration = json!({"metadata": {"name": name}, "webhooks": webhooks});
    let answer = post(client, &path, &configuration).await;
    assert_eq!(answer.code, 201, "{}", answer.json());
}

fn patch(operations: &Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": STANDARD.encode(operations.to_string())})
}

fn warnings(answer: &HttpAnswer) -> Vec<String> {
    let found = answer.headers.get_all("warning").iter();
    found.map(|value| value.to_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_validating_webhook_refuses_creates_updates_and_deletions() {
    let server = ApiServer::start().await;
    let client = server.client();
    let hook = WebhookServer::start(REVIEW, |request| {
        let object = if request["operation"] == "DELETE" { &request["oldObject"] } else { &request["object"] };
        let is_allowed = object["data"]["value"] != "bad";
        json!({"allowed": is_allowed, "status": {"code": 403, "reason": "Forbidden", "message": "no bad ones"},
            "warnings": ["seen"]})
    })
    .await;
    post(&client, MAPS, &config_map("t", "there", "bad")).await;
    let hooks = json!([webhook("check.example.com", hook.by_url(), &["CREATE", "UPDATE", "DELETE"])]);
    configure(&client, "Validating", "check", hooks).await;

    let refused = post(&client, MAPS, &config_map("t", "new", "bad")).await;
    assert_eq!(refused.code_and_reason(), (403, "Forbidden".to_owned()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "admission webhook \"check.example.com\" denied the request: no bad ones");
    assert_eq!(warnings(&refused), ["299 - \"seen\""]);
    assert!(server.object("configmaps", "t/new").is_none());
    assert_eq!(delete(&client, &format!("{MAPS}/there")).await.code, 403);
    let merge = json!({"data": {"value": "good"}});
    let patched = call(Method::PATCH, &format!("{MAPS}/there"))
        .bytes(merge.to_string())
        .header("content-type", "application/merge-patch+json")
        .send(&client)
        .await;
    assert_eq!(patched.code, 200, "{}", patched.json());
    assert_eq!(put(&client, &format!("{MAPS}/there"), &config_map("t", "there", "bad")).await.code, 403);
    assert_eq!(delete(&client, &format!("{MAPS}/there")).await.code, 200);

    let reviews = hook.reviews();
    let create = &reviews[0];
    assert_eq!(create["operation"], "CREATE");
    assert_eq!(create["resource"], json!({"group": "", "version": "v1", "resource": "configmaps"}));
    assert_eq!((&create["name"], &create["namespace"]), (&json!("new"), &json!("t")));
    assert_eq!(create["userInfo"]["username"], "system:admin");
    assert_eq!((&create["dryRun"], &create["oldObject"]), (&json!(false), &Value::Null));
    assert_eq!(create["object"]["kind"], "ConfigMap");
}

#[tokio::test]
async fn mutating_webhooks_change_the_object_in_order_and_are_called_again_if_needed() {
    let server = ApiServer::start().await;
    let client = server.client();
    let first = WebhookServer::start(REVIEW, |request| {
        let count =
            request["object"]["data"]["first"].as_str().map_or(0, |count| count.parse::<u32>().unwrap());
        patch(&json!([{"op": "add", "path": "/data/first", "value": (count + 1).to_string()}]))
    })
    .await;
    let second = WebhookServer::start(REVIEW, |request| {
        assert_eq!(request["object"]["data"]["first"], "1");
        patch(&json!([{"op": "add", "path": "/metadata/labels/second", "value": "yes"}]))
    })
    .await;
    let mut reinvoked = webhook("first.example.com", first.by_url(), &["CREATE"]);
    reinvoked["reinvocationPolicy"] = json!("IfNeeded");
    configure(&client, "Mutating", "a", json!([reinvoked])).await;
    let hooks = json!([webhook("second.example.com", second.by_url(), &["CREATE"])]);
    configure(&client, "Mutating", "b", hooks).await;

    let made = post(&client, MAPS, &config_map("t", "m", "1")).await;
    assert_eq!(made.code, 201, "{}", made.json());
    assert_eq!(made.json()["data"], json!({"value": "1", "first": "2"}));
    assert_eq!(made.json()["metadata"]["labels"]["second"], "yes");
    assert_eq!(get(&client, &format!("{MAPS}/m")).await.json()["data"]["first"], "2");
    assert_eq!((first.reviews().len(), second.reviews().len()), (2, 1));

    let generated = json!({"metadata": {"generateName": "g-", "labels": {"a": "b"}}, "data": {"c": "d"}});
    let made = post(&client, MAPS, &generated).await.json();
    let name = made["metadata"]["name"].as_str().unwrap();
    assert!(server.object("configmaps", &format!("t/{name}")).is_some(), "{made}");
}

#[tokio::test]
async fn a_webhook_that_fails_refuses_the_write_unless_its_failures_are_ignored() {
    let server = ApiServer::start().await;
    let client = server.client();
    let broken = WebhookServer::start(REVIEW, |_| Value::Null).await;
    configure(
        &client,
        "Validating",
        "broken",
        json!([webhook("b.example.com", broken.by_url(), &["CREATE"])]),
    )
    .await;
    let refused = post(&client, MAPS, &config_map("t", "a", "1")).await;
    assert_eq!(refused.code_and_reason(), (500, "InternalError".to_owned()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("failed calling webhook \"b.example.com\": failed to call webhook: Post"),
        "{message}"
    );

    let path = format!("{REGISTRATION}/validatingwebhookconfigurations/broken");
    let mut configuration = get(&client, &path).await.json();
    configuration["webhooks"][0]["failurePolicy"] = json!("Ignore");
    assert_eq!(put(&client, &path, &configuration).await.code, 200);
    assert_eq!(post(&client, MAPS, &config_map("t", "a", "1")).await.code, 201);
}

#[tokio::test]
async fn a_webhook_of_a_service_needs_an_address() {
    let hook = WebhookServer::start(REVIEW, |_| json!({"allowed": true})).await;
    let mapped = ApiServer::builder().service_address("hooks/review", hook.address).start().await;
    let unmapped = ApiServer::start().await;
    for (server, code) in [(&mapped, 201), (&unmapped, 500)] {
        let client = server.client();
        configure(
            &client,
            "Validating",
            "s",
            json!([webhook("s.example.com", hook.by_service(), &["CREATE"])]),
        )
        .await;
        let answer = post(&client, MAPS, &config_map("t", "a", "1")).await;
        assert_eq!(answer.code, code, "{}", answer.json());
    }
    assert_eq!(hook.reviews().len(), 1);
}

#[tokio::test]
async fn selectors_and_conditions_decide_which_writes_are_reviewed() {
    let server = ApiServer::start().await;
    let client = server.client();
    let hook = WebhookServer::start(REVIEW, |_| json!({"allowed": false})).await;
    let mut selective = webhook("s.example.com", hook.by_url(), &["CREATE"]);
    selective["namespaceSelector"] = json!({"matchLabels": {"kubernetes.io/metadata.name": "t"}});
    selective["objectSelector"] = json!({"matchLabels": {"value": "1"}});
    selective["matchConditions"] =
        json!([{"name": "named", "expression": "object.metadata.name.startsWith('x')"}]);
    configure(&client, "Validating", "selective", json!([selective])).await;
    server.put(
        "namespaces",
        json!({"metadata": {"name": "t", "labels": {"kubernetes.io/metadata.name": "t"}}}),
    );
    for (namespace, name, value, code) in
        [("t", "x", "1", 400), ("t", "y", "1", 201), ("t", "x", "2", 201), ("other", "x", "1", 201)]
    {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let answer = post(&client, &path, &config_map(namespace, name, value)).await;
        assert_eq!(answer.code, code, "{namespace} {name} {value} {}", answer.json());
    }
    let refused = post(&client, MAPS, &config_map("t", "x1", "1")).await.json();
    assert_eq!(
        refused["message"],
        "admission webhook \"s.example.com\" denied the request without explanation"
    );
}

#[tokio::test]
async fn a_dry_run_reaches_only_webhooks_without_side_effects() {
    let server = ApiServer::start().await;
    let client = server.client();
    let hook = WebhookServer::start(REVIEW, |_| json!({"allowed": true})).await;
    let mut hooks = webhook("d.example.com", hook.by_url(), &["CREATE"]);
    hooks["sideEffects"] = json!("NoneOnDryRun");
    configure(&client, "Validating", "dry", json!([hooks])).await;
    assert_eq!(post(&client, &format!("{MAPS}?dryRun=All"), &config_map("t", "a", "1")).await.code, 201);
    assert_eq!(hook.reviews()[0]["dryRun"], true);
    assert!(server.object("configmaps", "t/a").is_none());
}

fn policy(spec: Value) -> Value {
    let mut policy = json!({"metadata": {"name": "limits"}, "spec": spec});
    policy["spec"]["matchConstraints"] = json!({"resourceRules": rules(&["CREATE", "UPDATE"])});
    policy
}

async fn bind(client: &kube_client::Client, spec: Value) {
    let path = format!("{REGISTRATION}/validatingadmissionpolicybindings");
    let mut binding = json!({"metadata": {"name": "all"}, "spec": spec});
    binding["spec"]["policyName"] = json!("limits");
    assert_eq!(post(client, &path, &binding).await.code, 201);
}

#[tokio::test]
async fn a_webhook_is_trusted_if_its_own_certificate_is_the_bundle_and_has_its_name() {
    for (name, code, why) in [("127.0.0.1", 403, "Always denied"), ("other.example.com", 500, "certificate")]
    {
        let server = ApiServer::start().await;
        let client = server.client();
        let deny = |_: &Value| json!({"allowed": false, "status": {"code": 403, "message": "Always denied"}});
        let hook = WebhookServer::with_issuer(name, REVIEW, deny).await;
        let mut by_url = hook.by_url();
        by_url["url"] = json!(format!("https://{}//review", hook.address));
        let hooks = json!([webhook("deny.example.com", by_url, &["CREATE"])]);
        configure(&client, "Validating", "deny", hooks).await;
        let refused = post(&client, MAPS, &config_map("t", "m", "1")).await;
        assert_eq!(refused.code, code, "{}", refused.json());
        assert!(refused.json()["message"].as_str().unwrap().contains(why), "{}", refused.json());
    }
}

#[tokio::test]
async fn a_webhook_whose_certificate_has_expired_is_not_called() {
    let server = ApiServer::start().await;
    let client = server.client();
    let hook = WebhookServer::expired("127.0.0.1", REVIEW, |_| json!({"allowed": true})).await;
    let hooks = json!([webhook("old.example.com", hook.by_url(), &["CREATE"])]);
    configure(&client, "Validating", "old", hooks).await;
    let refused = post(&client, MAPS, &config_map("t", "m", "1")).await;
    assert_eq!(refused.code, 500, "{}", refused.json());
    assert!(
        refused.json()["message"].as_str().unwrap().ends_with("invalid peer certificate: Expired"),
        "{}",
        refused.json()
    );
    assert_eq!(hook.reviews().len(), 0);
}

/// A webhook that accepts connections and never answers, with the shortest time limit. The limit is real time, because
/// it is spent on a socket; the outcome does not depend on how long anything takes.
#[tokio::test]
async fn a_webhook_that_does_not_answer_in_time_has_failed() {
    let server = ApiServer::start().await;
    let client = server.client();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client_config = WebhookServer::start(REVIEW, |_| Value::Null).await.by_url();
    client_config["url"] = json!(format!("https://{}/review", silent.local_addr().unwrap()));
    let mut hook = webhook("slow.example.com", client_config, &["CREATE"]);
    hook["timeoutSeconds"] = json!(1);
    configure(&client, "Validating", "slow", json!([hook])).await;
    let limit = Duration::from_secs(120);
    let refused =
        timeout(limit, post(&client, MAPS, &config_map("t", "m", "1"))).await.expect("the limit is 1 s");
    assert_eq!(refused.code_and_reason(), (500, "InternalError".to_owned()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("Internal error occurred: failed calling webhook \"slow.example.com\""),
        "{message}"
    );
    assert!(message.ends_with("/review?timeout=1s\": context deadline exceeded"), "{message}");

    hook["failurePolicy"] = json!("Ignore");
    let path = format!("{REGISTRATION}/validatingwebhookconfigurations/slow");
    assert_eq!(delete(&client, &path).await.code, 200);
    configure(&client, "Validating", "slow", json!([hook])).await;
    let made =
        timeout(limit, post(&client, MAPS, &config_map("t", "m", "1"))).await.expect("the limit is 1 s");
    assert_eq!(made.code, 201, "{}", made.json());
}

#[tokio::test(start_paused = true)]
async fn a_policy_refuses_or_warns_as_its_binding_says() {
    for (action, code) in [("Deny", 422), ("Warn", 201), ("Audit", 201)] {
        let server = ApiServer::start().await;
        let client = server.client();
        let path = format!("{REGISTRATION}/validatingadmissionpolicies");
        let spec = json!({
            "variables": [{"name": "value", "expression": "int(object.data.value)"}],
            "validations": [
                {"expression": "variables.value <= int(params.data.max)",
                 "messageExpression": "'at most ' + params.data.max"},
            ],
            "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        });
        let made = post(&client, &path, &policy(spec)).await;
        assert_eq!(made.code, 201, "{}", made.json());
        server.put(
            "configmaps",
            json!({"metadata": {"name": "params", "namespace": "p"}, "data": {"max": "3"}}),
        );
        let reference = json!({"name": "params", "namespace": "p", "parameterNotFoundAction": "Deny"});
        bind(&client, json!({"paramRef": reference, "validationActions": [action]})).await;
        assert_eq!(post(&client, MAPS, &config_map("t", "a", "3")).await.code, 201);
        let answer = post(&client, MAPS, &config_map("t", "b", "4")).await;
        assert_eq!(answer.code, code, "{action} {}", answer.json());
        let text = "ValidatingAdmissionPolicy 'limits' with binding 'all'";
        if action == "Deny" {
            let expected = format!("configmaps \"b\" is forbidden: {text} denied request: at most 3");
            assert_eq!(answer.json()["message"], expected);
            assert_eq!(answer.json()["reason"], "Invalid");
        }
        let expected = format!("299 - \"Validation failed for {text}: at most 3\"");
        assert_eq!(warnings(&answer), if action == "Warn" { vec![expected] } else { Vec::new() });
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_can_not_be_evaluated_is_refused() {
    let server = ApiServer::start().await;
    let client = server.client();
    let path = format!("{REGISTRATION}/validatingadmissionpolicies");
    for expression in
        ["object.data.size(", "authorizer.path('/x').check('get').allowed()", "cel.bind(x, 1, x == 1)"]
    {
        let spec = json!({"validations": [{"expression": expression}]});
        let answer = post(&client, &path, &policy(spec)).await;
        assert_eq!(answer.code_and_reason(), (422, "Invalid".to_owned()), "{expression}");
        assert_eq!(answer.json()["details"]["causes"][0]["field"], "spec.validations[0].expression");
    }
}
