//! The known differences between the two clients on the wire. Everything that neither the common rules nor this table
//! allow is a failure.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use crate::rules::Client;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    WatchesAgainWhenRefused,
    WatchesAgainWhenCutEarly,
    RelistsAtOnceWhenExpired,
    RemembersARefusal,
    ListsAfterBrokenStreams,
    ListsWhenTheMostRecentIsExpired,
    PagesTheMostRecentList,
    RetriesAPage,
    ReopensASilentWatch,
    Probes,
    ProbesDuringAStreamingList,
    CountsTheMarkerAsAnEvent,
    SaysTheTimeoutTwice,
    RetriesBelowTheReflector,
    RemembersAVersionOfABrokenList,
}

/// A row of the table: the statement of the contract, the client, the difference and its reason.
struct TableRow(Difference, &'static str, Client, &'static str);

const TABLE: &[TableRow] = &[
    TableRow(
        Difference::WatchesAgainWhenRefused,
        "X26 (R33)",
        Client::Ours,
        "a watch refused with anything but 410 is asked for again, with backoff, and relists after three: a server \
         that stumbles has not lost our version",
    ),
    TableRow(
        Difference::WatchesAgainWhenCutEarly,
        "X26 (R39)",
        Client::Ours,
        "so is a watch whose connection breaks within a second and without an event",
    ),
    TableRow(
        Difference::RelistsAtOnceWhenExpired,
        "X26 (R36)",
        Client::Ours,
        "the first 410 of a watch is followed by a list without a wait: only what repeats backs off",
    ),
    TableRow(
        Difference::RemembersARefusal,
        "X7 (R58)",
        Client::Ours,
        "a streaming list whose first event is an internal error is not tried again for an hour: such servers do not \
         speak it",
    ),
    TableRow(
        Difference::ListsAfterBrokenStreams,
        "X7 (R54)",
        Client::Ours,
        "a streaming list that breaks off for the third time, or after another failure, becomes a list: it may never come \
         to its end",
    ),
    TableRow(
        Difference::ListsWhenTheMostRecentIsExpired,
        "X26 (R57)",
        Client::Ours,
        "a streaming list of the most recent state that is answered with 410 becomes a list, with backoff: asking the \
         same again at once is a busy loop",
    ),
    TableRow(
        Difference::PagesTheMostRecentList,
        "R18, R21",
        Client::Ours,
        "a list of the most recent state has pages, whatever list it replaces: client-go's goes without where the \
         list that expired did",
    ),
    TableRow(
        Difference::RetriesAPage,
        "X20 (R33)",
        Client::Ours,
        "a page that failed is asked for once more before the whole list is",
    ),
    TableRow(
        Difference::ReopensASilentWatch,
        "X22",
        Client::Ours,
        "a watch that falls silent is reopened at the last version",
    ),
    TableRow(
        Difference::Probes,
        "X16",
        Client::Ours,
        "two watches in a row that brought nothing are followed by a list of one object: a server restored from a \
         backup answers such watches with silence",
    ),
    TableRow(
        Difference::ProbesDuringAStreamingList,
        "X39",
        Client::Ours,
        "a streaming list that has no marker after ten seconds is compared with the version of a list of one object: a \
         server that ignores sendInitialEvents would never send the marker",
    ),
    TableRow(
        Difference::CountsTheMarkerAsAnEvent,
        "R39, R53",
        Client::Ours,
        "the stream of a streaming list that ends right after its marker is no very short watch, and is watched on: \
         client-go counts anew after the marker, and relists",
    ),
    TableRow(
        Difference::SaysTheTimeoutTwice,
        "R5",
        Client::ClientGo,
        "typed clients send timeoutSeconds once more as timeout, which a server does not read of a watch",
    ),
    TableRow(
        Difference::RetriesBelowTheReflector,
        "X4, X26",
        Client::ClientGo,
        "the REST client repeats a request by itself that was not answered, or was answered with a Retry-After: the \
         reflector sees one long request. Our clients retry nothing, so that every failure is seen",
    ),
    TableRow(
        Difference::RemembersAVersionOfABrokenList,
        "R60",
        Client::ClientGo,
        "a streaming list that breaks off after a MODIFIED or DELETED event is asked for again at that event's version",
    ),
];

/// How often each difference occurred, over all seeds.
#[derive(Clone, Default)]
pub(crate) struct DifferenceCounts(Arc<Mutex<Vec<Difference>>>);

impl DifferenceCounts {
    pub(crate) fn add(&self, differences: &[Difference]) {
        self.0.lock().expect("no thread panics while it counts").extend(differences);
    }

    /// The table, with the number of occurrences.
    pub(crate) fn table(&self) -> String {
        let seen = self.0.lock().expect("no thread panics while it counts");
        let mut table = "differences on the wire, and how often each was seen:\n".to_owned();
        for TableRow(difference, promised, whose, what) in TABLE {
            let times = seen.iter().filter(|seen| *seen == difference).count();
            let _ = writeln!(table, "{times:6}  {:9}  {promised:9}  {what}", whose.name());
        }
        table
    }
}

impl Difference {
    /// The client that it belongs to.
    pub(crate) fn client(self) -> Client {
        let line = TABLE.iter().find(|TableRow(difference, ..)| *difference == self);
        line.expect("every difference is in the table").2
    }
}
