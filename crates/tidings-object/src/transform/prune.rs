//! Drops fields from an object's bytes: one pass finds what to cut, and everything else is copied as it stands.

use std::ops::Range;

use tidings_protobuf::{Error, Message};

use crate::FieldPath;
use crate::field::PathStep;
use crate::json::{JsonCursor, JsonError};

/// The fields to drop. Equal if the same fields are, in whatever order they were given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PrunePaths {
    root: PruneNode,
    paths: Vec<Vec<PathStep<'static>>>,
}

/// The fields as one tree, so that JSON is walked once for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct PruneNode {
    /// What is below is dropped wholly.
    is_end: bool,
    members: Vec<(String, PruneNode)>,
    each: Option<Box<PruneNode>>,
}

impl PrunePaths {
    pub(super) fn new(paths: impl IntoIterator<Item = FieldPath>) -> PrunePaths {
        let mut paths: Vec<_> = paths.into_iter().map(|path| path.steps().to_vec()).collect();
        paths.sort_by_cached_key(|path| format!("{path:?}"));
        paths.dedup();
        let mut root = PruneNode::default();
        for path in &paths {
            let end = path.iter().fold(&mut root, |node, step| node.below(step));
            end.is_end = true;
        }
        PrunePaths { root, paths }
    }

    pub(super) fn apply(&self, json: &[u8]) -> Result<Vec<u8>, JsonError> {
        let mut cursor = JsonCursor::new(json)?;
        let mut cuts = Vec::new();
        self.root.walk(&mut cursor, &mut cuts)?;
        cursor.end()?;
        let mut kept = Vec::with_capacity(json.len());
        let mut from = 0;
        for cut in cuts {
            kept.extend_from_slice(&json[from..cut.start]);
            from = cut.end;
        }
        kept.extend_from_slice(&json[from..]);
        Ok(kept)
    }

    /// The same of a protobuf message.
    pub(super) fn apply_protobuf(&self, table: &'static Message, message: &[u8]) -> Result<Vec<u8>, Error> {
        tidings_protobuf::without(table, message, &self.paths)
    }
}

impl PruneNode {
    fn below(&mut self, step: &PathStep<'_>) -> &mut PruneNode {
        match step {
            PathStep::Each => self.each.get_or_insert_default(),
            PathStep::Member(name) => {
                let place = self.members.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
                    self.members.push((name.clone().into_owned(), PruneNode::default()));
                    self.members.len() - 1
                });
                &mut self.members[place].1
            }
        }
    }

    /// Adds what to cut to `cuts`, in order. It recurses once a step, and a path's steps are bounded.
    fn walk(&self, cursor: &mut JsonCursor<'_>, cuts: &mut Vec<Range<usize>>) -> Result<(), JsonError> {
        match cursor.peek() {
            b'{' if !self.members.is_empty() => {
                let mut parts = CommaTracker::default();
                let mut is_more = cursor.enter_object()?;
                while is_more {
                    let start = cursor.at();
                    let key = cursor.key()?;
                    let below =
                        self.members.iter().find(|(name, _)| key.equals(name)).map(|(_, below)| below);
                    is_more = parts.pass(below, start, cursor, cuts, JsonCursor::has_next_member)?;
                }
                Ok(())
            }
            b'[' if self.each.is_some() => {
                let mut parts = CommaTracker::default();
                let mut is_more = cursor.enter_array()?;
                while is_more {
                    let start = cursor.at();
                    is_more =
                        parts.pass(self.each.as_deref(), start, cursor, cuts, JsonCursor::has_next_item)?;
                }
                Ok(())
            }
            _ => cursor.skip_value(),
        }
    }
}

/// The members or items of one container. Each cut takes one comma along: the one before it if something before
/// it stays, otherwise the one behind it.
#[derive(Default)]
struct CommaTracker {
    /// Where the last part that stays ends.
    kept_end: Option<usize>,
}

impl CommaTracker {
    /// Passes the value of a part that began at `start`, and goes on to the next.
    fn pass<'a>(
        &mut self,
        below: Option<&PruneNode>,
        start: usize,
        cursor: &mut JsonCursor<'a>,
        cuts: &mut Vec<Range<usize>>,
        next: impl Fn(&mut JsonCursor<'a>) -> Result<bool, JsonError>,
    ) -> Result<bool, JsonError> {
        if !below.is_some_and(|below| below.is_end) {
            match below {
                Some(below) => below.walk(cursor, cuts)?,
                None => cursor.skip_value()?,
            }
            self.kept_end = Some(cursor.at());
            return next(cursor);
        }
        cursor.skip_value()?;
        let end = cursor.at();
        let is_more = next(cursor)?;
        match self.kept_end {
            // Up to the end of the value, from the end of what stays before it: the comma between them goes.
            Some(kept_end) => {
                cuts.push(kept_end..end);
                self.kept_end = Some(end);
            }
            None if is_more => cuts.push(start..cursor.at()),
            None => cuts.push(start..end),
        }
        Ok(is_more)
    }
}
