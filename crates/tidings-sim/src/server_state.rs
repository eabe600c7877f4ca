//! The state of the server as rules read it. Reads have no side effect and are never stale.

use std::fmt;

use kube_core::Resource;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_apiserver::ApiServer;

/// The objects on the server at one moment.
#[derive(Clone)]
pub struct ServerState {
    server: ApiServer,
}

impl ServerState {
    pub(crate) fn new(server: ApiServer) -> ServerState {
        ServerState { server }
    }

    /// All objects of a kind, in all namespaces, in the order of their keys.
    ///
    /// # Panics
    ///
    /// If the server does not know the kind ([`Sim::install`](crate::Sim::install) it), or if an object can't be decoded
    /// as a `K`. A panic breaks the rule that reads.
    pub fn list<K>(&self) -> Vec<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let resource = resource_of::<K>();
        self.objects(&resource).into_iter().map(|object| decoded(&resource, object)).collect()
    }

    /// The object with this name in `namespace`.
    ///
    /// # Panics
    ///
    /// As [`list`](Self::list).
    pub fn get<K>(&self, namespace: &str, name: &str) -> Option<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let resource = resource_of::<K>();
        let key = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
        Some(decoded(&resource, self.server.object(&resource, &key)?))
    }

    /// All objects of a resource such as `pods` or `deployments.apps`, as JSON.
    ///
    /// # Panics
    ///
    /// If the server does not know the resource.
    pub fn objects(&self, resource: &str) -> Vec<Value> {
        let keys = self.server.list_versions(resource).into_keys();
        keys.filter_map(|key| self.server.object(resource, &key)).collect()
    }

    /// The newest version that the server has assigned.
    pub fn version(&self) -> u64 {
        self.server.version()
    }
}

fn resource_of<K: Resource<DynamicType = ()>>() -> String {
    match K::group(&()) {
        group if group.is_empty() => K::plural(&()).into_owned(),
        group => format!("{}.{group}", K::plural(&())),
    }
}

fn decoded<K: DeserializeOwned>(resource: &str, object: Value) -> K {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(object).unwrap_or_else(|error| panic!("decoding {resource} {name}: {error}"))
}

impl fmt::Debug for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerState").field("version", &self.version()).finish_non_exhaustive()
    }
}
