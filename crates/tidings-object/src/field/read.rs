//! Walks an object's bytes along several paths in one pass, and builds only what stands at their ends.

use serde::de::Error as _;
use serde_json::Value;

use super::{FieldPath, PathStep};
use crate::json::{JsonCursor, JsonError, JsonStr};

/// The values at some paths, as far as they were walked.
#[derive(Debug)]
pub(crate) struct PathWalk<'p, 'a> {
    paths: Vec<&'p [PathStep<'static>]>,
    /// The text of each value, path by path.
    found: Vec<Vec<&'a str>>,
}

/// Which of a walk's paths lead to where its cursor stands: a bit for each.
type Active = u32;

/// How many paths one walk can follow.
const PATHS_MAX: usize = Active::BITS as usize;

/// Before the whole object nothing was found.
const NOTHING: &[usize] = &[0; PATHS_MAX];

impl<'p, 'a> PathWalk<'p, 'a> {
    /// Along these paths, or as many of them as one walk can follow.
    pub(crate) fn new(paths: impl IntoIterator<Item = &'p FieldPath>) -> Self {
        let paths: Vec<_> = paths.into_iter().map(FieldPath::steps).take(PATHS_MAX).collect();
        PathWalk { found: vec![Vec::new(); paths.len()], paths }
    }

    /// Reads a member of the whole object, at whose value the cursor stands.
    pub(crate) fn member(&mut self, cursor: &mut JsonCursor<'a>, key: JsonStr<'a>) -> Result<(), JsonError> {
        match self.entering(self.all(), 0, key, NOTHING) {
            0 => cursor.skip_value(),
            active => self.value(cursor, active, 1),
        }
    }

    /// Whether some path goes into this member of the whole object.
    pub(crate) fn enters(&self, key: JsonStr<'a>) -> bool {
        self.paths
            .iter()
            .any(|steps| matches!(steps.first(), Some(PathStep::Member(name)) if key.equals(name)))
    }

    /// Reads the value at the cursor, to which the first `depth` steps of each active path lead. It recurses once a
    /// step, and a path's steps are bounded.
    fn value(&mut self, cursor: &mut JsonCursor<'a>, active: Active, depth: usize) -> Result<(), JsonError> {
        let start = cursor.at();
        let through = |step: fn(&PathStep<'_>) -> bool| {
            self.each(active).filter(|path| self.paths[*path].get(depth).is_some_and(step)).map(bit).sum()
        };
        let (members, items): (Active, Active) = (
            through(|step| matches!(step, PathStep::Member(_))),
            through(|step| matches!(step, PathStep::Each)),
        );
        match cursor.peek() {
            b'{' if members != 0 => {
                let before: Vec<usize> = self.found.iter().map(Vec::len).collect();
                cursor.members(|cursor, key| match self.entering(members, depth, key, &before) {
                    0 => cursor.skip_value(),
                    active => self.value(cursor, active, depth + 1),
                })?;
            }
            b'[' if items != 0 => cursor.items(|cursor| self.value(cursor, items, depth + 1))?,
            _ => cursor.skip_value()?,
        }
        for path in self.each(active & !members & !items) {
            self.found[path].push(cursor.since(start));
        }
        Ok(())
    }

    /// What stands at each path. Absent and null are no value.
    pub(crate) fn values(self) -> impl Iterator<Item = Result<Vec<Value>, serde_json::Error>> {
        self.found
            .into_iter()
            .map(|texts| texts.into_iter().filter(|text| *text != "null").map(serde_json::from_str).collect())
    }

    fn all(&self) -> Active {
        Active::MAX.checked_shr(Active::BITS - self.paths.len() as u32).unwrap_or(0)
    }

    /// The active paths that go into the member with this key, each back at what it had `before` the object.
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
        cursor.end()
    });
    walked.map_err(serde_json::Error::custom)?;
    walk.values().next().expect("a walk has its path's values")
}
