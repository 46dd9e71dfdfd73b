//! How many tasks an executor runs at once: by its cores, and by its GPUs and the like.

use std::collections::BTreeMap;

use super::log::Log;
use super::record::{LogExecutor, Profile};

/// What a log says of all executors.
pub(super) struct Slots<'a> {
    log: &'a Log,
    /// What a task of the default profile needs, and what its executors have, as the settings say.
    default: Profile,
    /// Threads of local mode.
    threads: Option<u32>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(log: &'a Log) -> Slots<'a> {
        let master = log.setting("spark.master").unwrap_or_default();
        let threads = master.strip_prefix("local").map(|rest| {
            rest.strip_prefix('[').map_or(Some(1), |rest| rest.split([',', ']']).next()?.trim().parse().ok())
        });
        let requests = |of: &str, setting: &str, cores: &str| -> BTreeMap<String, f64> {
            let amount = |(name, value): (&String, &String)| {
                let resource = name.strip_prefix(of)?.strip_prefix(".resource.")?.strip_suffix(".amount")?;
                Some((resource.to_owned(), value.trim().parse().ok()?))
            };
            let number = log.setting(setting).and_then(|text| text.trim().parse().ok());
            let number = number.map(|number| (cores.to_owned(), number));
            log.settings.iter().flatten().filter_map(amount).chain(number).collect()
        };
        let default = Profile {
            of_executor: requests("spark.executor", "spark.executor.cores", "cores"),
            of_task: requests("spark.task", "spark.task.cpus", "cpus"),
        };
        Slots { log, default, threads: threads.flatten() }
    }

    /// How many tasks of its resource profile an executor runs at once; `None` if the log does not say its cores.
    pub(super) fn of(&self, executor: &LogExecutor) -> Option<u32> {
        let profile = self.log.profiles.get(&executor.profile);
        // The settings are what the default profile is made of.
        let is_default = executor.profile == 0 && !self.default.of_task.is_empty();
        let profile = profile.filter(|_| !is_default).unwrap_or(&self.default);
        let needs = |resource: &str| profile.of_task.get(resource).copied().filter(|&amount| amount > 0.0);
        let configured = || profile.of_executor.get("cores").or(self.default.of_executor.get("cores"));
        let cores = executor.cores.or_else(|| {
            if executor.is_driver { self.threads } else { configured().map(|&cores| cores as u32) }
        })?;
        let by_cores = at_once(f64::from(cores), needs("cpus").unwrap_or(1.0));
        if by_cores == 0 {
            return None;
        }
        let others = profile.of_task.keys().filter(|name| !matches!(name.as_str(), "cpus" | "memory"));
        let by_others = others.filter_map(|name| {
            let has = executor.resources.get(name.as_str()).map(|&count| f64::from(count));
            let has = has.or_else(|| profile.of_executor.get(name).copied()).filter(|&has| has > 0.0)?;
            Some(at_once(has, needs(name)?).max(1))
        });
        Some(by_others.fold(by_cores, u32::min))
    }
}

/// How many tasks share what there is of a resource if each needs an amount: parts of one are all of the same one, as
/// Spark's `ResourceProfile` has it.
fn at_once(has: f64, needs: f64) -> u32 {
    // Amounts are decimals: ten tenths are one.
    const ROUNDING: f64 = 1e-9;
    let tasks = if needs < 1.0 { has * (1.0 / needs + ROUNDING).floor() } else { has / needs + ROUNDING };
    tasks as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_gpu_are_of_the_same_one() {
        let tasks = [(1.0, 1.0), (4.0, 2.0), (2.0, 0.25), (1.0, 0.1), (2.0, 0.6), (1.0, 2.0)];
        assert_eq!(tasks.map(|(has, needs)| at_once(has, needs)), [1, 2, 8, 10, 2, 0]);
    }
}
