//! `tidings watch`: any resource, a line for each notification, until it is query to end.

mod progress;
mod report;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use tidings::{Notification, Notifications};
use tokio::time::Instant;

use crate::cluster::ClusterOptions;
use crate::failure::CliResult;
use crate::format::{Format, NotificationView};
use crate::interrupt::interrupted;
use crate::output::{Output, WriteOutcome, reader_gone};
use crate::query::{PreparedQuery, Query};
use kube_core::dynamic::DynamicObject;
use report::WatchReport;

/// What to watch, and how to tell.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    query: Query,
    /// How each notification is written.
    #[arg(short, long, value_enum, default_value_t = Format::Line)]
    output: Format,
    /// Says what changed in each update.
    #[arg(long)]
    diff: bool,
    /// With -o json: the objects themselves, new and old.
    #[arg(long)]
    full: bool,
    /// Ends after the first list.
    #[arg(long)]
    until_synced: bool,
    /// Ends after this many updates.
    #[arg(long, value_name = "N")]
    until_events: Option<u64>,
    /// Writes no notifications.
    #[arg(long)]
    quiet: bool,
    /// Writes one line of figures at the end.
    #[arg(long, value_enum, value_name = "FORMAT")]
    report: Option<report::ReportFormat>,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Why watching ended.
enum WatchEnd {
    /// It had seen what it was to see.
    Complete,
    /// Somebody query.
    Interrupted,
    /// Nobody reads any more.
    Closed,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let query = arguments.query.prepare(&arguments.cluster).await?;
    let notifications = query.informer.notifications()?;
    let started = Instant::now();
    let running = query.factory.start();
    let mut watcher = Watcher {
        arguments: &arguments,
        out: Output::stdout(),
        notifications,
        updates: 0,
        synced: None,
        started,
        until: None,
    };
    let ended = watcher.watch(&query).await?;
    watcher.end(&query, &ended)?;
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
    /// When the last update that counts came.
    until: Option<Instant>,
}

impl Watcher<'_> {
    async fn watch(&mut self, query: &PreparedQuery) -> CliResult<WatchEnd> {
        let mut interrupted = std::pin::pin!(interrupted());
        let progress = progress::shown(query, self.started);
        let clearer = progress.clearer();
        let mut synced = std::pin::pin!(progress.through(query.synced()));
        let mut told_all = std::pin::pin!(self.notifications.synced());
        let mut reader_gone = std::pin::pin!(reader_gone());
        loop {
            let is_synced = self.synced.is_some();
            tokio::select! {
                biased;
                asked_to_end = &mut interrupted => {
                    asked_to_end?;
                    return Ok(WatchEnd::Interrupted);
                }
                done = &mut synced, if !is_synced => {
                    done?;
                    self.synced = Some(self.started.elapsed());
                }
                event = self.notifications.next() => {
                    let Some(event) = event else { return Ok(WatchEnd::Complete) };
                    clearer.clear();
                    if let Some(ended) = self.print_notification(&event)? {
                        return Ok(ended);
                    }
                }
                () = &mut told_all, if is_synced && self.arguments.until_synced => return Ok(WatchEnd::Complete),
                // Last: what can be written finds out by itself.
                () = &mut reader_gone => return Ok(WatchEnd::Closed),
            }
        }
    }

    fn print_notification(&mut self, event: &Notification<DynamicObject>) -> CliResult<Option<WatchEnd>> {
        let told = NotificationView::of(event);
        if !told.is_initial() && matches!(event, Notification::Updated { .. }) {
            self.updates += 1;
            self.until = Some(Instant::now());
        }
        if !self.arguments.quiet {
            let line = told.shown(self.arguments.output, self.arguments.diff, self.arguments.full);
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

    /// The last lines.
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
