//! The text of errors: `{error}` is the whole line, and a reporter that prints the chain repeats no cause.

use std::error::Error;
use std::io;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings::controller::{ControllerError, Error as ReconcileError, ManagerError};
use tidings::stages::object::{Intake, NothingKnown};
use tidings::{FieldPath, IndexError, InformerError, Kind as _, Transform, WithCauses};

/// The chain of causes, as anyhow's `{:#}` and other reporters print it.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

#[track_caller]
fn check(error: &(dyn Error + 'static), cause: &str) {
    let text = error.to_string();
    assert!(text.contains(cause), "{text:?} does not say {cause:?}");
    assert_eq!(chain(error).matches(cause).count(), 1, "{:?} says {cause:?} again", chain(error));
    assert_eq!(WithCauses(error).to_string(), chain(error));
}

#[test]
fn the_error_of_a_failed_read_contains_its_cause_once() {
    let frame = br#"{"metadata":{"name":"web-0","resourceVersion":"7"},"spec":7}"#;
    let pods = || Intake::new(Pod::resource(), Arc::default());
    let pod = pods().json(frame, &NothingKnown).unwrap();
    check(&pod.decoded::<Pod>().unwrap_err(), "invalid type: integer, expected");
    check(&pod.field("no path").unwrap_err(), &FieldPath::parse("no path").unwrap_err().to_string());
    let refusing = pods().with_transform(Transform::json(|_| panic!("no such luck")));
    let pod = refusing.json(frame, &NothingKnown).unwrap();
    check(&pod.decoded::<Pod>().unwrap_err(), "no such luck");
    check(&pods().json(b"{", &NothingKnown).unwrap_err(), "not well-formed JSON at byte 1");
}

#[test]
fn nested_errors_contain_every_cause_once() {
    let path = FieldPath::parse("no path").unwrap_err();
    let index = || IndexError::BadPath { name: "node".to_owned(), source: path.clone() };
    check(&index(), &path.to_string());
    check(&InformerError::Index { informer: "pods".to_owned(), source: index() }, &path.to_string());
    let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
    check(&ManagerError::Endpoints(denied()), "permission denied");
    check(&ManagerError::Signals(denied()), "permission denied");
    let runnable = ManagerError::Runnable { name: "printer".to_owned(), source: Box::new(denied()) };
    check(&runnable, "permission denied");
}

/// kube's errors contain their cause in the text and also return it as `source`.
#[test]
fn an_error_of_kube_appears_once_wherever_it_is() {
    let kube = || kube_client::Error::Service(Box::new(io::Error::other("no route")));
    assert!(
        kube().to_string().contains("no route") && kube().source().is_some(),
        "or else this tests nothing"
    );
    let request = ControllerError::FinalizerRequest {
        verb: "adding",
        finalizer: "example.com/cleanup".to_owned(),
        object: "pods shop/web-0".to_owned(),
        source: Box::new(kube()),
    };
    check(&request, "no route");
    assert_eq!(ReconcileError::from(kube()).to_string().matches("no route").count(), 1);
    assert_eq!(ReconcileError::from(request).to_string().matches("no route").count(), 1);
}
