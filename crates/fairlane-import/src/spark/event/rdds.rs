//! The RDDs of a stage, of which little is kept: their list is the longest part of a job's start.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

/// What matters of a stage's RDDs.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Rdds {
    /// The id of the first, which identifies what the stage computes.
    pub(in super::super) first: Option<u64>,
    /// Whether one needs all tasks to run at once.
    pub(in super::super) is_barrier: bool,
}

impl<'de> Deserialize<'de> for Rdds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rdds, D::Error> {
        #[derive(Deserialize)]
        struct Rdd {
            #[serde(rename = "RDD ID")]
            id: u64,
            #[serde(rename = "Barrier", default)]
            is_barrier: bool,
        }
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Rdds;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of RDDs")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rdds, A::Error> {
                let mut rdds = Rdds::default();
                while let Some(Rdd { id, is_barrier }) = list.next_element()? {
                    rdds.first.get_or_insert(id);
                    rdds.is_barrier |= is_barrier;
                }
                Ok(rdds)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Rdds, E> {
                Ok(Rdds::default())
            }
        }
        from.deserialize_any(All)
    }
}
