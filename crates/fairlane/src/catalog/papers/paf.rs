//! Scenarios after PAF's figures.
//!
//! The paper prints allocations and some points of the progress curves; the rest of the curves is chosen so that they
//! pass through these points. How the time of a task depends on the number of cores is not published: here tasks
//! become longer the more of them run (`inflation`), which gives exactly the curve.

use crate::scenario::PerformanceCurve;

/// Figure 3: six tasks in three slots; on a warm core a task takes half the time.
pub(super) fn packing() -> String {
    r#"{ "format": "fairlane/scenario@1", "name": "PAF: six tasks in three slots",
  "cluster": { "executors": 3, "cores_per_executor": 1 },
  "jobs": [{ "user": "ana", "name": "job", "arrival_s": 0, "warm_factor": 2, "stages": [
    { "name": "tasks", "tasks_s": [5, 6, 10, 6, 5, 5], "splittable": false }] }] }"#
        .to_owned()
}

/// A job that is one long stage of tasks alike and gets ahead at the rate of its curve.
struct ElasticJob {
    name: &'static str,
    weight: u32,
    curve: PerformanceCurve,
    /// How long it takes alone on the whole cluster, in seconds.
    alone_s: f64,
}

impl ElasticJob {
    /// Its place in the list of jobs of a cluster: tasks become so much longer the more of them run that n cores give
    /// the rate p(n) / p(all) of what all cores give.
    fn text(&self, cores: u32, points: &[u32]) -> String {
        const TASKS: u32 = 1200;
        let progress = |slots| self.curve.progress(slots);
        let factor = |n: u32| f64::from(n) * progress(points[0]) / (f64::from(points[0]) * progress(n));
        let inflation: Vec<String> = points.iter().map(|&n| format!("[{n}, {:.4}]", factor(n))).collect();
        let work_s = self.alone_s * f64::from(cores) / factor(cores);
        let curve = match &self.curve {
            PerformanceCurve::Ernest(coefficients) => format!(r#""ernest": {coefficients:?}"#),
            PerformanceCurve::Points(points) => {
                let points: Vec<String> = points.iter().map(|(x, p)| format!("[{x}, {p}]")).collect();
                format!(r#""curve": [{}]"#, points.join(", "))
            }
        };
        format!(
            r#"{{ "user": "{name}", "name": "{name}", "arrival_s": 0, {curve}, "stages": [
    {{ "name": "iterations", "work_s": {work_s:.3}, "partitions": {TASKS}, "splittable": false, "inflation": [{}] }}] }}"#,
            inflation.join(", "),
            name = self.name,
        )
    }
}

fn file(name: &str, executors: u32, points: &[u32], jobs: &[ElasticJob]) -> String {
    let cores = 2 * executors;
    let users: Vec<String> =
        jobs.iter().map(|job| format!(r#"{{ "name": "{}", "weight": {} }}"#, job.name, job.weight)).collect();
    let jobs: Vec<String> = jobs.iter().map(|job| job.text(cores, points)).collect();
    format!(
        r#"{{ "format": "fairlane/scenario@1", "name": "{name}",
"cluster": {{ "executors": {executors}, "cores_per_executor": 2 }},
"users": [{}],
"jobs": [{}] }}"#,
        users.join(", "),
        jobs.join(",\n")
    )
}

/// Figure 4: KMeans at 0.85 with 8 and 0.87 with 16 slots, PageRank at 0.73 with 16 and 0.90 with 24 are published.
pub(super) fn two_jobs() -> String {
    let curve = |points: [(u32, f64); 6]| PerformanceCurve::Points(points.to_vec());
    let kmeans = ElasticJob {
        name: "KMeans",
        weight: 1,
        curve: curve([(1, 0.36), (2, 0.52), (4, 0.70), (8, 0.85), (16, 0.87), (32, 1.0)]),
        alone_s: 87.0,
    };
    let pagerank = ElasticJob {
        name: "PageRank",
        weight: 1,
        curve: curve([(1, 0.08), (4, 0.25), (8, 0.45), (16, 0.73), (24, 0.90), (32, 1.0)]),
        alone_s: 73.0,
    };
    file("PAF: 16 + 16 slots become 8 + 24", 16, &[1, 2, 4, 8, 16, 24, 32], &[kmeans, pagerank])
}

/// Figures 8 and 9: the shares, the slots moved at alpha 0.9 and the three averages of the progress rates are
/// published; the coefficients of Ernest's model are fitted to them.
pub(super) fn three_jobs() -> String {
    let job = |name, weight, coefficients, alone_s| ElasticJob {
        name,
        weight,
        curve: PerformanceCurve::Ernest(coefficients),
        alone_s,
    };
    let jobs = [
        job("KMeans", 12, [0.5128, 0.0, 10.7, 0.0832], 90.0),
        job("PageRank", 3, [2.3361, 0.0, 9.8035, -0.2912], 60.0),
        job("SVDPlusPlus", 1, [1.7739, 0.0, 24.8219, -0.1995], 50.0),
    ];
    let points = [1, 2, 4, 8, 12, 16, 20, 24, 28, 35, 40, 46, 53, 60, 68, 76, 86, 96, 110, 128];
    file("PAF: weights 12, 3 and 1 on 128 slots", 64, &points, &jobs)
}
