//! The values of an event as Spark writes them: objects, instants, amounts and texts that may be missing.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};

/// What is read from an object alone. Without it a list of a structure's fields in their order would do as well.
pub(super) struct StrictObject<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<StrictObject<T>, D::Error> {
        object(from).map(StrictObject)
    }
}

/// Reads from an object alone, as [`StrictObject`].
pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    struct ObjectFields<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectFields<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    from.deserialize_map(ObjectFields(PhantomData))
}

/// The last millisecond of the year 9999.
const MAX_MILLIS: u64 = 253_402_300_799_999;

/// Milliseconds since 1970 up to the year 9999; `None` for 0 and below, which Spark writes for "not yet".
pub(super) fn millis<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<i64>::deserialize(from)? {
        Some(at) if at > MAX_MILLIS as i64 => {
            Err(de::Error::custom("an instant after the year 9999; Spark writes milliseconds"))
        }
        at => Ok(at.and_then(|at| u64::try_from(at).ok()).filter(|&at| at > 0)),
    }
}

/// A count of milliseconds or bytes; 0 for what is missing or negative.
pub(super) fn amount<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(Option::<i64>::deserialize(from)?.and_then(|amount| u64::try_from(amount).ok()).unwrap_or(0))
}

/// A text; empty for null.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}
