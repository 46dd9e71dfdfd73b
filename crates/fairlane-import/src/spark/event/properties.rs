//! The local properties of a job, of which those that users set are kept.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::spark::record::property;

/// Most local properties of a job, and most characters of one that is not Spark's.
const MAX_PROPERTIES: usize = 100;
const LONGEST_PROPERTY: usize = 200;

/// The local properties of the thread that submitted a job, as far as an import may need them. A job of SQL has the
/// whole configuration of Spark besides.
#[derive(Default)]
pub(in super::super) struct JobProperties(pub(in super::super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for JobProperties {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<JobProperties, D::Error> {
        struct Kept;
        impl<'de> Visitor<'de> for Kept {
            type Value = JobProperties;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JobProperties, A::Error> {
                let mut kept = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if !property::is_kept(&name) || kept.len() >= MAX_PROPERTIES {
                        map.next_value::<IgnoredAny>()?;
                    } else if let Some(value) = map.next_value::<Option<String>>()?
                        && (!property::is_other(&name) || name.len().max(value.len()) <= LONGEST_PROPERTY)
                    {
                        kept.push((name, value));
                    }
                }
                Ok(JobProperties(kept))
            }

            fn visit_unit<E: de::Error>(self) -> Result<JobProperties, E> {
                Ok(JobProperties::default())
            }
        }
        from.deserialize_any(Kept)
    }
}
