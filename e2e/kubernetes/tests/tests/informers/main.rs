//! Informers on a real API server. Each test ends with the same question: do the cache and the handler have exactly
//! what the server lists?
//!
//! Tests of a group share a server and keep to namespaces of their own. What kills a server, or takes versions from
//! everyone on it, has one for itself. They wait for conditions, never for time.

mod access;
mod custom;
mod expiry;
mod follow;
mod lists;
mod many;
mod odd;
mod outages;
mod scene;
mod views;
mod workload;

use std::process::ExitCode;

use kubernetes_tests::cluster::Settings;
use kubernetes_tests::trials::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::new("informers");
    // The longest first: the others run beside it.
    suite.alone(
        "an informer outlives twenty servers killed under load",
        &[],
        outages::outlives_twenty_servers,
    );
    suite
        .group("as it comes", &[])
        .test("a streaming list is followed by its watch", lists::streams)
        .test("a list in pages is followed by a watch", lists::lists_in_one_page)
        .test("bookmarks move a quiet informer on, and save it from listing again", lists::follows_bookmarks)
        .test("certificates, tokens and HTTP/2 all lead in", access::knows_every_way_in)
        .test("an informer that may not list syncs when it may", access::syncs_when_it_may)
        .test("a resource may come, go and come again with other objects", custom::comes_and_goes)
        .test("an informer of metadata holds no more", views::metadata_only)
        .test("a dynamic informer is the typed one", views::dynamic)
        .test("objects enter and leave a label selector", views::label_selector)
        .test("objects enter and leave a field selector", views::field_selector)
        .test("several namespaces are one cache, and can be changed", views::namespaces)
        .test("an owner's uid that is no text stops nobody", odd::owner_uid_that_is_no_text)
        .test("JSON inside an object that is no text stops nobody", odd::json_inside_that_is_no_text);
    suite.alone(
        "a version taken by a compaction is listed anew",
        &["--watch-cache=false"],
        expiry::by_compaction,
    );
    suite.alone("a version taken by a restart is listed anew", &[], expiry::by_restart);
    suite.alone("a server restored from a backup is followed back", &[], outages::follows_a_restored_server);
    suite
        .group("crowded", &[])
        .test("fifty thousand pods are a list like any other", many::fifty_thousand_pods)
        .test("a version taken by an overflow of the watch cache is listed anew", expiry::by_overflow);
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
    suite.run()
}
