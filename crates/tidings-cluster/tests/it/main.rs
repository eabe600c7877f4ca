//! Stand-ins over the in-process API server, in paused time.

mod cron_jobs;
mod daemon_sets;
mod endpoint_slices;
mod garbage_collection;
mod jobs;
mod kubelet;
mod namespaces;
mod rollouts;
mod scheduling;
mod service_accounts;
mod stateful_sets;
mod whole_clusters;
mod world;

use tidings_test_types as _;
