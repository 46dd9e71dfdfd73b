//! A latency queue beside batch queues, as in BoPF's Tables 3 and 4 and its Figure 13. Its cluster had 1280 cores and
//! jobs of three benchmarks, whose data are not published.

use super::{NumberKind, Preset, PresetParameter, length, tasks};
use crate::ids::UserId;
use crate::scenario::generate::Draws;
use crate::scenario::{Cluster, Input, Job, Queue, QueueKind, ScenarioError, Stage, User};
use crate::units::{SlotTime, Span, Time};

pub(super) const PARAMETERS: [PresetParameter; 5] = [
    PresetParameter {
        name: "queues",
        label: "Batch queues",
        unit: "",
        help: "Number of throughput queues beside the latency queue.",
        usual: 8.0,
        least: 1.0,
        most: 64.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "period",
        label: "Period",
        unit: "s",
        help: "From the begin of one burst to the next.",
        usual: 300.0,
        least: WITHIN_S,
        most: 10_000.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "bursts",
        label: "Bursts",
        unit: "",
        help: "How many bursts the latency queue has.",
        usual: 5.0,
        least: 1.0,
        most: 100.0,
        numbers: NumberKind::Whole,
    },
    PresetParameter {
        name: "deviation",
        label: "Deviation",
        unit: "",
        help: "Standard deviation of the bursts' sizes over their mean; they are normally distributed.",
        usual: 0.2,
        least: 0.0,
        most: 1.0,
        numbers: NumberKind::Real,
    },
    PresetParameter {
        name: "demand",
        label: "Demand",
        unit: "×",
        help: "What the queue declares, over 27 s of the whole cluster.",
        usual: 1.0,
        least: 0.01,
        most: 100.0,
        numbers: NumberKind::Real,
    },
];

/// Within how long each burst is due, in seconds.
const WITHIN_S: f64 = 27.0;
/// When the latency queue joins, in seconds.
const JOINS_S: f64 = 50.0;
/// No burst is smaller than this part of the mean.
const SMALLEST: f64 = 0.05;

pub(super) fn draw(
    preset: &Preset,
    seed: u64,
    cluster: &Cluster,
) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
    let deviation = preset.value("deviation");
    let factor = |burst: usize| {
        let unit = Draws::of_job(seed, &format!("burst {burst}")).unit();
        (1.0 + deviation * normal_quantile(unit)).max(SMALLEST)
    };
    let factors: Vec<f64> = (0..preset.count("bursts")).map(factor).collect();
    beside_batch_queues(
        preset.count("queues") as u32,
        preset.value("period"),
        &factors,
        preset.value("demand"),
        cluster,
    )
}

/// Bursts of one latency queue, whose tasks take each a factor longer than usual, beside batch queues that have work
/// all the time. The latency queue declares `demand` times 27 s of the cluster.
pub(crate) fn beside_batch_queues(
    queues: u32,
    period_s: f64,
    factors: &[f64],
    demand: f64,
    cluster: &Cluster,
) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
    let cores = f64::from(cluster.cores());
    let latency = Queue {
        kind: QueueKind::Latency,
        joins: Time(length(JOINS_S)?),
        period: Span(length(period_s)?),
        within: Span(length(WITHIN_S)?),
        demand: SlotTime(length(demand * WITHIN_S * cores)?),
        ..Queue::default()
    };
    let mut users = vec![User { queue: Some(latency), ..User::named("LQ") }];
    let mut jobs = Vec::new();
    for (burst, factor) in (0_u32..).zip(factors) {
        let arrival = Time(length(JOINS_S + period_s * f64::from(burst))?);
        let of = |work_s: f64, partitions| {
            let input = Input::of_profile(SlotTime(length(work_s)?), vec![1.0])?;
            Ok::<_, ScenarioError>(Stage { partitions, ..Stage::with_input(input) })
        };
        let (first, second) = (of(416.0 * factor, 52)?, of(110.0 * factor, 10)?);
        let stages = vec![first, Stage { parents: vec![0], ..second }];
        jobs.push(Job { name: format!("burst-{}", burst + 1), ..Job::new(UserId(0), arrival, stages) });
    }
    // Enough work for the whole time, in tasks of 20 s on average and of 5 to 35 s.
    let time_s = period_s * factors.len() as f64 + 600.0;
    let count = (1.1 * time_s * cores / 20.0 / f64::from(queues)) as u32 + 1;
    for queue in 1..=queues {
        users.push(User { queue: Some(Queue::default()), ..User::named(format!("TQ-{queue}")) });
        // Spread evenly, in an order of its own for each queue.
        let lengths: Vec<f64> = (0..count).map(|task| f64::from(5 + (task * 7 + queue * 11) % 31)).collect();
        let stage = Stage::with_input(tasks(&lengths)?);
        jobs.push(Job { name: format!("batch-{queue}"), ..Job::new(UserId(queue), Time::ZERO, vec![stage]) });
    }
    Ok((users, jobs))
}

/// The number below which a part of a standard normal distribution lies, by bisection.
pub fn normal_quantile(part: f64) -> f64 {
    let below = |value: f64| 0.5 * libm::erfc(-value / std::f64::consts::SQRT_2);
    let (mut least, mut most) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (least + most);
        if below(middle) < part { least = middle } else { most = middle }
    }
    0.5 * (least + most)
}
