//! `tidings watch`: prints a line for each notification of a resource, until it is interrupted.

mod progress;
mod report;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use tidings::{Notification, Notifications, Running};
use tokio::time::Instant;

use crate::cluster::ClusterOptions;
use crate::failure::{CliResult, Failure, FailureCode};
use crate::format::{Format, NotificationView};
use crate::interrupt::interrupted;
use crate::output::{Output, WriteOutcome, reader_gone};
use crate::query::{PreparedQuery, Query};
use kube_core::dynamic::DynamicObject;
use report::WatchReport;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    query: Query,
    /// The output format of each notification.
    #[arg(short, long, value_enum, default_value_t = Format::Line)]
    output: Format,
    /// Prints the fields that changed in each update.
    #[arg(long)]
    diff: bool,
    /// With -o json: prints the whole objects, new and old.
    #[arg(long)]
    full: bool,
    /// Ends after the first list.
    #[arg(long)]
    until_synced: bool,
    /// Ends after this many updates.
    #[arg(long, value_name = "N")]
    until_events: Option<u64>,
    /// Prints no notifications.
    #[arg(long)]
    quiet: bool,
    /// Prints one line of statistics at the end.
    #[arg(long, value_enum, value_name = "FORMAT")]
    report: Option<report::ReportFormat>,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Why the watch ended.
enum WatchEnd {
    /// It reached the end that `--until-synced` or `--until-events` sets.
    Complete,
    /// A signal arrived.
    Interrupted,
    /// The reader has closed standard output.
    Closed,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let query = arguments.query.prepare(&arguments.cluster).await?;
    follow(&arguments, &query).await
}

/// Prints notifications until the watch ends. An informer that fails is an error, whatever was printed before.
async fn follow(arguments: &Arguments, query: &PreparedQuery) -> CliResult {
    let notifications = query.informer.notifications()?;
    let started = Instant::now();
    let running = query.factory.start();
    let mut watcher = Watcher {
        arguments,
        out: Output::stdout(),
        notifications,
        updates: 0,
        synced: None,
        started,
        until: None,
    };
    let ended = watcher.watch(query, &running).await?;
    watcher.end(query, &ended)?;
    running.shutdown().await;
    Ok(())
}

struct Watcher<'a> {
    arguments: &'a Arguments,
    out: Output,
    notifications: Notifications<DynamicObject>,
    updates: u64,
    /// How long the first list took.
    synced: Option<Duration>,
    started: Instant,
    /// The time of the last update.
    until: Option<Instant>,
}

impl Watcher<'_> {
    async fn watch(&mut self, query: &PreparedQuery, running: &Running) -> CliResult<WatchEnd> {
        let mut interrupted = std::pin::pin!(interrupted());
        let progress = progress::new(query, self.started);
        let clearer = progress.clearer();
        let mut synced = std::pin::pin!(progress.draw_until(query.synced()));
        let mut all_delivered = std::pin::pin!(self.notifications.synced());
        let mut reader_gone = std::pin::pin!(reader_gone());
        let mut failed = std::pin::pin!(running.failed());
        loop {
            let is_synced = self.synced.is_some();
            tokio::select! {
                biased;
                signal = &mut interrupted => {
                    signal?;
                    return Ok(WatchEnd::Interrupted);
                }
                done = &mut synced, if !is_synced => {
                    done?;
                    self.synced = Some(self.started.elapsed());
                }
                event = self.notifications.next() => {
                    let Some(event) = event else { return Err(Failure::new(FailureCode::Failed, failed.await)) };
                    clearer.clear();
                    if let Some(ended) = self.print_notification(&event)? {
                        return Ok(ended);
                    }
                }
                () = &mut all_delivered, if is_synced && self.arguments.until_synced => return Ok(WatchEnd::Complete),
                // After the notifications, so that all that were delivered before the failure are printed.
                failure = &mut failed => return Err(Failure::new(FailureCode::Failed, failure)),
                // Last, because a write notices a closed pipe by itself.
                () = &mut reader_gone => return Ok(WatchEnd::Closed),
            }
        }
    }

    fn print_notification(&mut self, event: &Notification<DynamicObject>) -> CliResult<Option<WatchEnd>> {
        let view = NotificationView::of(event);
        if !view.is_initial() && matches!(event, Notification::Updated { .. }) {
            self.updates += 1;
            self.until = Some(Instant::now());
        }
        if !self.arguments.quiet {
            let line = view.format(self.arguments.output, self.arguments.diff, self.arguments.full);
            let is_last_for_now = self.notifications.stats().backlog == 0;
            let mut written = match self.arguments.output {
                Format::Json => self.out.json(&line)?,
                Format::Yaml => self.out.raw_line(&line)?,
                Format::Line | Format::Wide | Format::Name => self.out.line(&line)?,
            };
            if written == WriteOutcome::WriteOutcome && is_last_for_now {
                written = self.out.flush()?;
            }
            if written == WriteOutcome::Closed {
                return Ok(Some(WatchEnd::Closed));
            }
        }
        let is_enough = self.arguments.until_events.is_some_and(|enough| self.updates >= enough);
        Ok(is_enough.then_some(WatchEnd::Complete))
    }

    /// Prints the cache and the report, if they were requested.
    fn end(&mut self, query: &PreparedQuery, ended: &WatchEnd) -> CliResult {
        if matches!(ended, WatchEnd::Closed) {
            return Ok(());
        }
        if self.arguments.output == Format::Json && matches!(ended, WatchEnd::Interrupted) {
            self.out.json(&cache(query))?;
        }
        if let Some(form) = self.arguments.report {
            let since_sync = self.synced.map(|synced| self.started + synced);
            let report = WatchReport {
                sync: self.synced,
                updates: self.updates,
                updating: since_sync.zip(self.until).map(|(since, until)| until - since),
            };
            self.out.json(&report.written(form, query))?;
        }
        self.out.flush()?;
        Ok(())
    }
}

/// `{"cache":{"ns/name":"resourceVersion",…}}`.
fn cache(query: &PreparedQuery) -> String {
    let objects = query.informer.lister().list();
    let versions: BTreeMap<String, String> =
        objects.iter().map(|object| (object.key().to_string(), object.version().to_string())).collect();
    serde_json::json!({ "cache": versions }).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use clap::Parser as _;
    use k8s_openapi::api::core::v1::Pod;
    use tidings::{InformerOptions, Kind, SharedInformerFactory};
    use tidings_apiserver::{ApiServer, Ending};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_watch_whose_informer_panics_ends_with_an_error() {
        let crate::Command::Watch(arguments) =
            crate::Arguments::try_parse_from(["tidings", "watch", "pods", "--quiet"]).unwrap().command
        else {
            panic!("`watch` is another command");
        };
        let server = ApiServer::start().await;
        let factory = SharedInformerFactory::new(server.client());
        let lists = Arc::new(AtomicUsize::new(0));
        // The first list succeeds. The relist panics.
        let options = InformerOptions::new().tweak(move |_| {
            assert!(lists.fetch_add(1, Ordering::Relaxed) == 0, "a tweak that panics");
        });
        let informer = factory.dynamic_with(Pod::resource(), options).unwrap();
        let resource = Pod::resource();
        let query = PreparedQuery { factory, informer, resource, timeout: None, indexes: Vec::new() };

        let relist = async {
            query.informer.synced().await.unwrap();
            server.expire_history();
            server.faults().cut_watches(Ending::Broken);
            std::future::pending::<()>().await
        };
        let failure = tokio::select! {
            result = follow(&arguments, &query) => result.expect_err("the informer has panicked"),
            () = relist => unreachable!(),
        };
        assert!(failure.to_string().contains("a tweak that panics"), "{failure}");
    }
}
