//! Who is first of many whose keys change with time.

use crate::units::{Span, Time};

/// After every instant.
pub const NEVER: Time = Time(u64::MAX);

/// No contestant.
const NOBODY: u32 = u32::MAX;

/// Compares two contestants: who is first now, and until when that holds if neither changes but by time.
pub trait Judge {
    /// The first of the two, and the earliest instant at which it may no longer be the first; later than now.
    fn first(&mut self, one: u32, other: u32) -> (u32, Time);
}

/// A tournament tree in which each pairing is judged again only when a contestant below it has changed or when its result
/// may no longer hold.
///
/// Contestants are in slots. A change looks at log2(slots) pairings. As time passes, only those pairings are judged again in which one may
/// have overtaken the other.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The top is pairing 1; those below pairing `i` are `2 i` and `2 i + 1`. The slots are at the end.
    pairings: Vec<Pairing>,
    slots: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pairing {
    first: u32,
    /// Until when all results at and below it hold.
    until: Time,
}

impl Contest {
    const EMPTY: Pairing = Pairing { first: NOBODY, until: NEVER };

    /// Nobody takes part.
    pub fn new(slots: usize) -> Contest {
        let slots = slots.next_power_of_two();
        Contest { pairings: vec![Contest::EMPTY; 2 * slots], slots }
    }

    /// The contestant in a slot has changed, or there is another one or none.
    pub fn update(&mut self, slot: u32, contestant: Option<u32>, judge: &mut impl Judge) {
        let mut at = self.slots + slot as usize;
        let contestant = contestant.unwrap_or(NOBODY);
        self.pairings[at].first = contestant;
        while at > 1 {
            at /= 2;
            let before = self.pairings[at];
            let now = self.judge(at, judge);
            if now == before && now.first != contestant {
                return;
            }
            self.pairings[at] = now;
        }
    }

    /// The first of those in the slots before an end. O(log slots) besides what may no longer hold.
    pub fn first(&mut self, end: u32, now: Time, judge: &mut impl Judge) -> Option<u32> {
        let (mut at, mut width, mut end) = (1, self.slots, (end as usize).min(self.slots));
        let mut first = Contest::EMPTY;
        // What is whole is taken from the top down, from left to right.
        while end > 0 {
            if end == width {
                self.settle(at, now, judge);
                first = pair(first, self.pairings[at], judge);
                break;
            }
            (at, width) = (2 * at, width / 2);
            if end >= width {
                self.settle(at, now, judge);
                first = pair(first, self.pairings[at], judge);
                (at, end) = (at + 1, end - width);
            }
        }
        Some(first.first).filter(|&first| first != NOBODY)
    }

    /// Judges again what may no longer hold.
    fn settle(&mut self, at: usize, now: Time, judge: &mut impl Judge) {
        if self.pairings[at].until > now {
            return;
        }
        self.settle(2 * at, now, judge);
        self.settle(2 * at + 1, now, judge);
        self.pairings[at] = self.judge(at, judge);
    }

    fn judge(&self, at: usize, judge: &mut impl Judge) -> Pairing {
        pair(self.pairings[2 * at], self.pairings[2 * at + 1], judge)
    }
}

fn pair(one: Pairing, other: Pairing, judge: &mut impl Judge) -> Pairing {
    let (first, until) = match (one.first, other.first) {
        (first, NOBODY) | (NOBODY, first) => (first, NEVER),
        (one, other) => judge.first(one, other),
    };
    Pairing { first, until: until.min(one.until).min(other.until) }
}

/// A number that changes with time, as certain as `f64` has it.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    /// The number now.
    pub now: f64,
    /// The least and the greatest rate at which it may change, per µs.
    pub rates: (f64, f64),
    /// A bound on the numbers it is computed from.
    pub magnitude: f64,
}

/// For how long the lesser of two numbers is surely less than the other, computed again at any instant with the rounding
/// of `f64`; at least a microsecond.
pub fn holds_for(lesser: Moving, greater: Moving) -> Span {
    let growth = [lesser.rates.0, lesser.rates.1, greater.rates.0, greater.rates.1].map(f64::abs);
    let growth = growth.into_iter().fold(0.0, f64::max);
    if growth == 0.0 {
        return Span(u64::MAX);
    }
    // Until the numbers may have doubled, each is wrong by a few units in the last place of that.
    let magnitude = lesser.magnitude.max(greater.magnitude);
    let doubled = magnitude / growth;
    let rounding = 32.0 * f64::EPSILON * magnitude;
    let gap = greater.now - lesser.now - rounding;
    let closing = lesser.rates.1 - greater.rates.0;
    let crossing = if closing > 0.0 { gap / closing } else { f64::INFINITY };
    let span = if gap > 0.0 { doubled.min(crossing * (1.0 - 1e-9)) } else { 0.0 };
    Span(span.max(1.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines through time; the least is first, then the contestant.
    struct Lines {
        lines: Vec<(f64, f64)>,
        now: Time,
        judged: usize,
    }

    impl Lines {
        fn at(&self, line: u32) -> f64 {
            let (start, rate) = self.lines[line as usize];
            start + rate * self.now.0 as f64
        }
    }

    impl Judge for Lines {
        fn first(&mut self, one: u32, other: u32) -> (u32, Time) {
            self.judged += 1;
            let order = (self.at(one).total_cmp(&self.at(other))).then(one.cmp(&other));
            let (first, second) = if order.is_lt() { (one, other) } else { (other, one) };
            let moving = |line: u32| {
                let (start, rate) = self.lines[line as usize];
                Moving {
                    now: self.at(line),
                    rates: (rate, rate),
                    magnitude: start.abs() + rate * self.now.0 as f64,
                }
            };
            (first, Time(self.now.0.saturating_add(holds_for(moving(first), moving(second)).0)))
        }
    }

    #[test]
    fn the_first_is_that_of_a_search_at_every_instant() {
        let count = 37;
        let mut lines = Lines { lines: vec![(0.0, 0.0); count], now: Time(0), judged: 0 };
        let (mut contest, mut takes_part) = (Contest::new(count), vec![false; count]);
        let mut state = 3_u32;
        let steps = 20_000;
        for step in 0..steps {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            lines.now = Time(step * 7);
            let contestant = (state >> 8) % count as u32;
            let rate = f64::from(state >> 24) / 64.0;
            let start = f64::from(state >> 12 & 0xff) * 3.0 - rate * lines.now.0 as f64 + 100_000.0;
            lines.lines[contestant as usize] = (start, rate);
            takes_part[contestant as usize] = state >> 20 & 3 != 0;
            let part = takes_part[contestant as usize].then_some(contestant);
            contest.update(contestant, part, &mut lines);
            let least_before = |end: u32, lines: &Lines| {
                let all = (0..end).filter(|&line| takes_part[line as usize]);
                all.min_by(|&one, &other| lines.at(one).total_cmp(&lines.at(other)))
            };
            let least = least_before(count as u32, &lines);
            assert_eq!(contest.first(count as u32, lines.now, &mut lines), least);
            if step % 8 == 0 {
                let end = (state >> 3) % (count as u32 + 1);
                assert_eq!(contest.first(end, lines.now, &mut lines), least_before(end, &lines));
            }
        }
        // Six pairings for each change, and few besides.
        assert!(lines.judged < 12 * steps as usize, "{} judged", lines.judged);
    }

    #[test]
    fn what_does_not_move_holds_for_ever() {
        let constant = |now| Moving { now, rates: (0.0, 0.0), magnitude: now };
        assert_eq!(holds_for(constant(2.0), constant(2.0)), Span(u64::MAX));
        let moving = Moving { rates: (1.0, 1.0), ..constant(2.0) };
        assert_eq!(holds_for(moving, constant(2.0)), Span(1));
        assert_eq!(holds_for(moving, constant(102.0)), Span(99), "until just before they meet");
        let slow = Moving { rates: (0.0, 0.0), ..moving };
        assert_eq!(
            holds_for(slow, Moving { rates: (0.5, 0.5), ..constant(102.0) }),
            Span(204),
            "until it may have doubled"
        );
    }
}
