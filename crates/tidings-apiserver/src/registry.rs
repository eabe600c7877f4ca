//! The resources that the server serves: the built-in ones and those of CustomResourceDefinitions.

use std::sync::Arc;

use crate::resource::ResourceDef;
use crate::resource::builtin::builtin_resources;
use crate::sync::Mutex;

#[derive(Debug)]
pub(crate) struct ResourceRegistry {
    defs: Mutex<Arc<[Arc<ResourceDef>]>>,
}

impl ResourceRegistry {
    pub(crate) fn builtin() -> Self {
        Self { defs: Mutex::new(builtin_resources().into_iter().map(Arc::new).collect()) }
    }

    pub(crate) fn all(&self) -> Arc<[Arc<ResourceDef>]> {
        Arc::clone(&self.defs.lock())
    }

    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<ResourceDef>> {
        let defs = self.all();
        defs.iter().find(|def| def.plural == plural && def.version == version && def.group == group).cloned()
    }

    /// A resource by a name such as `pods`, `deployments.apps` or `widgets.v1.example.com`, in its first served
    /// version.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<ResourceDef>> {
        let (plural, rest) = name.split_once('.').unwrap_or((name, ""));
        let (version, group) = rest.split_once('.').unwrap_or(("", ""));
        let defs = self.all();
        let mut of_plural = defs.iter().filter(|def| def.plural == plural);
        let found = of_plural.find(|def| {
            rest.is_empty() && def.group.is_empty()
                || def.group == rest
                || (def.version == version && def.group == group)
                || (def.group.is_empty() && def.version == rest)
        });
        found.or_else(|| defs.iter().find(|def| rest.is_empty() && def.plural == plural)).cloned()
    }

    /// The resource whose objects are in this storage, in its first served version.
    pub(crate) fn of_storage(&self, storage: &str) -> Option<Arc<ResourceDef>> {
        self.all().iter().find(|def| def.storage == storage).cloned()
    }

    /// Replaces all resources of one CustomResourceDefinition. An empty `defs` removes them.
    pub(crate) fn replace_custom(&self, definition: &str, defs: Vec<ResourceDef>) {
        let mut all = self.defs.lock();
        let others =
            all.iter().filter(|def| def.custom().is_none_or(|origin| origin.definition != definition));
        *all = others.cloned().chain(defs.into_iter().map(Arc::new)).collect();
    }
}
