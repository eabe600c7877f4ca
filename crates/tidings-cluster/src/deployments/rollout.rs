//! The steps of a rollout: rolling, recreating, and scaling in the middle of either.
//!
//! Each reconcile makes one step, and the change of a ReplicaSet requests the next one.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use tidings::controller::Error;

use super::arithmetic::proportion;
use super::new_set;
use super::sets::{MAX, Sets, available, size};
use crate::clock::Clock;
use crate::object::{annotation, uid};
use crate::pods;

/// A step of a rolling update: scales the new set up as far as the surge allows, else the old ones down as far as
/// enough pods stay available.
pub(super) async fn roll(sets: &mut Sets<'_>, clock: &Clock) -> Result<(), Error> {
    new_set::ensure(sets, clock).await?;
    let Some(new) = &sets.new else { return Ok(()) };
    let (new, size_of_new) = (uid(new).to_owned(), size_of_new(sets));
    if sets.resize(&new, size_of_new).await? {
        return Ok(());
    }
    scale_down_old(sets).await
}

/// A step of a recreation: scales the old sets down, waits until their pods are gone, and scales the new one up.
pub(super) async fn recreate(sets: &mut Sets<'_>, clock: &Clock) -> Result<(), Error> {
    new_set::refresh(sets, clock).await?;
    let active: Vec<String> = uids(sets.old.iter().filter(|set| size(set) > 0));
    for old in &active {
        sets.resize(old, 0).await?;
    }
    if !active.is_empty() || has_old_pods(sets)? {
        return Ok(());
    }
    new_set::ensure(sets, clock).await?;
    if let Some(new) = &sets.new {
        let (new, wanted) = (uid(new).to_owned(), sets.wanted());
        sets.resize(&new, wanted).await?;
    }
    Ok(())
}

fn has_old_pods(sets: &Sets<'_>) -> Result<bool, Error> {
    let old = uids(sets.old.iter());
    let pods = crate::object::in_namespace::<Pod>(sets.context)?;
    Ok(pods.iter().any(|pod| {
        let owner = tidings::controller::controller_of(pod).map(|owner| &owner.uid);
        !pods::has_ended(pod) && owner.is_some_and(|owner| old.contains(owner))
    }))
}

/// The size of the new set after this step.
pub(super) fn size_of_new(sets: &Sets<'_>) -> i64 {
    let (wanted, own) = (sets.wanted(), sets.new.as_ref().map_or(0, size));
    if sets.is_recreated() || own >= wanted {
        return wanted;
    }
    let room = wanted + sets.limits().surge - total(sets);
    own + room.max(0).min(wanted - own)
}

fn total(sets: &Sets<'_>) -> i64 {
    sets.all().map(size).sum()
}

/// Scales old sets down: first pods that are not available anyway, then as many as leave enough available.
async fn scale_down_old(sets: &mut Sets<'_>) -> Result<(), Error> {
    let least_available = sets.wanted() - sets.limits().unavailable;
    let new_unavailable = sets.new.as_ref().map_or(0, |new| size(new) - available(new));
    let mut room = total(sets) - least_available - new_unavailable;
    for old in uids(sets.old.iter()) {
        let Some(set) = sets.old.iter().find(|set| uid(*set) == old) else { continue };
        let unhealthy = (size(set) - available(set)).min(room);
        if unhealthy > 0 {
            let wanted = size(set) - unhealthy;
            room -= unhealthy;
            sets.resize(&old, wanted).await?;
        }
    }
    let mut surplus = sets.all().map(available).sum::<i64>() - least_available;
    if room <= 0 {
        return Ok(());
    }
    for old in uids(sets.old.iter()) {
        let Some(set) = sets.old.iter().find(|set| uid(*set) == old) else { continue };
        let down = size(set).min(surplus);
        if down > 0 {
            let wanted = size(set) - down;
            surplus -= down;
            sets.resize(&old, wanted).await?;
        }
    }
    Ok(())
}

/// Gives a changed number of replicas to the sets: to the only active one, or to all in proportion to their sizes.
pub(super) async fn scale(sets: &mut Sets<'_>) -> Result<(), Error> {
    let active: Vec<String> = uids(sets.all().filter(|set| size(set) > 0));
    let latest = sets.new.as_ref().or(sets.old.last()).map(|set| uid(set).to_owned());
    let only = match active.as_slice() {
        [] => latest,
        [only] => Some(only.clone()),
        _ => None,
    };
    if let Some(only) = only {
        let wanted = sets.wanted();
        sets.resize(&only, wanted).await?;
        return Ok(());
    }
    let is_saturated =
        sets.new.as_ref().is_some_and(|new| size(new) == sets.wanted() && available(new) == sets.wanted());
    if is_saturated {
        for old in uids(sets.old.iter().filter(|set| size(set) > 0)) {
            sets.resize(&old, 0).await?;
        }
    } else if !sets.is_recreated() {
        scale_in_proportion(sets).await?;
    }
    Ok(())
}

async fn scale_in_proportion(sets: &mut Sets<'_>) -> Result<(), Error> {
    let after = if sets.wanted() > 0 { sets.wanted() + sets.limits().surge } else { 0 };
    let to_add = after - total(sets);
    let mut active: Vec<&ReplicaSet> = sets.all().filter(|set| size(set) > 0).collect();
    // The largest first; among equals, the newest if the Deployment grows and the oldest if it shrinks.
    if to_add > 0 {
        active.reverse();
    }
    active.sort_by_key(|set| -size(set));
    let mut added = 0;
    let mut sizes = Vec::new();
    for set in active {
        let before = annotation(set, MAX).and_then(|text| text.parse().ok()).unwrap_or(0);
        let part = proportion(size(set), before, after, to_add, added);
        added += part;
        sizes.push((uid(set).to_owned(), size(set) + part));
    }
    if let Some((_, largest)) = sizes.first_mut() {
        *largest = (*largest + to_add - added).max(0);
    }
    for (set, wanted) in sizes {
        sets.resize(&set, wanted.max(0)).await?;
    }
    Ok(())
}

fn uids<'s>(sets: impl Iterator<Item = &'s ReplicaSet>) -> Vec<String> {
    sets.map(|set| uid(set).to_owned()).collect()
}
