//! The script of a seed: server, list mode, writes and faults, in order. All random choices are made here, and are the
//! same for both clients.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tidings_object::Wire;

use crate::fault_plan::{Reply, StreamEnd, StreamFault};

/// All that a seed determines.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) seed: u64,
    pub(crate) cache: WatchCache,
    pub(crate) lists: Lists,
    /// The list mode of both clients.
    pub(crate) wire: Wire,
    /// The number of additional objects that never change: enough for a second page.
    pub(crate) crowd: usize,
    /// The writes before the clients start.
    pub(crate) before: Vec<Write>,
    pub(crate) steps: Vec<Step>,
}

/// Whether the server has a watch cache. Without one, a compaction takes effect at once, and lists come in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchCache {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    Streaming,
    Chunked,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Write(Write),
    Stream(StreamFault),
    Replies(Vec<Reply>),
    /// The clients start. Faults that were armed before apply to their first requests.
    Start,
    /// Connections are refused from now on.
    Refuse,
    Accept,
    /// The server drops its history.
    Compact,
    /// The armed faults happen now, to both clients.
    Settle,
}

/// A change of one object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    pub(crate) object: usize,
    pub(crate) kind: WriteKind,
    /// The size of the object's data.
    pub(crate) padding: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WriteKind {
    /// Creates it, with or without the watched label.
    Create(Labelled),
    Update,
    /// Adds or removes the label.
    Label(Labelled),
    Delete,
    /// Deletes it, and creates it again at once with another uid.
    Recreate(Labelled),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelled {
    Yes,
    No,
}

/// How long a slow handler takes for each call.
pub(crate) const SLOW: Duration = Duration::from_millis(5);

/// The maximum of failures per seed that make a client wait, because each wait can be twice as long as the previous
/// one.
const FAILURES_MAX: usize = 3;

impl Script {
    pub(crate) fn of(seed: u64) -> Script {
        let mut chance = SmallRng::seed_from_u64(seed);
        let cache = if chance.random_ratio(2, 5) { WatchCache::Off } else { WatchCache::On };
        let lists = if seed.is_multiple_of(2) { Lists::Streaming } else { Lists::Chunked };
        let wire = if (seed / 2).is_multiple_of(2) { Wire::Json } else { Wire::Protobuf };
        let crowd = if chance.random_ratio(1, 4) { chance.random_range(501..700) } else { 0 };
        let mut writer = Writer { objects: vec![None; chance.random_range(3..10)], chance };
        let before = (0..writer.chance.random_range(0..12)).map(|_| writer.write()).collect();
        let mut builder = ScriptBuilder { writer, cache, failures_left: FAILURES_MAX, steps: Vec::new() };
        if builder.writer.chance.random_ratio(1, 2) {
            builder.first_requests();
        }
        builder.steps.push(Step::Start);
        for _ in 0..builder.writer.chance.random_range(2..5) {
            builder.writes(4, 16);
            builder.episode();
            if builder.writer.chance.random_ratio(1, 3) {
                builder.steps.push(Step::Settle);
            }
        }
        builder.writes(4, 16);
        Script { seed, cache, lists, wire, crowd, before, steps: builder.steps }
    }
}

/// Tracks which objects exist, so that every write succeeds.
struct Writer {
    objects: Vec<Option<Labelled>>,
    chance: SmallRng,
}

impl Writer {
    fn write(&mut self) -> Write {
        let object = self.chance.random_range(0..self.objects.len());
        let labelled = if self.chance.random_ratio(4, 5) { Labelled::Yes } else { Labelled::No };
        let kind = match (self.objects[object], self.chance.random_range(0..8)) {
            (None, _) => WriteKind::Create(labelled),
            (Some(_), 0) => WriteKind::Delete,
            (Some(_), 1) => WriteKind::Recreate(labelled),
            (Some(Labelled::Yes), 2 | 3) => WriteKind::Label(Labelled::No),
            (Some(Labelled::No), 2..6) => WriteKind::Label(Labelled::Yes),
            (Some(_), _) => WriteKind::Update,
        };
        match kind {
            WriteKind::Create(labelled) | WriteKind::Recreate(labelled) | WriteKind::Label(labelled) => {
                self.objects[object] = Some(labelled);
            }
            WriteKind::Delete => self.objects[object] = None,
            WriteKind::Update => {}
        }
        Write { object, kind, padding: self.chance.random_range(0..600) }
    }
}

/// Orders writes and faults.
struct ScriptBuilder {
    writer: Writer,
    cache: WatchCache,
    failures_left: usize,
    steps: Vec<Step>,
}

impl ScriptBuilder {
    fn writes(&mut self, min: usize, max: usize) {
        for _ in 0..self.writer.chance.random_range(min..max) {
            let write = self.writer.write();
            self.steps.push(Step::Write(write));
        }
    }

    /// Faults of the first list: of the whole list, of its second page, or inside its stream.
    fn first_requests(&mut self) {
        if self.writer.chance.random_ratio(1, 2) {
            let mut fault = self.stream_fault();
            match self.writer.chance.random_range(0..4) {
                0 => fault.after_bytes = 0,
                1 => fault = StreamFault { after_bytes: 0, end: StreamEnd::CloseAtMarker },
                _ => {}
            }
            self.steps.push(Step::Stream(fault));
        }
        let mut replies = vec![Reply::Pass; self.writer.chance.random_range(0..2)];
        replies.extend(self.replies());
        self.steps.push(Step::Replies(replies));
    }

    /// Ends the watch in one of several ways. The next requests may fail.
    fn episode(&mut self) {
        match self.writer.chance.random_range(0..8) {
            // Two watches in a row deliver no event.
            3 => {
                for _ in 0..2 {
                    let silence = millis(&mut self.writer.chance, 1_100, 1_300);
                    let fault = StreamFault { after_bytes: 0, end: StreamEnd::HangThenCut(silence) };
                    self.steps.extend([Step::Stream(fault), Step::Settle]);
                }
            }
            0 => {
                self.steps.push(Step::Refuse);
                self.failures_left = self.failures_left.saturating_sub(1);
                self.writes(2, 20);
                self.steps.push(Step::Accept);
            }
            1 | 2 if self.cache == WatchCache::Off => {
                self.steps.push(Step::Refuse);
                self.failures_left = self.failures_left.saturating_sub(2);
                self.writes(3, 12);
                self.steps.extend([Step::Compact, Step::Accept]);
            }
            _ => {
                let fault = self.stream_fault();
                self.steps.push(Step::Stream(fault));
            }
        }
        if self.writer.chance.random_ratio(3, 5) {
            let replies = self.replies();
            self.steps.push(Step::Replies(replies));
        }
    }

    fn stream_fault(&mut self) -> StreamFault {
        let chance = &mut self.writer.chance;
        let end = match chance.random_range(0..8) {
            0..3 => StreamEnd::Cut,
            3 => StreamEnd::HangThenCut(millis(chance, 20, 1_300)),
            4 | 5 => StreamEnd::Close,
            _ => StreamEnd::Error(*[410, 429, 500].choose(chance).expect("there are some")),
        };
        if matches!(end, StreamEnd::Error(_)) {
            self.failures_left = self.failures_left.saturating_sub(1);
        }
        StreamFault { after_bytes: self.writer.chance.random_range(0..3_000), end }
    }

    /// The responses to the next requests, as long as they do not take too long.
    fn replies(&mut self) -> Vec<Reply> {
        let mut replies = Vec::new();
        for _ in 0..self.writer.chance.random_range(1..3) {
            let reply = self.reply();
            match reply {
                Reply::Pass | Reply::Delay(_) => replies.push(reply),
                _ if self.failures_left > 0 => {
                    self.failures_left -= 1;
                    replies.push(reply);
                }
                _ => {}
            }
        }
        replies
    }

    fn reply(&mut self) -> Reply {
        let chance = &mut self.writer.chance;
        let status = |code, retry_after_seconds| Reply::Status { code, retry_after_seconds };
        match chance.random_range(0..12) {
            0 => status(429, Some(1)),
            1 => status(429, None),
            2 | 3 => status(500, None),
            4 => status(503, None),
            5 | 6 => status(410, None),
            7 => Reply::TooLarge,
            8 => Reply::Drop(millis(chance, 1, 200)),
            9 | 10 => Reply::CutList(chance.random_range(0..2_000)),
            _ => Reply::Delay(millis(chance, 10, 400)),
        }
    }
}

fn millis(chance: &mut SmallRng, min: u64, max: u64) -> Duration {
    Duration::from_millis(chance.random_range(min..max))
}
