//! Batches of TPC-H queries as in Decima's evaluation (SIGCOMM '19, 7.2).
//!
//! The lengths of tasks and the graphs of stages in `tpch.txt` were measured on Spark 3.5.5 with one gigabyte of data
//! (a query's name, then a line per stage: its parents, a colon, milliseconds by task). Decima's own are not published
//! with the paper. Its environment is: 50 executors of one core each, six sizes of input, 2.5 s to move an executor to
//! another job, slower first waves and slower tasks in wide stages.

use std::fmt::Write;

use crate::scenario::generate::Draws;

const PROFILES: &str = include_str!("tpch.txt");

const QUERIES_IN_A_BATCH: u32 = 20;
/// Sizes of the input, in gigabytes.
const SIZES: [u32; 6] = [2, 5, 10, 20, 50, 100];
/// How many times longer tasks with 10 GB are than measured, so that a query takes about as long as in the paper.
const STRETCH: f64 = 15.0;

/// 20 queries at once: each is drawn from the 22 and gets one of six sizes. The size sets the number of tasks in
/// proportion and lengthens each a little; their lengths are drawn from those measured.
pub(super) fn batch(seed: u64) -> String {
    let queries: Vec<Vec<&str>> = PROFILES.split("\n\n").map(|query| query.lines().collect()).collect();
    let mut jobs = String::new();
    for index in 0..QUERIES_IN_A_BATCH {
        let mut draws = Draws::of_job(seed, &format!("query {index}"));
        let query = &queries[draws.below(queries.len())];
        let gigabytes = SIZES[draws.below(SIZES.len())];
        let (name, stages) = query.split_first().map_or(("", &[][..]), |(name, stages)| (*name, stages));
        let stages: Vec<String> =
            stages.iter().map(|profile| stage(profile, gigabytes, &mut draws)).collect();
        let comma = if index == 0 { "" } else { ",\n" };
        write!(
            jobs,
            r#"{comma}{{ "user": "{name}", "name": "{name} {gigabytes} GB", "arrival_s": 0, "stages": [{}] }}"#,
            stages.join(", ")
        )
        .expect("text takes every job");
    }
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "Decima: 20 TPC-H queries at once",
"cluster": {{ "executors": 50, "cores_per_executor": 1, "core_move_s": 2.5 }},
"jobs": [{jobs}] }}"#
    )
}

/// A stage of a query with an input of that size, from its line in the file.
fn stage(profile: &str, gigabytes: u32, draws: &mut Draws) -> String {
    let size = f64::from(gigabytes) / 10.0;
    let (parents, lengths) = profile.split_once(':').unwrap_or(("", profile));
    let measured: Vec<f64> = lengths.split(' ').filter_map(|ms| ms.parse().ok()).collect();
    let tasks = ((measured.len() as f64 * size + 0.5) as usize).max(1);
    let stretch = STRETCH * libm::pow(size, 0.15) / 1000.0;
    let lengths: Vec<String> =
        (0..tasks).map(|_| format!("{:.3}", measured[draws.below(measured.len())] * stretch)).collect();
    format!(
        r#"{{ "parents": [{}], "tasks_s": [{}], "first_wave": 1.3, "inflation": [[1, 1], [50, 1.4]] }}"#,
        parents.replace(' ', ", "),
        lengths.join(", ")
    )
}
