//! Which objects a controller may manage: those it controls, and those that match its selector and have no controller.
//!
//! Adoption reads the owner from the server first: an owner that was deleted, and that the cache still shows, must
//! adopt nothing. Never take an object from another controller.

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube_client::Api;
use kube_client::api::PatchParams;
use kube_core::{NamespaceResourceScope, Resource};
use tidings::controller::{Context, Error, Request, adoption_patch, controller_of, release_patch};
use tidings::{LabelSelector, Notification, SharedInformerFactory};

use crate::object::{ApiObject, in_namespace, is_deleting, name, namespace, uid};

/// The objects of kind `C` that `owner` controls, sorted by name. Adopts those that match the selector and have no
/// controller, and releases those that no longer match.
pub(crate) async fn claim<C, K>(
    context: &Context,
    owner: &K,
    selector: &v1::LabelSelector,
) -> Result<Vec<C>, Error>
where
    C: ApiObject,
    K: ApiObject + Resource<Scope = NamespaceResourceScope>,
{
    let selector = LabelSelector::try_from(selector)?;
    let mut may_adopt = None;
    let mut claimed = Vec::new();
    for object in in_namespace::<C>(context)? {
        let labels = object.meta().labels.as_ref();
        let is_selected = selector.matches(|key| labels?.get(key).map(String::as_str));
        match controller_of(&object).map(|controller| controller.uid == uid(owner)) {
            Some(true) if is_selected || is_deleting(&object) => claimed.push(object),
            Some(true) => release(context, owner, &object).await?,
            None if is_selected && !is_deleting(&object) && !is_deleting(owner) => {
                let may_adopt = match may_adopt {
                    Some(known) => known,
                    None => *may_adopt.insert(is_still_there(context, owner).await?),
                };
                if may_adopt {
                    let patch = adoption_patch(&object, owner)?;
                    let api = context.api::<C>();
                    let adopted = api.patch(name(&object), &PatchParams::default(), &patch).await?;
                    claimed.push(adopted.decoded()?);
                }
            }
            Some(false) | None => {}
        }
    }
    Ok(claimed)
}

async fn release<C: ApiObject, K: ApiObject>(context: &Context, owner: &K, object: &C) -> Result<(), Error> {
    if let Some(patch) = release_patch(object, uid(owner)) {
        context.api::<C>().patch(name(object), &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

/// Whether the server still has this owner, and it is not being deleted.
async fn is_still_there<K>(context: &Context, owner: &K) -> Result<bool, Error>
where
    K: ApiObject + Resource<Scope = NamespaceResourceScope>,
{
    let api: Api<K> = Api::namespaced(context.client().clone(), namespace(owner));
    let fresh = api.get_opt(name(owner)).await?;
    Ok(fresh.is_some_and(|fresh| uid(&fresh) == uid(owner) && !is_deleting(&fresh)))
}

/// A map for `watches`: an object without a controller requests every owner whose selector matches its labels.
pub(crate) fn possible_owners<C, K>(
    factory: &SharedInformerFactory,
    selector: impl Fn(&K) -> Option<v1::LabelSelector> + Send + Sync + 'static,
) -> impl Fn(&Notification<C>) -> Vec<Request> + Send + Sync + 'static
where
    C: ApiObject,
    K: ApiObject,
{
    let owners = factory.informer::<K>().lister();
    move |notification| {
        let mut requests = Vec::new();
        for orphan in notification.objects().filter(|object| object.controller_uid().is_none()) {
            for owner in owners.namespace(orphan.namespace().unwrap_or_default()).list() {
                let selects = || {
                    let selector = LabelSelector::try_from(&selector(&*owner.decoded().ok()?)?).ok()?;
                    Some(selector.matches(|key| orphan.labels().value(key)))
                };
                if selects().unwrap_or(false) {
                    requests.push(Request::from(owner.key()));
                }
            }
        }
        requests
    }
}
