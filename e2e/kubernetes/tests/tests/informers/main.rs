//! Informers on a real API server. Each test ends with the same check: cache and handler equal what the server lists.
//!
//! Tests of a group share a server and use their own namespaces. A test that kills a server or expires its versions has
//! its own server. Tests wait for conditions, never for time.

mod access;
mod custom;
mod expiry;
mod lists;
mod many;
mod outages;
mod shards;
mod test_informer;
mod test_namespace;
mod unusual_objects;
mod views;
mod workload;

use std::process::ExitCode;

use kubernetes_tests::built::release_tested;
use kubernetes_tests::cluster::Settings;
use kubernetes_tests::trials::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::new("informers");
    // The longest test first, so that the others run beside it.
    suite.alone(
        "an informer outlives twenty servers killed under load",
        &[],
        outages::outlives_twenty_servers,
    );
    suite
        .group("as it comes", &[])
        .test("a streaming list is followed by its watch", lists::streams)
        .test("a list in pages is followed by a watch", lists::lists_in_one_page)
        .test(
            "bookmarks advance the version of a quiet informer, which never lists again",
            lists::follows_bookmarks,
        )
        .test("certificates, tokens and HTTP/2 are accepted", access::accepts_every_credential)
        .test("an informer that may not list syncs when it may", access::syncs_when_it_may)
        .test("a resource may come, go and come again with other objects", custom::comes_and_goes)
        .test("an informer of metadata caches only metadata", views::metadata_only)
        .test("a dynamic informer has the objects of the typed one", views::dynamic)
        .test("objects enter and leave a label selector", views::label_selector)
        .test("objects enter and leave a field selector", views::field_selector)
        .test("several namespaces are one cache, and can be changed", views::namespaces)
        .test(
            "an owner's uid that is not UTF-8 stops no informer",
            unusual_objects::owner_uid_that_is_not_utf8,
        )
        .test(
            "JSON inside an object that is not UTF-8 stops no informer",
            unusual_objects::nested_json_that_is_not_utf8,
        );
    suite.alone(
        "an informer whose version expired by a compaction lists again",
        &["--watch-cache=false"],
        expiry::by_compaction,
    );
    suite.alone("an informer whose version expired by a restart lists again", &[], expiry::by_restart);
    suite.alone("a server restored from a backup is followed back", &[], outages::follows_a_restored_server);
    suite
        .group("crowded", &[])
        .test("fifty thousand pods are listed and followed", many::fifty_thousand_pods)
        .test(
            "an informer whose version expired by an overflow of the watch cache lists again",
            expiry::by_overflow,
        );
    suite
        .group("without watch cache", &["--watch-cache=false"])
        .test("a streaming list is followed by its watch", lists::streams)
        .test("a list in pages is followed by a watch", lists::lists_in_pages);
    suite
        .group("without streaming lists", &["--feature-gates=WatchList=false"])
        .test("a refused streaming list becomes a list", lists::is_refused);
    suite
        .group_with(
            "with an old etcd",
            Settings { program: vec!["-no-etcd-progress".to_owned()], ..Settings::default() },
        )
        .test("a streaming list that fails in the stream becomes a list", lists::fails_in_the_stream);
    // Older releases do not compress streaming lists, and 1.36 is the first one that knows the gate. These tests have run
    // on 1.37 only.
    if release_tested() == "1.37" {
        suite
            .group("as 1.37 comes", &[])
            .test("a streaming list in gzip is followed by its watch", lists::streams_in_gzip)
            .test("the shards of a server that ignores them add up to all objects", shards::ignored);
        suite
            .group("with shards", &["--feature-gates=ShardedListAndWatch=true"])
            .test("shards by uid add up to all objects", shards::by_uid)
            .test("shards by namespace add up to all objects", shards::by_namespace)
            .test("shards of metadata add up to all objects", shards::of_metadata);
    }
    suite.run()
}
