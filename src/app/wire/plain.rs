//! Figures as bytes, item by item: for what is small, or of many kinds.

use super::Undecodable;
use crate::ids::JobId;
use crate::metrics::{
    Blocking, Deviation, Fairness, Group, Inversion, Reference, Straggler, Summary, Unfairness,
};
use crate::units::{SlotTime, Span, Time};

/// What can be written as bytes and read back.
pub(super) trait Plain: Sized {
    /// Writes it behind what is there.
    fn put(&self, to: &mut Vec<u8>);
    /// Reads it, and leaves the bytes behind it.
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable>;
}

/// Reads what is all there is.
pub(super) fn read<T: Plain>(mut bytes: &[u8]) -> Result<T, Undecodable> {
    let value = T::take(&mut bytes)?;
    if bytes.is_empty() { Ok(value) } else { Err(Undecodable::Damaged) }
}

macro_rules! numbers {
    ($($number:ty),*) => { $(
        impl Plain for $number {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
                let (bytes, rest) = from.split_first_chunk().ok_or(Undecodable::Damaged)?;
                *from = rest;
                Ok(Self::from_le_bytes(*bytes))
            }
        }
    )* };
}
numbers!(u8, u32, u64, f64);

/// A type that is a single field, and structs field by field: none can be forgotten.
macro_rules! fields {
    ($($name:ident { $($field:tt),* })*) => { $(
        impl Plain for $name {
            fn put(&self, to: &mut Vec<u8>) {
                $( self.$field.put(to); )*
            }
            fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
                Ok($name { $( $field: Plain::take(from)? ),* })
            }
        }
    )* };
}
fields! {
    JobId { 0 }
    Time { 0 }
    Span { 0 }
    SlotTime { 0 }
    Unfairness { job, delay }
    Deviation { dvr, violations, dsr, slacks, unrated }
    Reference { finishes, responses }
    Fairness { reference, delays, overall, by_user, by_group, user_delays, among_users }
    Blocking { inversion, straggler_idle, straggler_idle_by_job }
    Inversion { from, to, holders }
    Straggler { job, stage, run, from, to, lag, idle }
    Summary {
        mean_response, worst_decile, mean_slowdown, worst_decile_slowdown, by_user, slowdown_by_user, groups,
        by_group, slowdown_by_group, makespan, utilization, jain, fluid, unfairness, allowance, ujf, blocking
    }
}

impl Plain for usize {
    fn put(&self, to: &mut Vec<u8>) {
        (*self as u64).put(to);
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        usize::try_from(u64::take(from)?).map_err(|_| Undecodable::Damaged)
    }
}

impl Plain for Group {
    fn put(&self, to: &mut Vec<u8>) {
        (self.index() as u8).put(to);
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        Group::ALL.get(usize::from(u8::take(from)?)).copied().ok_or(Undecodable::Damaged)
    }
}

impl Plain for String {
    fn put(&self, to: &mut Vec<u8>) {
        self.len().put(to);
        to.extend_from_slice(self.as_bytes());
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        String::from_utf8(Vec::take(from)?).map_err(|_| Undecodable::Damaged)
    }
}

impl<T: Plain> Plain for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        u8::from(self.is_some()).put(to);
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        match u8::take(from)? {
            0 => Ok(None),
            1 => T::take(from).map(Some),
            _ => Err(Undecodable::Damaged),
        }
    }
}

impl<T: Plain> Plain for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.len().put(to);
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        let count = usize::take(from)?;
        // Every item takes a byte at least: a damaged count cannot ask for more memory than that.
        if count > from.len() {
            return Err(Undecodable::Damaged);
        }
        (0..count).map(|_| T::take(from)).collect()
    }
}

impl<T: Plain> Plain for [T; 3] {
    fn put(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        Ok([T::take(from)?, T::take(from)?, T::take(from)?])
    }
}

impl<A: Plain, B: Plain, C: Plain, D: Plain, E: Plain> Plain for (A, B, C, D, E) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
        self.2.put(to);
        self.3.put(to);
        self.4.put(to);
    }
    fn take(from: &mut &[u8]) -> Result<Self, Undecodable> {
        Ok((A::take(from)?, B::take(from)?, C::take(from)?, D::take(from)?, E::take(from)?))
    }
}

/// Whether a summary is about so many jobs and users, so that figures can be looked up by their numbers.
pub(super) fn fits(summary: &Summary, jobs: usize, users: usize) -> bool {
    let fair = |fairness: &Fairness| {
        let Fairness { reference, delays, by_user, user_delays, .. } = fairness;
        [reference.finishes.len(), reference.responses.len(), delays.len()] == [jobs; 3]
            && [by_user.len(), user_delays.len()] == [users; 2]
    };
    let blocking = |blocking: &Blocking| {
        blocking.straggler_idle_by_job.len() == jobs
            && blocking.inversion.as_ref().is_none_or(|list| list.len() == jobs)
    };
    [summary.by_user.len(), summary.slowdown_by_user.len()] == [users; 2]
        && summary.groups.len() == jobs
        && summary.unfairness.as_ref().is_none_or(|furthest| furthest.job.index() < jobs)
        && fair(&summary.fluid)
        && summary.ujf.as_ref().is_none_or(fair)
        && summary.blocking.as_ref().is_none_or(blocking)
}
