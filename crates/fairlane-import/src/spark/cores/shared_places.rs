//! Which places of the cluster executors that come and go hold one after the other, and which are empty meanwhile.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::presence::{ExecutorPresence, Period};
use fairlane::scenario::Exclusion;
use fairlane::units::{Span, Time};

/// A place of the cluster that no executor holds while higher ones are held. Instants are milliseconds since 1970.
pub(in super::super) struct PlaceAbsence {
    pub(super) place: u32,
    from: u64,
    /// `None` to the end.
    pub(super) until: Option<u64>,
}

impl PlaceAbsence {
    /// It takes no tasks meanwhile. `time` is an instant of the log as one of the scenario.
    pub(in super::super) fn exclusion(&self, time: impl Fn(u64) -> Time) -> Exclusion {
        let from = time(self.from);
        let lasts = self.until.map(|until| time(until).since(from));
        Exclusion { executor: self.place, from: Span(from.0), lasts }
    }
}

/// The places of the cluster.
pub(super) struct SharedPlaces {
    /// Those of each executor.
    pub(super) places: Vec<Vec<u32>>,
    /// The group of each place.
    pub(super) groups: Vec<u32>,
}

/// As few places as were held at once by executors of each group, those of the group that comes first before others: each
/// executor has the lowest that are free when it comes.
pub(super) fn share_places(
    present: &[ExecutorPresence],
    size: u32,
    group: impl Fn(&ExecutorPresence) -> u32,
) -> SharedPlaces {
    let mut shared = SharedPlaces { places: vec![Vec::new(); present.len()], groups: Vec::new() };
    let mut seen = BTreeSet::new();
    for of in present.iter().map(&group).filter(|&of| seen.insert(of)) {
        let (mut free, mut count) = (BTreeSet::new(), shared.groups.len() as u32);
        let mut leaving: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for (index, presence) in present.iter().enumerate().filter(|(_, presence)| group(presence) == of) {
            while let Some(&Reverse((_, gone))) = leaving.peek().filter(|next| next.0.0 <= presence.from) {
                leaving.pop();
                free.extend(&shared.places[gone]);
            }
            let mut next = || {
                free.pop_first().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                })
            };
            shared.places[index] = (0..presence.cores / size).map(|_| next()).collect();
            leaving.push(Reverse((presence.until, index)));
        }
        shared.groups.resize(count as usize, of);
    }
    shared
}

/// How many of the lowest places hold all executors that take tasks, from instants on, and which of these are empty
/// meanwhile. The executors of a group that go last stay, so that what runs later in another schedule may use them.
pub(super) fn wanted_places(
    present: &[ExecutorPresence],
    places: &[Vec<u32>],
    groups: &[u32],
    period: Period,
) -> (Vec<(u64, u32)>, Vec<PlaceAbsence>) {
    let of_group = |places: &[u32]| places.first().map_or(0, |&place| groups[place as usize]);
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    for (presence, places) in present.iter().zip(places) {
        let last = last.entry(of_group(places)).or_default();
        *last = presence.takes_tasks_until.max(*last);
    }
    // At one instant places are left before others are taken.
    let mut changes: BTreeMap<u64, BTreeSet<(bool, u32)>> = BTreeMap::from([(period.start, BTreeSet::new())]);
    for (presence, places) in present.iter().zip(places) {
        let (from, until) = (presence.from.max(period.start), presence.takes_tasks_until);
        let stays = until >= period.end || until == last[&of_group(places)];
        if !stays && until <= from {
            continue;
        }
        for &place in places {
            changes.entry(from).or_default().insert((true, place));
            if !stays {
                changes.entry(until).or_default().insert((false, place));
            }
        }
    }
    let mut is_held = vec![false; groups.len()];
    let mut empty_since: Vec<Option<u64>> = vec![None; groups.len()];
    let (mut executors_at, mut before) = (Vec::new(), groups.len());
    let mut absences = Vec::new();
    for (at, changes) in changes.into_iter().filter(|&(at, _)| at < period.end) {
        changes.into_iter().for_each(|(comes, place)| is_held[place as usize] = comes);
        let wanted = is_held.iter().rposition(|&held| held).map_or(0, |last| last + 1);
        if wanted != before {
            executors_at.push((at, wanted as u32));
            before = wanted;
        }
        for (place, since) in (0..).zip(&mut empty_since) {
            let is_empty = (place as usize) < wanted && !is_held[place as usize];
            match *since {
                None if is_empty => *since = Some(at),
                Some(from) if !is_empty => {
                    absences.push(PlaceAbsence { place, from, until: Some(at) });
                    *since = None;
                }
                _ => {}
            }
        }
    }
    let open = (0..).zip(empty_since).filter_map(|(place, since)| Some((place, since?)));
    absences.extend(open.map(|(place, from)| PlaceAbsence { place, from, until: None }));
    (executors_at, absences)
}
