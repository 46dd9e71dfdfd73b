//! Random changes of a scenario, sensible and absurd.

use serde_json::{Value, json};

use super::random::Random;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::parameters;
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane::scenario::palette::JobTemplate;
use fairlane::scenario::{PerformanceCurve, Scenario};
use fairlane::units::{Time, Weight};

/// The longest arrival or work that is set, in seconds: what a policy ticks through takes a moment at most.
const MAX_SECONDS: f64 = 1e4;

/// An index below a count, or now and then one that does not exist.
pub(super) fn index(random: &mut Random, count: usize) -> u32 {
    match random.below(20) {
        0 => count as u32,
        1 => u32::MAX,
        _ => random.below(count.max(1)) as u32,
    }
}

fn jobs(random: &mut Random, scenario: &Scenario) -> Vec<JobId> {
    let count = random.below(3) + usize::from(!random.one_in(10));
    (0..count).map(|_| JobId(index(random, scenario.jobs().len()))).collect()
}

fn text(random: &mut Random) -> &'static str {
    random.pick(&[
        "",
        " ",
        "ana",
        "ben",
        "nightly",
        "=1+1",
        "\u{1b}[31m",
        "<img src=x onerror=alert(1)>",
        "a,\"b\"\n&policies=fifo",
        "\u{202e}right to left",
        "default",
    ])
}

/// A value for a field, as a file would have it, or nothing that it could be.
fn value(random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => text(random).into(),
        2 => json!(true),
        3 => json!([]),
        4 => json!([0, 1]),
        5 => json!({}),
        6 => json!(-1),
        7 => json!(0),
        8 => json!(random.below(9)),
        9 => json!(random.fraction() * MAX_SECONDS),
        10 => json!(random.pick(&["FIFO", "FAIR", "latency", "throughput", "sum", "max", "none"])),
        _ => json!((random.fraction() * 20.0).round() / 4.0),
    }
}

fn object(random: &mut Random, scenario: &Scenario) -> ObjectPath {
    let job = JobId(index(random, scenario.jobs().len()));
    let stages = scenario.jobs().get(job.index()).map_or(0, |job| job.stages.len());
    let user = UserId(index(random, scenario.users().len()));
    match random.below(10) {
        0 => ObjectPath::Scenario,
        1 => ObjectPath::Cluster,
        2 => ObjectPath::DynamicAllocation,
        3 => ObjectPath::Partitioning,
        4 => {
            let sets: Vec<&str> = parameters::sets().iter().map(|set| set.id).collect();
            ObjectPath::Policy(random.pick(&sets).into())
        }
        5 => ObjectPath::User(user),
        6 => ObjectPath::Queue(user),
        7 => ObjectPath::Job(job),
        8 => ObjectPath::Predecessor(job),
        _ => ObjectPath::Stage(job, index(random, stages)),
    }
}

/// A change of a scenario.
pub(super) fn edit(random: &mut Random, scenario: &Scenario) -> Edit {
    let user = UserId(index(random, scenario.users().len()));
    let job = JobId(index(random, scenario.jobs().len()));
    let stages = scenario.jobs().get(job.index()).map_or(0, |job| job.stages.len());
    let stage = index(random, stages);
    let factor = random.pick(&[0.5, 1.0, 2.0, 1.5, 0.0, -1.0, f64::NAN, f64::INFINITY]);
    match random.below(22) {
        0 | 1 => Edit::AddUser { name: scenario.free_user_name(), weight: Weight::ONE },
        2 => Edit::AddUser { name: text(random).to_owned(), weight: Weight::ONE },
        3 => Edit::ReorderUser { user, index: random.pick(&[0, 1, 2, usize::MAX]) },
        4 | 5 => Edit::RemoveUser(user),
        6 => Edit::set(ObjectPath::User(user), "name", text(random)),
        7 | 8 => {
            let by = Shift(random.below(4_000_000) as i64 - 2_000_000);
            Edit::Move { jobs: jobs(random, scenario), by, lanes: random.below(5) as i32 - 2 }
        }
        9 => {
            let kind = random.pick(&JobTemplate::ALL);
            Edit::AddJob { kind, user, arrival: Time(random.below(9_000_000) as u64) }
        }
        10 => Edit::Duplicate { jobs: jobs(random, scenario), by: Shift(random.below(3_000_000) as i64) },
        11 | 12 => Edit::Delete { jobs: jobs(random, scenario) },
        13 => {
            let points = random.pick(&[&[(1, 0.5)][..], &[(1, 0.2), (4, 0.6)], &[], &[(2, f64::NAN)]]);
            let curve = (!random.one_in(4)).then(|| PerformanceCurve::Points(points.to_vec()));
            Edit::Curve { job, curve, handle: None }
        }
        14 => Edit::AddStage(job),
        15 => Edit::RemoveStage(job, stage),
        16 => Edit::Slices(job, stage, random.pick(&[0, 1, 2, 8, u32::MAX])),
        17 => Edit::Slice(job, stage, random.below(4) as u32, factor),
        18 => Edit::Load(factor),
        19 => match random.below(4) {
            3 => {
                let before = JobId(index(random, scenario.jobs().len()));
                Edit::wait_for(scenario, job, (!random.one_in(4)).then_some(before))
            }
            0 => Edit::PerfectEstimates,
            1 => Edit::EstimateErrors { factor, seed: random.below(9) as u64 },
            _ => Edit::Claim { user, factor },
        },
        _ => {
            let of = object(random, scenario);
            let fields = of.fields();
            let field = match fields.is_empty() || random.one_in(30) {
                true => "no_such_field",
                false => fields[random.below(fields.len())].name,
            };
            Edit::Set { of, field: field.into(), value: value(random) }
        }
    }
}
