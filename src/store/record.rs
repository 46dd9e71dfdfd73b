//! Where the reader's version of a scenario is kept under *Mine*.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

/// Which page wrote a record, and how often it had done so. No two writes have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Stamp {
    /// Drawn by each page as it starts.
    pub writer: u64,
    /// Counts its writes of this record.
    pub count: u32,
}

/// A record of *Mine*, as the page knows it that writes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    /// Identifies the record.
    pub id: u64,
    /// What was read or written last; then what the page before this one may have written as it was left.
    pub known: [Option<Stamp>; 2],
    /// What is being written.
    pub writing: Option<Stamp>,
    /// Whether all changes are in the record.
    pub is_kept: bool,
}

impl KeptVersion {
    /// A record that nothing has been written to.
    pub fn new(id: u64) -> KeptVersion {
        KeptVersion { id, known: [None; 2], writing: None, is_kept: false }
    }

    /// A record as it was read.
    pub fn read(id: u64, stamp: Stamp) -> KeptVersion {
        KeptVersion { known: [Some(stamp), None], is_kept: true, ..KeptVersion::new(id) }
    }

    /// The record once its writer begins to write again.
    #[must_use]
    pub fn begun_by(self, writer: u64) -> KeptVersion {
        let last = self.writing.or(self.known[0]);
        let count = last.filter(|stamp| stamp.writer == writer).map_or(0, |stamp| stamp.count + 1);
        let left = self.writing.filter(|stamp| stamp.writer != writer);
        KeptVersion {
            known: [self.known[0], left.or(self.known[1])],
            writing: Some(Stamp { writer, count }),
            ..self
        }
    }

    /// The record once a stamp has been written.
    #[must_use]
    pub fn with_written(self, stamp: Stamp) -> KeptVersion {
        let is_last = self.writing == Some(stamp);
        KeptVersion {
            known: [Some(stamp), None],
            writing: self.writing.filter(|_| !is_last),
            is_kept: is_last,
            ..self
        }
    }

    /// Whether a page may write over what is stored under the id: nothing, what it has read, or what it has written
    /// itself. Anything else is another page's work.
    pub fn may_replace(&self, stored: Option<Stamp>) -> bool {
        let writer = self.writing.map(|stamp| stamp.writer);
        stored.is_none_or(|stored| self.known.contains(&Some(stored)) || Some(stored.writer) == writer)
    }
}

/// The record of a scenario: none before the reader changes it. All versions of a scenario, earlier and later ones, have
/// it in common; a scenario that is opened, by whatever means, comes with a record of its own. So no scenario can be
/// written over another one's.
#[derive(Clone, Debug, Default)]
pub struct Record(Rc<Cell<Option<KeptVersion>>>);

impl Record {
    /// A record that there is already.
    pub fn of(version: KeptVersion) -> Record {
        Record(Rc::new(Cell::new(Some(version))))
    }

    /// The record, if there is one.
    pub fn get(&self) -> Option<KeptVersion> {
        self.0.get()
    }

    /// Where the scenario is kept from now on.
    pub fn set(&self, version: KeptVersion) {
        self.0.set(Some(version));
    }
}

impl fmt::Display for KeptVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {} {}", self.id, if self.is_kept { "kept" } else { "changed" })?;
        for stamp in self.known.into_iter().chain([self.writing]) {
            match stamp {
                Some(Stamp { writer, count }) => write!(f, " {writer}:{count}")?,
                None => f.write_str(" -")?,
            }
        }
        Ok(())
    }
}

/// What is stored is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRecord;

impl FromStr for KeptVersion {
    type Err = NoRecord;

    fn from_str(text: &str) -> Result<KeptVersion, NoRecord> {
        let words: Vec<&str> = text.split(' ').collect();
        let ["record", id, condition @ ("kept" | "changed"), last, left, writing] = words[..] else {
            return Err(NoRecord);
        };
        let stamp = |word: &str| match word.split_once(':') {
            Some((writer, count)) => {
                let writer = writer.parse().map_err(|_| NoRecord)?;
                Ok(Some(Stamp { writer, count: count.parse().map_err(|_| NoRecord)? }))
            }
            None if word == "-" => Ok(None),
            None => Err(NoRecord),
        };
        Ok(KeptVersion {
            id: id.parse().map_err(|_| NoRecord)?,
            known: [stamp(last)?, stamp(left)?],
            writing: stamp(writing)?,
            is_kept: condition == "kept",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_stored() {
        let read = KeptVersion::read(12, Stamp { writer: u64::MAX, count: 3 });
        for version in [KeptVersion::new(7), read, read.begun_by(5), KeptVersion::new(7).begun_by(5)] {
            assert_eq!(version.to_string().parse(), Ok(version), "{version}");
        }
        for damaged in [
            "",
            "record",
            "record x kept - - -",
            "record 1 kept -",
            "record 1 kept 1:x - -",
            "record 1 lost - - -",
        ] {
            assert_eq!(damaged.parse::<KeptVersion>(), Err(NoRecord), "{damaged}");
        }
    }

    /// Two pages have restored the same record: the second one to write sees that the first one has.
    #[test]
    fn a_page_never_replaces_what_another_one_has_written() {
        let restored = KeptVersion::read(1, Stamp { writer: 9, count: 4 });
        let (one, other) = (restored.begun_by(1), restored.begun_by(2));
        let mut stored = restored.known[0];
        assert!(one.may_replace(stored) && other.may_replace(stored));
        stored = one.writing;
        assert!(!other.may_replace(stored), "it would be lost");
        // The first one goes on, also before it knows that its last write was done.
        let next = one.begun_by(1);
        assert!(next.may_replace(stored) && next.writing != one.writing);
        let done = one.with_written(one.writing.expect("it has begun"));
        assert!(done.is_kept && done.begun_by(1).may_replace(stored));
        assert!(!next.with_written(one.writing.expect("it has begun")).is_kept, "there is a later change");
    }

    /// A page that was left while it wrote may find its last write done or not, and nothing later.
    #[test]
    fn a_restored_page_goes_on_where_it_was_left() {
        let left = KeptVersion::read(1, Stamp { writer: 9, count: 4 }).begun_by(1);
        let again: KeptVersion = left.to_string().parse().expect("a record");
        let again = again.begun_by(2);
        for stored in [None, left.known[0], left.writing, Some(Stamp { writer: 2, count: 0 })] {
            assert!(again.may_replace(stored), "{stored:?}");
        }
        assert!(!again.may_replace(Some(Stamp { writer: 1, count: 7 })), "another tab went on");
    }
}
