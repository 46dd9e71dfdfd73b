//! Reads Fairlane's JSON documents: format tag, objects that are objects, lists within limits, and
//! errors with their JSON path in our words.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::error::ensure;
use super::{Limits, ScenarioError};

/// Checks that a text is no longer than the limit.
pub(crate) fn check_length(text: &str, limits: &Limits) -> Result<(), ScenarioError> {
    ensure!(
        text.len() <= limits.bytes,
        "",
        "the file is {} MB long; the limit is {} MB; split it or use a sample of it",
        text.len().div_ceil(1 << 20),
        limits.bytes >> 20
    );
    Ok(())
}

/// Reads JSON.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ScenarioError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| from_serde(&error))
}

/// A kind of document.
pub(crate) struct DocumentKind {
    /// With its article, such as `a scenario`.
    pub(crate) noun: &'static str,
    /// The format tag.
    pub(crate) format: &'static str,
}

impl DocumentKind {
    /// Reads a document of this kind.
    pub(crate) fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T, ScenarioError> {
        self.check_format(text)?;
        let Object(document) = parse(text)?;
        Ok(document)
    }

    /// Checks that the text is one JSON object with our format tag, so that a foreign or damaged file is
    /// reported as such and not by its first unknown key.
    fn check_format(&self, text: &str) -> Result<(), ScenarioError> {
        #[derive(Deserialize)]
        struct DocumentTag {
            format: Option<serde_json::Value>,
        }
        let DocumentKind { noun, format: tag } = self;
        let Object(read): Object<DocumentTag> = serde_json::from_str(text).map_err(|error| {
            let message = our_message(&error.to_string());
            let sentence = match error.classify() {
                serde_json::error::Category::Data => {
                    format!("this is not {noun}, which is one JSON object ({message}); choose another file")
                }
                serde_json::error::Category::Eof if text.trim().is_empty() => {
                    format!("the file is empty; {noun} is one JSON object")
                }
                _ if message.contains("recursion limit") => {
                    format!(
                        "lists or objects are nested more than 128 deep, as no part of {noun} is; choose \
                        another file"
                    )
                }
                _ if !text.contains('{') => {
                    format!(
                        "this is not the text of {noun}, which is one JSON object; if it is the name of a file, \
                        read the file first"
                    )
                }
                _ => format!("this is not JSON: {message}; correct the text at this place"),
            };
            ScenarioError {
                path: String::new(),
                message: sentence,
                position: Some((error.line(), error.column())),
            }
        })?;
        match read.format {
            Some(serde_json::Value::String(format)) if format == self.format => Ok(()),
            Some(other) => Err(ScenarioError::at(
                "format",
                format!("this is {}, but must be \"{tag}\"; choose another file", shortened(&other)),
            )),
            None => {
                Err(ScenarioError::at("format", format!("is missing; {noun} file has \"format\": \"{tag}\"")))
            }
        }
    }
}

/// A JSON object, and nothing else: what serde derives for a struct would also take a list of the
/// values in the order of the keys.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        from.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// A JSON object with keys of any name, each given once.
#[derive(Serialize)]
pub(crate) struct Keyed<T>(pub(crate) BTreeMap<String, T>);

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Keyed(BTreeMap::new())
    }
}

impl<T> Keyed<T> {
    /// Whether it has no key.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(String, T)> for Keyed<T> {
    /// One by one: `BTreeMap::collect` would sort them, and bring a sort into the program.
    fn from_iter<I: IntoIterator<Item = (String, T)>>(items: I) -> Self {
        let mut values = BTreeMap::new();
        values.extend(items);
        Keyed(values)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct KeyedVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for KeyedVisitor<T> {
            type Value = Keyed<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keyed<T>, A::Error> {
                let mut values = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    if values.contains_key(&key) {
                        return Err(serde::de::Error::custom(format!("duplicate field `{key}`")));
                    }
                    values.insert(key, map.next_value()?);
                }
                Ok(Keyed(values))
            }
        }
        from.deserialize_map(KeyedVisitor(PhantomData))
    }
}

/// A key that may be left out but not be `null`: `null` is a wrong type like any other.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A value that is an object and nothing else.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Object::deserialize(from).map(|Object(value)| value)
}

/// A list of such objects.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Object<T>>::deserialize(from)?.into_iter().map(|Object(value)| value).collect())
}

/// Reads a list but gives up at the first item too many, so that an enormous file costs neither
/// its memory nor its time.
pub(crate) fn list_within<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
    most: usize,
    what: &'static str,
) -> Result<Vec<T>, D::Error> {
    struct ListVisitor<T>(usize, &'static str, PhantomData<T>);
    impl<'de, T: DeserializeOwned> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while list.len() < self.0 {
                match items.next_element()? {
                    Some(item) => list.push(item),
                    None => return Ok(list),
                }
            }
            match items.next_element::<IgnoredAny>()? {
                None => Ok(list),
                Some(_) => Err(serde::de::Error::custom(format!(
                    "more than {} {}, the limit of this program; split the file or take a sample of it",
                    self.0, self.1
                ))),
            }
        }
    }
    from.deserialize_seq(ListVisitor(most, what, PhantomData))
}

/// A value as text, cut to what a message can hold.
fn shortened(value: &serde_json::Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A fault of the JSON reader, with its path and in our words.
pub fn from_serde(error: &serde_path_to_error::Error<serde_json::Error>) -> ScenarioError {
    let path = error.path().to_string();
    let inner = error.inner();
    let message = our_message(&inner.to_string())
        .replace("trailing characters", "has more values than there should be");
    ScenarioError {
        path: if path == "." { String::new() } else { path },
        message: match remedy(&message) {
            Some(remedy) => format!("{message}; {remedy}"),
            None => message,
        },
        position: Some((inner.line(), inner.column())),
    }
}

/// What to do about a fault that the JSON reader has found.
fn remedy(message: &str) -> Option<&'static str> {
    let remedies = [
        ("unknown key", "correct its name or remove it"),
        ("missing key", "add it"),
        ("unknown value", "choose from these"),
        ("this key is given twice", "remove one of the two"),
        ("number out of range", "use a smaller number"),
        ("has more values", "remove the others"),
        ("invalid", "correct this value"),
    ];
    remedies.into_iter().find(|(fault, _)| message.starts_with(fault)).map(|(_, remedy)| remedy)
}

/// A message of the JSON reader in the words of people who write scenarios.
fn our_message(message: &str) -> String {
    let mut text = message.split(" at line ").next().unwrap_or(message).to_owned();
    for (theirs, ours) in [
        ("unknown field", "unknown key"),
        ("missing field", "missing key"),
        ("unknown variant", "unknown value"),
        ("duplicate field", "this key is given twice:"),
        ("expected f64", "expected a number"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected u64", "expected a whole number, 0 or more"),
        ("a tuple of size 2", "a list of two numbers"),
        ("an array of length 4", "a list of four numbers"),
        ("a sequence", "a list"),
        ("sequence", "list"),
        ("map, expected", "object, expected"),
    ] {
        text = text.replace(theirs, ours);
    }
    text
}
