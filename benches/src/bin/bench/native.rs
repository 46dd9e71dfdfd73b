//! Criterion's figures, as it leaves them in files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Nanoseconds per task (the median), by group and name.
pub struct Figures(BTreeMap<(String, String), f64>);

impl Figures {
    /// Reads the figures of the last run.
    pub fn read(folder: &Path) -> Result<Figures, String> {
        let mut figures = BTreeMap::new();
        for group in entries(folder)? {
            for bench in entries(&group).unwrap_or_default() {
                let new = bench.join("new");
                let (Ok(what), Ok(figure)) =
                    (json(&new.join("benchmark.json")), json(&new.join("estimates.json")))
                else {
                    continue;
                };
                let text = |key: &str| what[key].as_str().map(str::to_owned);
                let tasks = what["throughput"]["Elements"].as_f64();
                let nanoseconds = figure["median"]["point_estimate"].as_f64();
                if let (Some(group), Some(name), Some(tasks), Some(nanoseconds)) =
                    (text("group_id"), text("function_id"), tasks, nanoseconds)
                {
                    figures.insert((group, name), nanoseconds / tasks);
                }
            }
        }
        if figures.is_empty() {
            return Err(format!("{} holds no figures; run without --keep-native", folder.display()));
        }
        Ok(Figures(figures))
    }

    /// Nanoseconds per task; NaN where nothing was measured.
    pub fn get(&self, group: &str, name: &str) -> f64 {
        self.0.get(&(group.to_owned(), name.to_owned())).copied().unwrap_or(f64::NAN)
    }

    /// The sizes measured of a policy in a group, ascending, with nanoseconds per task.
    pub fn sizes(&self, group: &str, policy: &str) -> Vec<(u64, f64)> {
        let of = |((other, name), &figure): (&(String, String), &f64)| {
            let size = name.strip_prefix(policy)?.strip_prefix('/')?.parse().ok()?;
            (other == group).then_some((size, figure))
        };
        let mut sizes: Vec<(u64, f64)> = self.0.iter().filter_map(of).collect();
        sizes.sort_unstable_by_key(|&(size, _)| size);
        sizes
    }
}

fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let list = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(list.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
}

fn json(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
