//! Drops fields from the bytes of an object. One pass finds the ranges to cut, and everything else is copied.
//!
//! Example: `.a` and `.d[0]` of `{"a":1,"b":2,"d":[3,4]}`.
//!
//! ```text
//! {"a":1,"b":2,"d":[3,4]}
//!  ^^^^^^                    nothing is kept before it: the cut takes the comma after it
//!                   ^^       the same, in the list
//! {"b":2,"d":[4]}
//! ```

use std::ops::Range;

use tidings_protobuf::{Error, Message, PathTree};

use crate::FieldPath;
use crate::field::PathStep;
use crate::json::{JsonCursor, JsonError};

/// The fields to drop. Two are equal if they drop the same fields, whatever their order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PrunePaths {
    tree: PathTree,
}

impl PrunePaths {
    pub(super) fn new(paths: impl IntoIterator<Item = FieldPath>) -> PrunePaths {
        let mut paths: Vec<Vec<PathStep<'static>>> =
            paths.into_iter().map(|path| path.steps().to_vec()).collect();
        paths.sort_by_cached_key(|path| format!("{path:?}"));
        paths.dedup();
        PrunePaths { tree: PathTree::new(paths.iter().map(Vec::as_slice)) }
    }

    pub(super) fn apply(&self, json: &[u8]) -> Result<Vec<u8>, JsonError> {
        let mut cursor = JsonCursor::new(json)?;
        let mut cuts = Vec::new();
        find_cuts(&self.tree, &mut cursor, &mut cuts)?;
        cursor.expect_end()?;
        let mut kept = Vec::with_capacity(json.len());
        let mut from = 0;
        for cut in cuts {
            kept.extend_from_slice(&json[from..cut.start]);
            from = cut.end;
        }
        kept.extend_from_slice(&json[from..]);
        Ok(kept)
    }

    pub(super) fn apply_protobuf(&self, table: &'static Message, message: &[u8]) -> Result<Vec<u8>, Error> {
        tidings_protobuf::without_tree(table, message, &self.tree)
    }
}

/// Appends the ranges to cut, in order. Recurses once per step, and the parser bounds the steps of a path.
fn find_cuts(
    tree: &PathTree,
    cursor: &mut JsonCursor<'_>,
    cuts: &mut Vec<Range<usize>>,
) -> Result<(), JsonError> {
    match cursor.peek() {
        b'{' if tree.has_members() => {
            let mut commas = CommaTracker::default();
            let mut is_more = cursor.enter_object()?;
            while is_more {
                let start = cursor.offset();
                let key = cursor.key()?;
                let below = tree.member(|name| key.equals(name));
                is_more = commas.pass(below, start, cursor, cuts, JsonCursor::has_next_member)?;
            }
            Ok(())
        }
        b'[' if tree.has_items() => {
            let mut commas = CommaTracker::default();
            let (mut is_more, mut index) = (cursor.enter_array()?, 0);
            while is_more {
                let start = cursor.offset();
                is_more = commas.pass(tree.item(index), start, cursor, cuts, JsonCursor::has_next_item)?;
                index += 1;
            }
            Ok(())
        }
        _ => cursor.skip_value(),
    }
}

/// Decides which comma a cut takes along, for the parts (members or items) of one container: the comma before the part
/// if an earlier part is kept, otherwise the comma after it.
#[derive(Default)]
struct CommaTracker {
    /// The end of the last part that is kept.
    kept_end: Option<usize>,
}

impl CommaTracker {
    /// Passes the value of a part that begins at `start`, and moves to the next part. Returns whether there is one.
    fn pass<'a>(
        &mut self,
        below: Option<&PathTree>,
        start: usize,
        cursor: &mut JsonCursor<'a>,
        cuts: &mut Vec<Range<usize>>,
        next: impl Fn(&mut JsonCursor<'a>) -> Result<bool, JsonError>,
    ) -> Result<bool, JsonError> {
        if !below.is_some_and(PathTree::is_end) {
            match below {
                Some(below) => find_cuts(below, cursor, cuts)?,
                None => cursor.skip_value()?,
            }
            self.kept_end = Some(cursor.offset());
            return next(cursor);
        }
        cursor.skip_value()?;
        let end = cursor.offset();
        let is_more = next(cursor)?;
        match self.kept_end {
            // From the end of the kept part to the end of this one: that includes the comma between them.
            Some(kept_end) => {
                cuts.push(kept_end..end);
                self.kept_end = Some(end);
            }
            None if is_more => cuts.push(start..cursor.offset()),
            None => cuts.push(start..end),
        }
        Ok(is_more)
    }
}
