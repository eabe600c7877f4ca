//! Other kinds than pods: text, certificates, a custom resource, and small objects that change often.

use super::{ComparisonRun, log};
use crate::compare::contestant::KUBE_RS_LIST;
use crate::protocol::{Read, Resource};

/// The kind, the argument of the server, and the figures for CPU and memory.
const KINDS: &[(Resource, &str, &str, &str)] = &[
    (Resource::ConfigMaps, "--configmaps", "configmaps_sync_cpu_s", "configmaps_object_bytes"),
    (Resource::Secrets, "--secrets", "secrets_sync_cpu_s", "secrets_object_bytes"),
    (Resource::Widgets, "--widgets", "widgets_sync_cpu_s", "widgets_object_bytes"),
    (Resource::Leases, "--leases", "leases_sync_cpu_s", "leases_object_bytes"),
];

const OBJECTS: u64 = 20_000;
const LEASES: u64 = 50_000;

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let mut arguments = Vec::new();
    for (resource, argument, ..) in KINDS {
        let count = if *resource == Resource::Leases { LEASES } else { OBJECTS };
        arguments.extend([(*argument).to_owned(), count.min(run.scale.pods).to_string()]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = run.server(&arguments)?;
    for contestant in run.contestants.clone() {
        if contestant.name == KUBE_RS_LIST {
            continue;
        }
        for (resource, _, cpu, memory) in KINDS {
            // Custom resources have no protobuf. The server would respond with JSON, which is measured already.
            if *resource == Resource::Widgets && contestant.wire == "protobuf" {
                continue;
            }
            log(&format!("kinds: {resource:?}, {}", contestant.name));
            let mut subject = server.subject(&contestant)?;
            let synced = subject.sync(*resource, 1, Read::Identity)?;
            let resident = subject.settle()?;
            run.take(&contestant, cpu, synced.cpu_s);
            run.take(&contestant, memory, resident / synced.objects as f64);
        }
    }
    Ok(())
}
