//! Reads several field paths in one pass over the JSON of an object, and decodes only the values at their ends.
//!
//! Example: the paths `.a.x` and `.b[*]` over `{"a":{"x":1,"y":2},"b":[3,4],"c":{}}`.
//!
//! ```text
//! at "a": only path 0 continues: its value is walked with active = 0b01, which finds 1 and skips "y"
//! at "b": only path 1 continues: each item of the list ends it, which finds 3 and 4
//! at "c": no path continues: the value is skipped
//! ```

use serde::de::Error as _;
use serde_json::Value;

use super::{FieldPath, PathStep};
use crate::json::{JsonCursor, JsonError, JsonStr};

/// Some paths, and the values that the walk has found so far.
#[derive(Debug)]
pub(crate) struct PathWalk<'p, 'a> {
    paths: Vec<&'p [PathStep<'static>]>,
    /// The JSON text of each value, path by path.
    found: Vec<Vec<&'a str>>,
}

/// The paths that lead to the position of the cursor, one bit each.
type Active = u32;

const PATHS_MAX: usize = Active::BITS as usize;

/// The number of values found before the outermost object: none for each path.
const NOTHING: &[usize] = &[0; PATHS_MAX];

impl<'p, 'a> PathWalk<'p, 'a> {
    /// Walks along the first [`PATHS_MAX`] of these paths.
    pub(crate) fn new(paths: impl IntoIterator<Item = &'p FieldPath>) -> Self {
        let paths: Vec<_> = paths.into_iter().map(FieldPath::steps).take(PATHS_MAX).collect();
        PathWalk { found: vec![Vec::new(); paths.len()], paths }
    }

    /// Reads one member of the outermost object. The cursor is at its value.
    pub(crate) fn member(&mut self, cursor: &mut JsonCursor<'a>, key: JsonStr<'a>) -> Result<(), JsonError> {
        match self.entering(self.all(), 0, key, NOTHING) {
            0 => cursor.skip_value(),
            active => self.value(cursor, active, 1),
        }
    }

    /// Whether a path continues in this member of the outermost object.
    pub(crate) fn enters(&self, key: JsonStr<'a>) -> bool {
        self.paths
            .iter()
            .any(|steps| matches!(steps.first(), Some(PathStep::Member(name)) if key.equals(name)))
    }

    /// Reads the value at the cursor, to which the first `depth` steps of each active path lead. It recurses once per
    /// step, and the parser bounds the steps of a path.
    fn value(&mut self, cursor: &mut JsonCursor<'a>, active: Active, depth: usize) -> Result<(), JsonError> {
        let start = cursor.offset();
        let through = |step: fn(&PathStep<'_>) -> bool| {
            self.each(active).filter(|path| self.paths[*path].get(depth).is_some_and(step)).map(bit).sum()
        };
        let (members, items): (Active, Active) = (
            through(|step| matches!(step, PathStep::Member(_))),
            through(|step| matches!(step, PathStep::Each | PathStep::Index(_))),
        );
        match cursor.peek() {
            b'{' if members != 0 => {
                let before: Vec<usize> = self.found.iter().map(Vec::len).collect();
                cursor.members(|cursor, key| match self.entering(members, depth, key, &before) {
                    0 => cursor.skip_value(),
                    active => self.value(cursor, active, depth + 1),
                })?;
            }
            b'[' if items != 0 => {
                let mut indexes = 0..;
                cursor.items(|cursor| match self.at_index(items, depth, indexes.next()) {
                    0 => cursor.skip_value(),
                    active => self.value(cursor, active, depth + 1),
                })?;
            }
            _ => cursor.skip_value()?,
        }
        for path in self.each(active & !members & !items) {
            self.found[path].push(cursor.since(start));
        }
        Ok(())
    }

    /// The values at each path. Absent and null are no value.
    pub(crate) fn values(self) -> impl Iterator<Item = Result<Vec<Value>, serde_json::Error>> {
        self.found
            .into_iter()
            .map(|texts| texts.into_iter().filter(|text| *text != "null").map(serde_json::from_str).collect())
    }

    fn all(&self) -> Active {
        Active::MAX.checked_shr(Active::BITS - self.paths.len() as u32).unwrap_or(0)
    }

    /// The active paths that continue in the member with this key. What an earlier member with the same key added to
    /// `found` is dropped: `before` is its length at the start of the object.
    fn entering(&mut self, active: Active, depth: usize, key: JsonStr<'a>, before: &[usize]) -> Active {
        let mut into = 0;
        for path in self.each(active) {
            if matches!(self.paths[path].get(depth), Some(PathStep::Member(name)) if key.equals(name)) {
                self.found[path].truncate(before[path]);
                into |= bit(path);
            }
        }
        into
    }

    /// The active paths that continue in the item with this index.
    fn at_index(&self, active: Active, depth: usize, index: Option<usize>) -> Active {
        let continues = |step: &PathStep<'_>| match step {
            PathStep::Each => true,
            PathStep::Index(wanted) => index == Some(*wanted),
            PathStep::Member(_) => false,
        };
        self.each(active).filter(|path| self.paths[*path].get(depth).is_some_and(continues)).map(bit).sum()
    }

    fn each(&self, active: Active) -> impl Iterator<Item = usize> + use<> {
        (0..self.paths.len()).filter(move |path| active & bit(*path) != 0)
    }
}

fn bit(path: usize) -> Active {
    1 << path
}

pub(super) fn values(path: &FieldPath, json: &[u8]) -> Result<Vec<Value>, serde_json::Error> {
    let mut walk = PathWalk::new([path]);
    let walked = JsonCursor::new(json).and_then(|mut cursor| {
        let all = walk.all();
        walk.value(&mut cursor, all, 0)?;
        cursor.expect_end()
    });
    walked.map_err(serde_json::Error::custom)?;
    walk.values().next().expect("a walk has the values of its path")
}
