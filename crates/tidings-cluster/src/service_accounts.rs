//! ServiceAccounts: every namespace has the account `default` and the certificate of the cluster.
//!
//! Secrets that ask for a token of an account get one from the server's own TokenRequest. No token is made or logged
//! here.

use std::collections::BTreeMap;

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, ServiceAccount};
use kube_client::Api;
use kube_client::api::{Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Request};

use crate::cluster::{Setup, StandIn};
use crate::object::{annotation, is_deleting, name, namespace};

const ACCOUNT: &str = "default";
const CERTIFICATE: &str = "kube-root-ca.crt";
const TOKEN_TYPE: &str = "kubernetes.io/service-account-token";
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";
const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";

/// Imitates the controllers of service accounts, of their token Secrets, and of the ConfigMap with the certificate.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServiceAccounts;

impl StandIn for ServiceAccounts {
    fn name(&self) -> &'static str {
        "serviceaccounts"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let secrets = setup.factory().informer::<Secret>().lister();
        let of_account = move |notification: &tidings::Notification<ServiceAccount>| -> Vec<Request> {
            let account = notification.object();
            let secrets = secrets.namespace(account.namespace().unwrap_or_default()).list().into_iter();
            let of_type = |kind: tidings::FieldValue| kind.text().as_deref() == Some(TOKEN_TYPE);
            let tokens = secrets.filter(|secret| secret.field(".type").is_ok_and(of_type));
            tokens.map(|secret| Request::from(secret.key())).collect()
        };
        // The namespace of an account or of a certificate.
        let accounts = |notification: &tidings::Notification<ServiceAccount>| {
            of_namespace(notification.key().namespace())
        };
        let certificates =
            |notification: &tidings::Notification<ConfigMap>| of_namespace(notification.key().namespace());
        vec![
            Controller::for_kind::<Namespace>("serviceaccount-controller")
                .watches::<ServiceAccount>(accounts)
                .watches::<ConfigMap>(certificates)
                .reconcile(complete_namespace),
            Controller::for_kind::<Secret>("token-controller")
                .watches::<ServiceAccount>(of_account)
                .reconcile(issue_token),
        ]
    }
}

fn of_namespace(namespace: Option<&str>) -> Vec<Request> {
    namespace.and_then(|namespace| Request::new(None, namespace).ok()).into_iter().collect()
}

async fn complete_namespace(request: Request, context: Context) -> Result<Action, Error> {
    let Some(found) = context.get::<Namespace>(&request).await? else { return Ok(Action::await_change()) };
    if is_deleting(&*found) {
        return Ok(Action::await_change());
    }
    let namespace = request.name();
    if context.lister::<ServiceAccount>()?.namespace(namespace).get(ACCOUNT).is_none() {
        let account: ServiceAccount =
            from_value(json!({ "metadata": { "name": ACCOUNT, "namespace": namespace } }))?;
        exists_is_done(context.api::<ServiceAccount>().create(&account).await.map(|_| ()))?;
    }
    if context.lister::<ConfigMap>()?.namespace(namespace).get(CERTIFICATE).is_none() {
        let map: ConfigMap = from_value(json!({
            "metadata": { "name": CERTIFICATE, "namespace": namespace },
            "data": { "ca.crt": certificate(&context)? },
        }))?;
        exists_is_done(context.api::<ConfigMap>().create(&map).await.map(|_| ()))?;
    }
    Ok(Action::await_change())
}

/// The certificate of the cluster, as the namespace `kube-system` has it; empty if it has none.
fn certificate(context: &Context) -> Result<String, Error> {
    let found = context.lister::<ConfigMap>()?.namespace("kube-system").get(CERTIFICATE);
    let data: Option<BTreeMap<String, String>> = found.and_then(|map| map.decoded().ok()?.data.clone());
    Ok(data.and_then(|mut data| data.remove("ca.crt")).unwrap_or_default())
}

/// Another writer may have created it, which is the same result.
fn exists_is_done(result: kube_client::Result<()>) -> Result<(), Error> {
    match result {
        Err(kube_client::Error::Api(status)) if status.code == 409 => Ok(()),
        result => Ok(result?),
    }
}

async fn issue_token(request: Request, context: Context) -> Result<Action, Error> {
    let Some(secret) = context.get::<Secret>(&request).await? else { return Ok(Action::await_change()) };
    let is_token = secret.type_.as_deref() == Some(TOKEN_TYPE) && !is_deleting(&*secret);
    let Some(account) = annotation(&*secret, ACCOUNT_NAME).filter(|_| is_token) else {
        return Ok(Action::await_change());
    };
    let accounts = context.lister::<ServiceAccount>()?;
    let Some(account) = accounts.namespace(namespace(&*secret)).get(account) else {
        return Ok(Action::await_change()); // the account requests its Secrets when it is created
    };
    let has_token = secret.data.as_ref().is_some_and(|data| data.contains_key("token"));
    if has_token && annotation(&*secret, ACCOUNT_UID) == Some(account.uid()) {
        return Ok(Action::await_change());
    }
    let api: Api<ServiceAccount> = Api::namespaced(context.client().clone(), namespace(&*secret));
    let wanted: TokenRequest =
        from_value(json!({ "spec": { "audiences": [], "expirationSeconds": 315_360_000 } }))?;
    let issued = api.create_token_request(account.name(), &PostParams::default(), &wanted).await?;
    let Some(token) = issued.status.map(|status| status.token) else {
        return Err(Error::terminal(format!("the server issued no token for {}", account.key())));
    };
    let patch = Patch::Merge(json!({
        "metadata": {
            "annotations": { ACCOUNT_UID: account.uid() },
            "resourceVersion": secret.metadata.resource_version,
        },
        "stringData": { "token": token, "namespace": namespace(&*secret), "ca.crt": certificate(&context)? },
    }));
    context.api::<Secret>().patch(name(&*secret), &PatchParams::default(), &patch).await?;
    Ok(Action::await_change())
}
