//! The pod of a StatefulSet with a number: its name, labels, host name and volumes.

use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, Pod, Volume};
use tidings::controller::Error;

use crate::object::name;
use crate::revisions::{REVISION, Revision};
use crate::template;

/// The number of a pod, from its name. `None` if the name is not one of the set.
pub(super) fn ordinal(set: &str, pod: &str) -> Option<usize> {
    pod.strip_prefix(set)?.strip_prefix('-')?.parse().ok()
}

/// The claims of a pod, one for each template of a claim.
pub(super) fn claims(
    set: &StatefulSet,
    spec: &StatefulSetSpec,
    ordinal: usize,
) -> Vec<PersistentVolumeClaim> {
    let templates = spec.volume_claim_templates.iter().flatten();
    let claims = templates.map(|template| {
        let mut claim = template.clone();
        claim.metadata.name = Some(format!("{}-{}-{ordinal}", name(template), name(set)));
        claim.metadata.namespace = set.metadata.namespace.clone();
        let labels = claim.metadata.labels.get_or_insert_default();
        labels.extend(spec.selector.match_labels.clone().unwrap_or_default());
        claim
    });
    claims.collect()
}

pub(super) fn pod(
    set: &StatefulSet,
    spec: &StatefulSetSpec,
    revision: &Revision,
    ordinal: usize,
) -> Result<Pod, Error> {
    let mut pod = template::pod(&revision.template()?, set)?;
    let own = format!("{}-{ordinal}", name(set));
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(REVISION.to_owned(), revision.name.clone());
    labels.insert("statefulset.kubernetes.io/pod-name".to_owned(), own.clone());
    labels.insert("apps.kubernetes.io/pod-index".to_owned(), ordinal.to_string());
    if let Some(pod_spec) = pod.spec.as_mut() {
        pod_spec.hostname = Some(own.clone());
        pod_spec.subdomain = spec.service_name.clone();
        let volumes = pod_spec.volumes.get_or_insert_default();
        for template in spec.volume_claim_templates.iter().flatten() {
            volumes.retain(|volume| volume.name != name(template));
            volumes.push(Volume {
                name: name(template).to_owned(),
                persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                    claim_name: format!("{}-{own}", name(template)),
                    read_only: None,
                }),
                ..Volume::default()
            });
        }
        if volumes.is_empty() {
            pod_spec.volumes = None;
        }
    }
    pod.metadata.name = Some(own);
    Ok(pod)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_pod_is_in_its_name() {
        assert_eq!(ordinal("db", "db-12"), Some(12));
        assert_eq!(ordinal("db", "db-x"), None);
        assert_eq!(ordinal("db", "dbs-1"), None);
        assert_eq!(ordinal("db", "web-1"), None);
    }
}
