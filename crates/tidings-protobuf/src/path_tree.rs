//! Several paths as one tree (a trie of their steps), so that an object is walked once for all of them.
//!
//! Example: `.spec.env`, `.spec.ports[*].name` and `.spec.ports[0]`.
//!
//! ```text
//! spec ─┬─ env (end)
//!       └─ ports ─┬─ [*] ── name (end)
//!                 └─ [0] (end) ── name (end)      [0] also has what [*] has
//! ```

use crate::PathStep;

/// Several paths as one tree.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PathTree {
    is_end: bool,
    members: Vec<(String, PathTree)>,
    each: Option<Box<PathTree>>,
    /// The items with an index of their own. Each also has what `each` has.
    indexes: Vec<(usize, PathTree)>,
}

impl PathTree {
    /// The tree of these paths.
    pub fn new<'p, 's: 'p>(paths: impl IntoIterator<Item = &'p [PathStep<'s>]>) -> PathTree {
        let mut root = PathTree::default();
        for path in paths {
            path.iter().fold(&mut root, PathTree::child).is_end = true;
        }
        root.copy_each_to_indexes();
        root
    }

    /// Whether a path ends here.
    pub fn is_end(&self) -> bool {
        self.is_end
    }

    /// Whether a path continues in a member.
    pub fn has_members(&self) -> bool {
        !self.members.is_empty()
    }

    /// Whether a path continues in an item of a list.
    pub fn has_items(&self) -> bool {
        self.each.is_some() || !self.indexes.is_empty()
    }

    /// Whether a path continues in one item of a list alone.
    pub(crate) fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// What continues in the first member whose name is accepted.
    pub fn member(&self, is_name: impl Fn(&str) -> bool) -> Option<&PathTree> {
        self.members.iter().find(|(name, _)| is_name(name)).map(|(_, below)| below)
    }

    /// What continues in the item with this index.
    pub fn item(&self, index: usize) -> Option<&PathTree> {
        let own = self.indexes.iter().find(|(own, _)| *own == index).map(|(_, below)| below);
        own.or(self.each.as_deref())
    }

    fn child(&mut self, step: &PathStep<'_>) -> &mut PathTree {
        match step {
            PathStep::Each => self.each.get_or_insert_default(),
            PathStep::Member(name) => self.child_member(name),
            PathStep::Index(index) => self.child_index(*index),
        }
    }

    fn child_member(&mut self, name: &str) -> &mut PathTree {
        let at = self.members.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
            self.members.push((name.to_owned(), PathTree::default()));
            self.members.len() - 1
        });
        &mut self.members[at].1
    }

    fn child_index(&mut self, index: usize) -> &mut PathTree {
        let at = self.indexes.iter().position(|(own, _)| *own == index).unwrap_or_else(|| {
            self.indexes.push((index, PathTree::default()));
            self.indexes.len() - 1
        });
        &mut self.indexes[at].1
    }

    /// Recurses once per step of a path.
    fn copy_each_to_indexes(&mut self) {
        if let Some(each) = &self.each {
            self.indexes.iter_mut().for_each(|(_, below)| below.merge(each));
        }
        self.members.iter_mut().for_each(|(_, below)| below.copy_each_to_indexes());
        self.indexes.iter_mut().for_each(|(_, below)| below.copy_each_to_indexes());
        self.each.iter_mut().for_each(|below| below.copy_each_to_indexes());
    }

    fn merge(&mut self, other: &PathTree) {
        self.is_end |= other.is_end;
        other.members.iter().for_each(|(name, below)| self.child_member(name).merge(below));
        other.indexes.iter().for_each(|(index, below)| self.child_index(*index).merge(below));
        if let Some(each) = &other.each {
            self.each.get_or_insert_default().merge(each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_with_an_index_has_the_paths_of_every_item_too() {
        let member = |name: &'static str| PathStep::Member(name.into());
        let paths = [
            vec![PathStep::Each, member("a")],
            vec![PathStep::Index(1), member("b")],
            vec![PathStep::Index(2)],
        ];
        let tree = PathTree::new(paths.iter().map(Vec::as_slice));
        let has = |index, name: &str| {
            let below = tree.item(index).and_then(|item| item.member(|own| own == name));
            below.is_some_and(PathTree::is_end)
        };
        assert_eq!(
            [0, 1, 2].map(|index| (has(index, "a"), has(index, "b"))),
            [(true, false), (true, true), (true, false)]
        );
        assert_eq!(
            [0, 1, 2].map(|index| tree.item(index).is_some_and(PathTree::is_end)),
            [false, false, true]
        );
    }
}
