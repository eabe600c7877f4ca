//! Parses the requests of a client. All options must be known: a missing, additional or different option is not a
//! request of an informer.

use std::collections::BTreeMap;

use super::Watched;
use crate::differences::Difference;
use crate::wire::Exchange;

/// A request, reduced to what depends on earlier ones. An empty version means none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClientRequest {
    /// A streaming list, not older than this version.
    StreamList { version: String },
    /// The first page of a list, or a list without pages.
    List { version: String, limit: Option<u32> },
    /// A later page, by its token.
    Page { token: String, limit: Option<u32> },
    /// A watch from this version.
    Watch { version: String },
    /// A list of one object, for the version.
    Probe,
}

impl ClientRequest {
    /// Parses the request, and whether it contains the timeout twice. Returns what is wrong otherwise.
    pub(super) fn of(
        exchange: &Exchange,
        watched: &Watched,
    ) -> Result<(ClientRequest, Option<Difference>), String> {
        if exchange.path != watched.path {
            return Err(format!("is for {}, which is not {}", exchange.path, watched.path));
        }
        let mut options = Options(exchange.options.clone());
        options.take("labelSelector", &watched.selector)?;
        let version = options.text("resourceVersion");
        if !exchange.is_watch() {
            let limit = options.number("limit")?;
            let token = options.text("continue");
            options.end()?;
            return match (version.is_empty(), token.is_empty(), limit) {
                (true, false, limit) => Ok((ClientRequest::Page { token, limit }, None)),
                (false, false, _) => Err("has both a token and a version".to_owned()),
                (true, true, Some(1)) => Ok((ClientRequest::Probe, None)),
                (_, true, limit) => Ok((ClientRequest::List { version, limit }, None)),
            };
        }
        options.text("watch");
        options.take("allowWatchBookmarks", "true")?;
        let seconds = options.number("timeoutSeconds")?.ok_or("has no timeoutSeconds")?;
        if !(300..=600).contains(&seconds) {
            return Err(format!("is to last {seconds} s"));
        }
        let said_twice = (!options.text("timeout").is_empty()).then_some(Difference::SaysTheTimeoutTwice);
        let ask = if options.0.contains_key("sendInitialEvents") {
            options.take("sendInitialEvents", "true")?;
            options.take("resourceVersionMatch", "NotOlderThan")?;
            ClientRequest::StreamList { version }
        } else {
            ClientRequest::Watch { version }
        };
        options.end()?;
        Ok((ask, said_twice))
    }
}

/// The options that have not been checked yet.
struct Options(BTreeMap<String, String>);

impl Options {
    fn text(&mut self, name: &str) -> String {
        self.0.remove(name).unwrap_or_default()
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        let found = self.text(name);
        if found == value { Ok(()) } else { Err(format!("has {name}={found}, where {value} is right")) }
    }

    fn number(&mut self, name: &str) -> Result<Option<u32>, String> {
        let text = self.0.remove(name);
        let number = text.map(|text| text.parse().map_err(|_| format!("has {name}={text}"))).transpose()?;
        // client-go sends 0 for none.
        Ok(number.filter(|number| *number != 0))
    }

    fn end(self) -> Result<(), String> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(format!("has options that do not belong to it: {:?}", self.0))
        }
    }
}
