//! The properties of policies in words, as JSON and as CSV.

use serde::Serialize;

use super::csv;
use super::figures::text as figure;
use fairlane::ids::UserId;
use fairlane::metrics::{BurstGuarantee, Conservation, LongTermFairness, Lying, Misreport, Properties};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

/// The four properties: their names as headings of a table, and what each asks.
pub const PROPERTIES: [(&str, &str); 4] = [
    (
        "burst guarantee",
        "Does each burst of a latency queue finish, or have the demand that it declares, within its window, or \
            each with a \
         hard guarantee where the policy gives any?",
    ),
    (
        "long-term fairness",
        "Has a throughput queue that waits no less than any other queue over each long interval, but for what a \
            task holds?",
    ),
    (
        "strategyproof",
        "Does no user gain by claiming 0.5, 0.75, 1.5 or 2 times what it needs while all others are honest?",
    ),
    ("work-conserving", "Does no core idle while a task that fits it waits?"),
];

/// A property of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyCell {
    /// Whether the policy has it; `None` if the scenario does not show.
    pub holds: Option<bool>,
    /// The figures behind that.
    pub text: String,
}

impl PropertyCell {
    fn new(holds: bool, text: String) -> PropertyCell {
        PropertyCell { holds: Some(holds), text }
    }

    fn unknown(text: &str) -> PropertyCell {
        PropertyCell { holds: None, text: text.to_owned() }
    }

    /// The answer in a word.
    pub fn word(&self) -> &'static str {
        match self.holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        }
    }
}

/// What a policy guarantees, with the scenario that shows it: ids in the properties are indices into this one.
#[derive(Clone, Copy, Debug)]
pub struct PolicyProperties<'a> {
    /// What was simulated.
    pub scenario: &'a Scenario,
    /// Under which policy.
    pub policy: PolicyId,
    /// What that has shown.
    pub properties: &'a Properties,
}

/// The cells of a policy's row, in the order of [`PROPERTIES`]. `name` shows a user's name.
pub fn cells(of: PolicyProperties, name: fn(&str) -> String) -> [PropertyCell; 4] {
    let user = |user: UserId| name(&of.scenario.users()[user.index()].name);
    let Properties { guarantee, fairness, lying, conservation } = of.properties;
    [
        guarantee.as_ref().map_or_else(|| PropertyCell::unknown("no bursts"), guarantee_cell),
        match fairness {
            None => PropertyCell::unknown("nobody waits for long"),
            Some(fairness) => PropertyCell::new(
                fairness.holds(),
                match fairness.worst {
                    None => number::counted(fairness.intervals as usize, "interval"),
                    Some(worst) => format!(
                        "{} of {}: {} {:.2}, {} {:.2}",
                        fairness.unfair,
                        number::counted(fairness.intervals as usize, "interval"),
                        user(worst.user),
                        worst.share,
                        user(worst.other),
                        worst.others
                    ),
                },
            ),
        },
        match lying {
            None => PropertyCell::new(true, "reads no claims".to_owned()),
            Some(lying) => PropertyCell::new(
                lying.holds(),
                lying.best().map_or_else(
                    || "no lie pays".to_owned(),
                    |lie| format!("{} at {}×: {}", user(lie.user), lie.factor, gain(lie)),
                ),
            ),
        },
        PropertyCell::new(
            conservation.holds(),
            match conservation.first {
                None => "never idle".to_owned(),
                Some(first) => format!(
                    "{} core-s, first at {} s",
                    number::short(conservation.idle.seconds()),
                    number::short(first.seconds())
                ),
            },
        ),
    ]
}

fn guarantee_cell(guarantee: &BurstGuarantee) -> PropertyCell {
    let BurstGuarantee { bursts, kept, hard, latest } = guarantee;
    let mut text = match hard {
        Some([promised, kept]) if *promised > 0 => format!("{kept} of {promised} promised, "),
        _ => String::new(),
    };
    text += &format!("{kept} of {bursts}");
    if let Some(late) = latest {
        text += &format!(", {} s late", number::short(late.by.seconds()));
    }
    PropertyCell::new(guarantee.holds(), text)
}

fn gain(lie: &Misreport) -> String {
    match (lie.finished, lie.gain) {
        (more, _) if more > 0 => format!("{} more finish", number::counted(more as usize, "job")),
        (_, Some(gain)) => format!("{} sooner", number::percent(gain, 1)),
        (_, None) => String::new(),
    }
}

/// The properties of a policy as `fairlane properties --format json` prints them. Times are in seconds; what a
/// scenario does not show is `null`.
#[derive(Debug, Serialize)]
pub struct PropertiesJson<'a> {
    policy: String,
    burst_guarantee: Option<GuaranteeJson<'a>>,
    long_term_fairness: Option<FairnessJson<'a>>,
    strategyproof: bool,
    lies: Vec<LieJson<'a>>,
    work_conserving: bool,
    idle_core_s: f64,
}

#[derive(Debug, Serialize)]
struct GuaranteeJson<'a> {
    kept: bool,
    bursts: u32,
    bursts_kept: u32,
    /// `null` under policies that give no hard guarantees.
    hard_bursts: Option<u32>,
    hard_bursts_kept: Option<u32>,
    /// `null` if no burst that is not kept finishes.
    latest_queue: Option<&'a str>,
    latest_by_s: Option<f64>,
}

#[derive(Debug, Serialize)]
struct FairnessJson<'a> {
    kept: bool,
    interval_s: f64,
    intervals: u32,
    unfair_intervals: u32,
    worst: Option<ShortfallJson<'a>>,
}

#[derive(Debug, Serialize)]
struct ShortfallJson<'a> {
    begin_s: f64,
    user: &'a str,
    share: f64,
    other: &'a str,
    other_share: f64,
}

#[derive(Debug, Serialize)]
struct LieJson<'a> {
    user: &'a str,
    factor: f64,
    /// How many more of its jobs finish.
    more_finish: i64,
    /// `null` if one of the means does not exist.
    gain: Option<f64>,
    pays: bool,
}

impl<'a> PropertiesJson<'a> {
    /// The properties of a policy in a scenario.
    pub fn new(
        PolicyProperties { scenario, policy, properties }: PolicyProperties<'a>,
    ) -> PropertiesJson<'a> {
        let name = |user: UserId| scenario.users()[user.index()].name.as_str();
        let guarantee = |it: &BurstGuarantee| GuaranteeJson {
            kept: it.holds(),
            bursts: it.bursts,
            bursts_kept: it.kept,
            hard_bursts: it.hard.map(|[promised, _]| promised),
            hard_bursts_kept: it.hard.map(|[_, kept]| kept),
            latest_queue: it.latest.map(|late| name(late.user)),
            latest_by_s: it.latest.map(|late| late.by.seconds()),
        };
        let fairness = |it: &LongTermFairness| FairnessJson {
            kept: it.holds(),
            interval_s: it.length.seconds(),
            intervals: it.intervals,
            unfair_intervals: it.unfair,
            worst: it.worst.map(|worst| ShortfallJson {
                begin_s: worst.begin.seconds(),
                user: name(worst.user),
                share: worst.share,
                other: name(worst.other),
                other_share: worst.others,
            }),
        };
        let lie = |lie: &Misreport| LieJson {
            user: name(lie.user),
            factor: lie.factor,
            more_finish: lie.finished,
            gain: lie.gain,
            pays: lie.pays(),
        };
        let Properties { guarantee: bursts, fairness: shares, lying, conservation } = properties;
        PropertiesJson {
            policy: policy.to_string(),
            burst_guarantee: bursts.as_ref().map(guarantee),
            long_term_fairness: shares.as_ref().map(fairness),
            strategyproof: lying.as_ref().is_none_or(Lying::holds),
            lies: lying.iter().flat_map(|lying| &lying.lies).map(lie).collect(),
            work_conserving: conservation.holds(),
            idle_core_s: conservation.idle.seconds(),
        }
    }
}

const COLUMNS: [&str; 22] = [
    "policy",
    "burst_guarantee",
    "bursts",
    "bursts_kept",
    "hard_bursts",
    "hard_bursts_kept",
    "latest_queue",
    "latest_by_s",
    "long_term_fairness",
    "intervals",
    "unfair_intervals",
    "worst_user",
    "worst_share",
    "worst_other",
    "worst_other_share",
    "strategyproof",
    "best_liar",
    "best_factor",
    "best_more_finish",
    "best_gain",
    "work_conserving",
    "idle_core_s",
];

/// A heading and a line per policy. A field is empty where a scenario does not show it.
pub fn properties_csv(rows: &[PolicyProperties]) -> String {
    let count = |count: Option<u32>| count.map_or_else(String::new, |count| count.to_string());
    let record = |&PolicyProperties { scenario, policy, properties }: &PolicyProperties| {
        let name = |user: UserId| scenario.users()[user.index()].name.clone();
        let Properties { guarantee, fairness, lying, conservation } = properties;
        let Conservation { idle, .. } = conservation;
        let (bursts, shares) = (guarantee.as_ref(), fairness.as_ref());
        let late = bursts.and_then(|it| it.latest);
        let worst = shares.and_then(|it| it.worst);
        let best = lying.as_ref().and_then(Lying::best);
        csv::line(&[
            policy.to_string(),
            bursts.map_or_else(String::new, |it| it.holds().to_string()),
            count(bursts.map(|it| it.bursts)),
            count(bursts.map(|it| it.kept)),
            count(bursts.and_then(|it| it.hard).map(|[promised, _]| promised)),
            count(bursts.and_then(|it| it.hard).map(|[_, kept]| kept)),
            late.map_or_else(String::new, |late| name(late.user)),
            figure(late.map(|late| late.by.seconds())),
            shares.map_or_else(String::new, |it| it.holds().to_string()),
            count(shares.map(|it| it.intervals)),
            count(shares.map(|it| it.unfair)),
            worst.map_or_else(String::new, |worst| name(worst.user)),
            figure(worst.map(|worst| worst.share)),
            worst.map_or_else(String::new, |worst| name(worst.other)),
            figure(worst.map(|worst| worst.others)),
            lying.as_ref().is_none_or(Lying::holds).to_string(),
            best.map_or_else(String::new, |lie| name(lie.user)),
            figure(best.map(|lie| lie.factor)),
            best.map_or_else(String::new, |lie| lie.finished.to_string()),
            figure(best.and_then(|lie| lie.gain)),
            conservation.holds().to_string(),
            idle.seconds().to_string(),
        ])
    };
    std::iter::once(csv::line(&COLUMNS)).chain(rows.iter().map(record)).collect()
}
