//! A look at how far the server has come, after a watch that brought nothing.
//!
//! A server restored from a backup answers a watch from a version that it has not reached with silence, and goes on
//! doing so until it has given that version out again, for something else. One object of the most recent list, with
//! the version of that list, tells the two silences apart.

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{ListOptions, ListPart, ListWatch, SourceError, Trouble};
use tokio::time::timeout;

use super::Reflector;
use super::config::ReflectorConfig;
use super::observer::{During, Reports};
use super::phase::{End, Stage};
use super::run::Ended;
use super::sink::Sink;

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn probe(&mut self) -> Ended {
        match most_recent_version(&*self.source, &self.config, &self.reports).await {
            Err(error) => Ended::failed(Stage::Opening, error, During::Probe),
            Ok(version) => match &self.last {
                Some(last) if version.is_older_than(last) => Ended::quietly(End::WentBack),
                _ => Ended::quietly(End::UpToDate),
            },
        }
    }
}

async fn most_recent_version<L: ListWatch + ?Sized>(
    source: &L,
    config: &ReflectorConfig,
    reports: &Reports,
) -> Result<Version, SourceError> {
    let silence_max = config.list_silence_max;
    let silent = |_| reports.network("probe", None, format!("nothing came for {silence_max:?}"));
    let asked = ListOptions { limit: Some(1), ..ListOptions::default() };
    let mut page = timeout(silence_max, source.list(asked)).await.map_err(silent)??;
    let mut objects = 0;
    while let Some(part) = timeout(silence_max, page.next()).await.map_err(silent)? {
        match part? {
            ListPart::End(end) => return Ok(end.version),
            ListPart::Object(_) | ListPart::Skipped(_) => objects += 1,
        }
    }
    Err(reports.error("probe", None, Trouble::Truncated { objects }))
}
