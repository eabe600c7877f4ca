//! Objects like those of a busy cluster. The pods of one service share a template, as in real clusters. Uids, hashes,
//! addresses and times differ. The same number always gives the same object.

mod pod;
mod random;
mod small;

pub(super) use pod::pod;
pub(super) use small::{config_map, lease, many_config_map, secret, small_pod, widget, widget_definition};

const SERVICES: u64 = 500;

const NODES: u64 = 1_000;

const NAMESPACE_OBJECTS: u64 = 1_000;

fn namespace(number: u64) -> String {
    format!("team-{:03}", number / NAMESPACE_OBJECTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_about_as_large_as_a_real_one() {
        let bytes: usize = (0..100).map(|number| pod(number * 997).to_string().len()).sum();
        assert!((6_400..7_000).contains(&(bytes / 100)), "{} bytes on average", bytes / 100);
    }

    #[test]
    fn a_pod_decodes_as_a_pod_and_no_two_are_the_same() {
        let (one, other) = (pod(7), pod(8));
        assert_eq!(pod(7), one);
        for path in
            ["/metadata/uid", "/metadata/name", "/status/podIP", "/status/containerStatuses/0/containerID"]
        {
            assert_ne!(one.pointer(path), other.pointer(path), "{path}");
            assert!(one.pointer(path).is_some(), "{path}");
        }
        let decoded: k8s_openapi::api::core::v1::Pod = serde_json::from_value(one).expect("it is a pod");
        assert_eq!(decoded.metadata.namespace.as_deref(), Some("team-000"));
    }
}
