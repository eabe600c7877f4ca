//! `tidings watch`: any resource, a line for each notification, until it is asked to end.

mod progress;
mod report;

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use tidings::{Event, Notifications};
use tokio::time::Instant;

use crate::cluster::Cluster;
use crate::failure::Done;
use crate::interrupt::interrupted;
use crate::output::{Output, Written, unread};
use crate::query::{Asked, Query};
use crate::shown::{Format, Told};
use kube_core::dynamic::DynamicObject;
use report::Report;

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
    report: Option<report::Form>,
    #[command(flatten)]
    cluster: Cluster,
}

/// Why watching ended.
enum Ended {
    /// It had seen what it was to see.
    Enough,
    /// Somebody asked.
    Interrupted,
    /// Nobody reads any more.
    Closed,
}

pub(crate) async fn run(arguments: Arguments) -> Done {
    let asked = arguments.query.ask(&arguments.cluster).await?;
    let notifications = asked.informer.notifications()?;
    let started = Instant::now();
    let running = asked.factory.start();
    let mut watcher = Watcher {
        arguments: &arguments,
        out: Output::stdout(),
        notifications,
        updates: 0,
        synced: None,
        started,
        until: None,
    };
    let ended = watcher.watch(&asked).await?;
    watcher.end(&asked, &ended)?;
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
    async fn watch(&mut self, asked: &Asked) -> Done<Ended> {
        let mut interrupted = std::pin::pin!(interrupted());
        let progress = progress::shown(asked, self.started);
        let curtain = progress.curtain();
        let mut synced = std::pin::pin!(progress.through(asked.synced()));
        let mut told_all = std::pin::pin!(self.notifications.synced());
        let mut unread = std::pin::pin!(unread());
        loop {
            let is_synced = self.synced.is_some();
            tokio::select! {
                biased;
                asked_to_end = &mut interrupted => {
                    asked_to_end?;
                    return Ok(Ended::Interrupted);
                }
                done = &mut synced, if !is_synced => {
                    done?;
                    self.synced = Some(self.started.elapsed());
                }
                event = self.notifications.next() => {
                    let Some(event) = event else { return Ok(Ended::Enough) };
                    curtain.fall();
                    if let Some(ended) = self.tell(&event)? {
                        return Ok(ended);
                    }
                }
                () = &mut told_all, if is_synced && self.arguments.until_synced => return Ok(Ended::Enough),
                // Last: what can be written finds out by itself.
                () = &mut unread => return Ok(Ended::Closed),
            }
        }
    }

    fn tell(&mut self, event: &Event<DynamicObject>) -> Done<Option<Ended>> {
        let told = Told::of(event);
        if !told.is_initial() && matches!(event, Event::Updated { .. }) {
            self.updates += 1;
            self.until = Some(Instant::now());
        }
        if !self.arguments.quiet {
            let line = told.shown(self.arguments.output, self.arguments.diff, self.arguments.full);
            let is_last_for_now = self.notifications.stats().backlog == 0;
            let mut written = match self.arguments.output {
                Format::Json => self.out.json(&line)?,
                Format::Yaml => self.out.exactly(&line)?,
                Format::Line | Format::Wide | Format::Name => self.out.line(&line)?,
            };
            if written == Written::Yes && is_last_for_now {
                written = self.out.flush()?;
            }
            if written == Written::Closed {
                return Ok(Some(Ended::Closed));
            }
        }
        let is_enough = self.arguments.until_events.is_some_and(|enough| self.updates >= enough);
        Ok(is_enough.then_some(Ended::Enough))
    }

    /// The last lines.
    fn end(&mut self, asked: &Asked, ended: &Ended) -> Done {
        if matches!(ended, Ended::Closed) {
            return Ok(());
        }
        if self.arguments.output == Format::Json && matches!(ended, Ended::Interrupted) {
            self.out.json(&cache(asked))?;
        }
        if let Some(form) = self.arguments.report {
            let since_sync = self.synced.map(|synced| self.started + synced);
            let report = Report {
                sync: self.synced,
                updates: self.updates,
                updating: since_sync.zip(self.until).map(|(since, until)| until - since),
            };
            self.out.json(&report.written(form, asked))?;
        }
        self.out.flush()?;
        Ok(())
    }
}

/// `{"cache":{"ns/name":"resourceVersion",…}}`.
fn cache(asked: &Asked) -> String {
    let objects = asked.informer.lister().list();
    let versions: BTreeMap<String, String> =
        objects.iter().map(|object| (object.key().to_string(), object.version().to_string())).collect();
    serde_json::json!({ "cache": versions }).to_string()
}
