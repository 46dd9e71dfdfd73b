//! What Spark does unless it is told otherwise, where that has changed between its versions.

use super::log::Log;

/// A version of Spark: major, minor, patch. What vendors append, as in `3.4.1-amzn-0`, is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

impl Version {
    fn read(text: &str) -> Option<Version> {
        let mut parts = text.trim().splitn(3, '.').map(|part| {
            let digits = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse::<u32>().ok()
        });
        let (major, minor) = (parts.next()??, parts.next()??);
        Some(Version(major, minor, parts.next().flatten().unwrap_or(0)))
    }
}

/// A default that has changed.
struct ChangedDefault {
    /// The setting, or what is no setting but read like one.
    setting: &'static str,
    before: &'static str,
    /// The first version with the other default.
    since: Version,
    after: &'static str,
    /// The setting and its value without which the default means nothing.
    matters_with: (&'static str, &'static str),
}

/// The mode of the pool `default` under FAIR if no file declares pools.
const DEFAULT_POOL_MODE: &str = "the mode inside the pool default without a pools file";
pub(super) const SPECULATION_MULTIPLIER: &str = "spark.speculation.multiplier";
pub(super) const SPECULATION_QUANTILE: &str = "spark.speculation.quantile";
pub(super) const SHUFFLE_TRACKING: &str = "spark.dynamicAllocation.shuffleTracking.enabled";

/// Defaults that matter for who runs when, and that changed between Spark 2.4 and 4.
const CHANGED: [ChangedDefault; 6] = [
    // SPARK-42157, in the release notes of 3.3.2 and of no other branch before 3.4. A recording of 3.3.1 shows FIFO.
    ChangedDefault {
        setting: DEFAULT_POOL_MODE,
        before: "FIFO",
        since: Version(3, 3, 2),
        after: "FAIR",
        matters_with: ("spark.scheduler.mode", "FAIR"),
    },
    // Migration guide of Spark Core, from 3.3 to 3.4.
    ChangedDefault {
        setting: SHUFFLE_TRACKING,
        before: "false",
        since: Version(3, 4, 0),
        after: "true",
        matters_with: ("spark.dynamicAllocation.enabled", "true"),
    },
    // SPARK-47720, both.
    ChangedDefault {
        setting: SPECULATION_MULTIPLIER,
        before: "1.5",
        since: Version(4, 0, 0),
        after: "3",
        matters_with: ("spark.speculation", "true"),
    },
    ChangedDefault {
        setting: SPECULATION_QUANTILE,
        before: "0.75",
        since: Version(4, 0, 0),
        after: "0.9",
        matters_with: ("spark.speculation", "true"),
    },
    // SPARK-32170.
    ChangedDefault {
        setting: "spark.speculation.efficiency.enabled",
        before: "false",
        since: Version(3, 4, 0),
        after: "true",
        matters_with: ("spark.speculation", "true"),
    },
    // SPARK-18886.
    ChangedDefault {
        setting: "spark.locality.wait.legacyResetOnTaskLaunch",
        before: "true",
        since: Version(3, 1, 0),
        after: "false",
        matters_with: ("spark.locality.wait", ""),
    },
];

impl Log {
    /// The value of a setting that a log ran with: its own, or else the default of its version; of a log that does not
    /// say its version the newest.
    pub(super) fn in_force(&self, setting: &str) -> Option<&str> {
        let version = Version::read(&self.application.version);
        let default = || {
            let changed = CHANGED.iter().find(|changed| changed.setting == setting)?;
            let is_old = version.is_some_and(|version| version < changed.since);
            Some(if is_old { changed.before } else { changed.after })
        };
        self.setting(setting).or_else(default)
    }

    /// What the log ran with that later versions of Spark do otherwise.
    pub(super) fn old_defaults(&self) -> Vec<String> {
        let Some(version) = Version::read(&self.application.version) else { return Vec::new() };
        let matters = |changed: &&ChangedDefault| {
            let (setting, value) = changed.matters_with;
            let has =
                self.setting(setting).is_some_and(|has| value.is_empty() || has.eq_ignore_ascii_case(value));
            has && version < changed.since && self.setting(changed.setting).is_none()
        };
        let sentence = |ChangedDefault {
                            setting,
                            before,
                            since: Version(major, minor, patch),
                            after,
                            ..
                        }: &ChangedDefault| {
            format!("{setting} is {before} in this version, and {after} since Spark {major}.{minor}.{patch}")
        };
        CHANGED.iter().filter(matters).map(sentence).collect()
    }

    /// Whether the pool `default` is FAIR inside if no file declares it or any other.
    pub(super) fn is_default_pool_fair(&self) -> bool {
        self.in_force(DEFAULT_POOL_MODE) == Some("FAIR")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_vendors_are_read() {
        for (text, version) in [
            ("3.3.1", Some(Version(3, 3, 1))),
            ("3.4.1-amzn-0", Some(Version(3, 4, 1))),
            ("3.3.0.cloudera1", Some(Version(3, 3, 0))),
            ("2.4", Some(Version(2, 4, 0))),
            ("4.0.0-preview1", Some(Version(4, 0, 0))),
            ("", None),
            ("next", None),
        ] {
            assert_eq!(Version::read(text), version, "{text}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_version() {
        let mode = |version: &str| {
            let mut log = Log::default();
            log.application.version = version.to_owned();
            log.is_default_pool_fair()
        };
        assert_eq!(["2.4.8", "3.3.1", "3.3.2", "3.5.5", ""].map(mode), [false, false, true, true, true]);
        let mut log = Log::default();
        log.application.version = "3.3.1".to_owned();
        log.settings = Some([("spark.speculation".to_owned(), "true".to_owned())].into());
        assert_eq!(log.old_defaults().len(), 3);
        assert_eq!(log.in_force("spark.speculation.multiplier"), Some("1.5"));
    }
}
