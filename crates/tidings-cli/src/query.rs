//! The flags that `watch` and `get` share, and the informer that they configure.

use std::time::Duration;

use kube_core::dynamic::DynamicObject;
use tidings::{
    ErrorClass, ErrorKind, FieldPath, Index, InformerOptions, ResourceKind, Scope, SharedInformer,
    SharedInformerFactory, SourceError,
};

use crate::cluster::{ClusterOptions, resource};
use crate::failure::{CliResult, Failure, FailureCode};

#[derive(clap::Args, Clone)]
pub(crate) struct Query {
    /// The resource, by any of its names: pods, po, deployments.apps, or a custom resource.
    resource: String,
    /// Reads all namespaces.
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    all_namespaces: bool,
    /// A namespace. May be repeated. Default: the namespace of the context.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Vec<String>,
    /// Only objects with these labels: app=web,tier!=db.
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Only objects with these fields: spec.nodeName=node-1.
    #[arg(long, value_name = "SELECTOR")]
    field_selector: Option<String>,
    /// Adds an index over a field: node=.spec.nodeName. May be repeated.
    #[arg(long, value_name = "NAME=PATH")]
    index: Vec<String>,
    /// Gives up if the first list is not complete after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

/// A query whose informer has been created.
pub(crate) struct PreparedQuery {
    pub(crate) factory: SharedInformerFactory,
    pub(crate) informer: SharedInformer<DynamicObject>,
    pub(crate) resource: ResourceKind,
    pub(crate) timeout: Option<Duration>,
    /// Names and paths of the indexes of `--index`.
    pub(crate) indexes: Vec<(String, FieldPath)>,
}

impl Query {
    /// Finds the resource and creates its informer. Does not start it.
    pub(crate) async fn prepare(&self, cluster: &ClusterOptions) -> CliResult<PreparedQuery> {
        let indexes = self.index.iter().map(|text| named_path(text)).collect::<CliResult<Vec<_>>>()?;
        let mut options = self.selectors()?;
        let client = cluster.client().await?;
        let resource = resource::find(&client, &self.resource).await?;
        if resource.scope == Scope::Namespaced && !self.all_namespaces {
            let namespaces = match self.namespace.as_slice() {
                [] => vec![client.default_namespace().to_owned()],
                several => several.to_vec(),
            };
            options = options.namespaces(namespaces).map_err(Failure::usage)?;
        }
        let factory = SharedInformerFactory::new(client);
        let informer = factory.dynamic_with(resource.clone(), options)?;
        for (name, path) in &indexes {
            informer.add_index(Index::field(name, &path.to_string())).map_err(Failure::usage)?;
        }
        Ok(PreparedQuery {
            factory,
            informer,
            resource,
            timeout: self.timeout.map(Duration::from_secs),
            indexes,
        })
    }

    fn selectors(&self) -> CliResult<InformerOptions> {
        let mut options = InformerOptions::new();
        if let Some(labels) = &self.selector {
            let wrong =
                |error| Failure::usage(format!("--selector {labels:?}: {error}; try app=web,tier!=db"));
            options = options.labels(labels.parse().map_err(wrong)?);
        }
        if let Some(fields) = &self.field_selector {
            let wrong = |error| {
                Failure::usage(format!("--field-selector {fields:?}: {error}; try metadata.name=web-0"))
            };
            options = options.fields(fields.parse().map_err(wrong)?);
        }
        Ok(options)
    }
}

/// Parses `node=.spec.nodeName`.
pub(crate) fn index(text: &str) -> CliResult<Index> {
    let (name, path) = named_path(text)?;
    Ok(Index::field(name, &path.to_string()))
}

fn named_path(text: &str) -> CliResult<(String, FieldPath)> {
    let wrong = |reason: &str| Failure::usage(format!("--index {text:?}: {reason}; try node=.spec.nodeName"));
    let (name, path) = text.split_once('=').ok_or_else(|| wrong("it must be NAME=PATH"))?;
    let path = FieldPath::parse(path).map_err(|error| wrong(&error.to_string()))?;
    Ok((name.to_owned(), path))
}

impl PreparedQuery {
    /// Waits for the first list. Returns at once if the server reports an error that waiting can't fix.
    pub(crate) async fn synced(&self) -> CliResult {
        let synced = async {
            tokio::select! {
                synced = self.informer.synced() => synced.map_err(|error| Failure::new(FailureCode::Failed, error)),
                failure = self.permanent_failure() => Err(failure),
            }
        };
        match self.timeout {
            None => synced.await,
            Some(timeout) => tokio::time::timeout(timeout, synced).await.unwrap_or_else(|_| {
                Err(Failure::new(
                    FailureCode::TimedOut,
                    format!("{} after {timeout:?}", self.informer.unsynced()),
                ))
            }),
        }
    }

    /// Completes when the server reports an error that a person has to fix. An informer would retry forever.
    async fn permanent_failure(&self) -> Failure {
        const POLL_INTERVAL: Duration = Duration::from_millis(50);
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            let streams = self.informer.health().streams;
            let failing = streams.into_iter().filter_map(|stream| stream.failing);
            if let Some(failure) = failing.map(|failing| failing.error).find_map(|error| refusal(&error)) {
                return failure;
            }
        }
    }
}

/// The failure, if a person has to fix the error. Other errors are temporary or end with the timeout.
fn refusal(error: &SourceError) -> Option<Failure> {
    let (code, advice) = match error.class() {
        // Only the server knows by which fields it can select.
        ErrorClass::Server if is_bad_request(error) => (
            FailureCode::Usage,
            "does this resource support --selector and --field-selector with these fields?",
        ),
        ErrorClass::Unauthorized => (FailureCode::NotAllowed, "log in again, or choose another --context"),
        ErrorClass::Forbidden => {
            (FailureCode::NotAllowed, "ask an administrator for permission to list and watch it")
        }
        ErrorClass::NotFound => (FailureCode::NotFound, "the resource may have been removed just now"),
        _ => return None,
    };
    Some(Failure::new(code, format!("{error}: {advice}")))
}

fn is_bad_request(error: &SourceError) -> bool {
    matches!(&error.kind, ErrorKind::Status(status) if matches!(status.code, 400 | 422))
}
