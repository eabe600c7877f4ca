//! Commands that write: create, apply, patch, edit, label, scale, delete.

use serde_json::{Value, json};

use crate::Script;
use crate::tool::{KubectlSession, rows};

pub(crate) const SCRIPTS: &[Script] = &[
    ("create and delete", creates_and_deletes),
    ("apply creates, changes and removes", applies),
    ("apply --server-side owns what it applies", applies_on_the_server),
    ("patch of all three types", patches),
    ("edit sends what was changed", edits),
    ("label and annotate change metadata only", labels),
    ("scale changes the replicas", scales),
    ("replace needs the version it has read", replaces),
    ("diff and dry runs change nothing", tries),
    ("a custom resource is served as soon as it is defined", defines),
    ("delete waits for finalizers", deletes_with_finalizers),
];

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx:1, ports: [{containerPort: 80}], env: [{name: A, value: '1'}, {name: B, value: '2'}]}
      - {name: side, image: side:1}
";

fn containers(session: &KubectlSession) -> Value {
    session.object("deployments.apps", "default/web")["spec"]["template"]["spec"]["containers"].clone()
}

fn creates_and_deletes(session: &KubectlSession) {
    assert_eq!(session.ok("create namespace test"), "namespace/test created\n");
    session.ok("create configmap c -n test --from-literal=key=value");
    assert_eq!(session.object("configmaps", "test/c")["data"], json!({"key": "value"}));
    session.ok("create secret generic s --from-literal=key=value");
    assert_eq!(session.object("secrets", "default/s")["data"], json!({"key": "dmFsdWU="}));
    session.ok("create deployment web --image=nginx");
    assert_eq!(session.object("deployments.apps", "default/web")["spec"]["replicas"], 1);
    session.ok("run once --image=busybox --restart=Never");
    assert_eq!(session.object("pods", "default/once")["status"]["phase"], "Pending");
    session.ok("delete pod once");
    assert_eq!(session.server().object("pods", "default/once"), None);
}

fn applies(session: &KubectlSession) {
    assert_eq!(session.ok_with("apply -f -", DEPLOYMENT), "deployment.apps/web created\n");
    assert_eq!(session.ok_with("apply -f -", DEPLOYMENT), "deployment.apps/web unchanged\n");
    // Another client adds a container, which the applier must not remove.
    session.ok("patch deployment web -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"other\",\"image\":\"other:1\"}]}}}}'");
    let less = DEPLOYMENT
        .replace(", {name: B, value: '2'}", "")
        .replace("      - {name: side, image: side:1}\n", "");
    assert_eq!(session.ok_with("apply -f -", &less), "deployment.apps/web configured\n");
    let containers = containers(session);
    let names: Vec<_> =
        containers.as_array().expect("containers").iter().map(|found| &found["name"]).collect();
    assert_eq!(names.len(), 2, "{containers}");
    assert!(names.contains(&&json!("web")) && names.contains(&&json!("other")), "{containers}");
    let web = containers.as_array().expect("containers").iter().find(|found| found["name"] == "web");
    assert_eq!(web.expect("web")["env"], json!([{"name": "A", "value": "1"}]));
}

fn applies_on_the_server(session: &KubectlSession) {
    assert_eq!(
        session.ok_with("apply --server-side -f -", DEPLOYMENT),
        "deployment.apps/web serverside-applied\n"
    );
    let owners = session.object("deployments.apps", "default/web")["metadata"]["managedFields"].clone();
    assert_eq!((&owners[0]["manager"], &owners[0]["operation"]), (&json!("kubectl"), &json!("Apply")));
    session.ok_with("apply --server-side -f -", DEPLOYMENT);
    session.ok("scale deployment web --replicas=5");
    let conflict = session.fails("apply --server-side -f -", DEPLOYMENT);
    assert!(conflict.contains(".spec.replicas") && conflict.contains("conflict"), "{conflict}");
    session.ok_with("apply --server-side --force-conflicts -f -", DEPLOYMENT);
    assert_eq!(session.object("deployments.apps", "default/web")["spec"]["replicas"], 2);
    let less = DEPLOYMENT.replace("      - {name: side, image: side:1}\n", "");
    session.ok_with("apply --server-side -f -", &less);
    assert_eq!(containers(session).as_array().map(Vec::len), Some(1));
}

fn patches(session: &KubectlSession) {
    session.ok_with("create -f -", DEPLOYMENT);
    session.ok("patch deployment web -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"side:2\"}]}}}}'");
    assert_eq!(containers(session)[1]["image"], "side:2");
    session.ok("patch deployment web --type=merge -p '{\"spec\":{\"replicas\":7}}'");
    session
        .ok("patch deployment web --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/labels/app\"}]'");
    let patched = session.object("deployments.apps", "default/web");
    assert_eq!(patched["spec"]["replicas"], 7);
    assert_eq!(patched["metadata"]["labels"].get("app"), None);
    let refused = session
        .fails("patch deployment web --type=json -p '[{\"op\":\"remove\",\"path\":\"/nothing\"}]'", "");
    assert!(refused.contains("rejected") || refused.contains("is invalid"), "{refused}");
    session.ok("set image deployment/web web=nginx:9");
    assert_eq!(containers(session)[0]["image"], "nginx:9");
}

fn edits(session: &KubectlSession) {
    session.ok("create configmap c --from-literal=key=before");
    let printed = session.run_in("KUBE_EDITOR", "sed -i s/before/after/", "edit configmap c");
    assert!(printed.is_success, "{}", printed.err);
    assert_eq!(session.object("configmaps", "default/c")["data"]["key"], "after");
    let printed = session.run_in("KUBE_EDITOR", "true", "edit configmap c");
    assert!(printed.is_success && (printed.out + &printed.err).contains("no changes made"));
}

fn labels(session: &KubectlSession) {
    session.ok("create configmap c --from-literal=key=value");
    session.ok("label configmap c color=red");
    session.ok("annotate configmap c note='some words'");
    let object = session.object("configmaps", "default/c");
    assert_eq!(object["metadata"]["labels"], json!({"color": "red"}));
    assert_eq!(object["metadata"]["annotations"]["note"], "some words");
    assert!(session.fails("label configmap c color=blue", "").contains("--overwrite"));
    session.ok("label configmap c color=blue --overwrite");
    session.ok("label configmap c color-");
    assert_eq!(session.object("configmaps", "default/c")["metadata"]["labels"].get("color"), None);
    assert_eq!(session.object("configmaps", "default/c")["data"], json!({"key": "value"}));
}

fn scales(session: &KubectlSession) {
    session.ok_with("create -f -", DEPLOYMENT);
    session.ok("scale deployment web --replicas=4");
    assert_eq!(session.object("deployments.apps", "default/web")["spec"]["replicas"], 4);
    session.ok("scale deployment web --current-replicas=4 --replicas=1");
    assert_eq!(session.object("deployments.apps", "default/web")["spec"]["replicas"], 1);
    session.fails("scale deployment web --current-replicas=4 --replicas=2", "");
}

fn replaces(session: &KubectlSession) {
    session.ok("create configmap c --from-literal=key=1");
    let read = session.ok("get configmap c -o yaml");
    session.ok("patch configmap c -p '{\"data\":{\"key\":\"2\"}}'");
    assert!(session.fails("replace -f -", &read).contains("the object has been modified"));
    let fresh = session.ok("get configmap c -o yaml").replace("key: \"2\"", "key: \"3\"");
    session.ok_with("replace -f -", &fresh);
    assert_eq!(session.object("configmaps", "default/c")["data"]["key"], "3");
}

fn tries(session: &KubectlSession) {
    session.ok_with("create -f -", DEPLOYMENT);
    let before = session.object("deployments.apps", "default/web");
    let changed = DEPLOYMENT.replace("replicas: 2", "replicas: 9");
    let printed = session.run_with("diff -f -", &changed);
    assert!(printed.out.contains("+  replicas: 9"), "{}{}", printed.out, printed.err);
    session.ok_with("apply --dry-run=server -f -", &changed);
    session.ok("delete deployment web --dry-run=server");
    session.ok("create configmap c --dry-run=server");
    assert_eq!(session.object("deployments.apps", "default/web"), before);
    assert_eq!(session.server().object("configmaps", "default/c"), None);
}

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [color]
            properties: {color: {type: string, enum: [red, blue]}, replicas: {type: integer, default: 1}}
          status: {type: object, properties: {replicas: {type: integer}}}
";

fn defines(session: &KubectlSession) {
    session.ok_with("apply -f -", DEFINITION);
    session.ok("wait crd/widgets.example.com --for=condition=Established --timeout=30s");
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {color: red}\n";
    assert_eq!(session.ok_with("apply -f -", widget), "widget.example.com/w created\n");
    assert_eq!(
        session.ok_with("apply -f -", &widget.replace("red", "blue")),
        "widget.example.com/w configured\n"
    );
    let table = rows(&session.ok("get wd"));
    assert_eq!(table, ["NAME COLOR", "w blue"]);
    session.ok("scale widget w --replicas=3");
    assert_eq!(
        session.object("widgets.example.com", "default/w")["spec"],
        json!({"color": "blue", "replicas": 3})
    );
    let refused = session.fails("apply -f -", &widget.replace("red", "green"));
    assert!(refused.contains("spec.color") && refused.contains("Unsupported value"), "{refused}");
    assert!(session.ok("explain widgets.spec").contains("color"));
    let refused = session.fails("patch widget w -p '{}'", "");
    assert!(refused.contains("media type") || refused.contains("strategic-merge-patch"), "{refused}");
    session.ok("delete crd widgets.example.com");
    // The message depends on whether kubectl has cached discovery.
    let gone = session.fails("get widgets", "");
    let ways =
        ["the server doesn't have a resource type", "the server could not find the requested resource"];
    assert!(ways.iter().any(|way| gone.contains(way)), "{gone}");
}

fn deletes_with_finalizers(session: &KubectlSession) {
    let held = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, finalizers: [example.com/hold]}\n";
    session.ok_with("create -f -", held);
    session.ok("delete configmap c --wait=false");
    assert!(!session.object("configmaps", "default/c")["metadata"]["deletionTimestamp"].is_null());
    let mut deleting = session.watch("delete configmap c");
    // Newer versions print the namespace too.
    assert!(deleting.next().starts_with("configmap \"c\" deleted"));
    session.ok("patch configmap c --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}]'");
    assert_eq!(deleting.next(), "");
    assert_eq!(session.server().object("configmaps", "default/c"), None);
}
