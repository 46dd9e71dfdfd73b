//! Which files of a folder are a log, and in which order.
//!
//! ```
//! use fairlane_import::spark::files::in_order;
//! let names = ["appstatus_app-1", "events_10_app-1.zstd", "events_2_app-1.zstd", ".events_2_app-1.zstd.crc"];
//! assert_eq!(in_order(&names), [2, 1]);
//! ```

/// A file of a rolling log: its number, and whether it replaces those before it.
fn rolling(name: &str) -> Option<(u64, bool)> {
    let number = name.strip_prefix("events_")?.split('_').next()?;
    Some((number.parse().ok()?, name.ends_with(".compact")))
}

/// A file of a log as Databricks delivers it: `eventlog` holds what came after all `eventlog-DATE.gz`.
fn delivered(name: &str) -> Option<(bool, &str)> {
    let date = name.strip_prefix("eventlog")?;
    (date.is_empty() || date.starts_with('-')).then_some((date.is_empty(), date))
}

/// Whether a file of a folder holds no events: Spark's marks, and checksums.
fn is_mark(name: &str) -> bool {
    name.starts_with('.') || name.starts_with("appstatus_") || name.ends_with(".crc")
}

/// The files of a log among the names of files without their folders, in the order in which they are read: a rolling
/// log's by number from the last compact file on, those of Databricks by date, others as given. Indices in `names`.
pub fn in_order<S: AsRef<str>>(names: &[S]) -> Vec<usize> {
    let name = |index: usize| names[index].as_ref();
    let mut files: Vec<usize> = (0..names.len()).filter(|&index| !is_mark(name(index))).collect();
    if files.iter().all(|&index| delivered(name(index)).is_some()) {
        files.sort_by_key(|&index| delivered(name(index)));
        return files;
    }
    if !files.iter().all(|&index| rolling(name(index)).is_some()) {
        return files;
    }
    let number = |index: usize| rolling(name(index)).unwrap_or_default();
    let compact = files.iter().map(|&index| number(index)).filter(|(_, compact)| *compact).max();
    if let Some(compact) = compact {
        files.retain(|&index| number(index) >= compact);
    }
    files.sort_by_key(|&index| number(index));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_rolling_log_are_read_by_number() {
        let names = ["events_11_a", "events_9_a", "appstatus_a.inprogress", "events_10_a"];
        assert_eq!(in_order(&names), [1, 3, 0]);
        assert_eq!(in_order(&["b.gz", "a.gz"]), [0, 1], "other files stay as given");
    }

    #[test]
    fn the_newest_part_of_databricks_is_read_last() {
        let names = ["eventlog", "eventlog-2024-05-01--10-30.gz", "eventlog-2024-05-01--10-00.gz", ".done"];
        assert_eq!(in_order(&names), [2, 1, 0]);
    }

    #[test]
    fn a_compact_file_replaces_those_before_it() {
        let names = ["events_1_a", "events_2_a", "events_2_a.compact", "events_3_a", "events_1_a.compact"];
        assert_eq!(in_order(&names), [2, 3]);
    }
}
