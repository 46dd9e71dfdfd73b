//! What lies over a user's lane besides the blocks: the windows of the queue's bursts, flags where jobs are due, and
//! which jobs a policy drops or rejects.

use yew::prelude::*;

use super::job_block::JobBlock;
use super::percent;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Queue;
use fairlane::units::Time;
use fairlane_view::TimeAxis;
use fairlane_view::lanes::windows;

/// The ticked policies and their schedules.
pub type Schedules = Vec<(PolicyId, Shared<Analysis>)>;

#[derive(Clone, Properties, PartialEq)]
pub struct LaneMarksProps {
    /// The user's latency queue, if there is one.
    pub queue: Option<Queue>,
    /// The jobs that are shown one by one.
    pub cards: Vec<JobBlock>,
    pub axis: TimeAxis,
    pub rows: usize,
    pub schedules: Schedules,
}

/// Most rows of a lane whose blocks have room for a label each.
const MAX_ROWS: usize = 3;

#[component]
pub fn LaneMarks(props: &LaneMarksProps) -> Html {
    let ends = |card: &JobBlock| endings(&props.schedules, JobId(card.block.job as u32));
    let unfinished = props.cards.iter().filter(|card| !ends(card).unfinished.is_empty()).count();
    html! {
        <>
            { for props.queue.as_ref().map(|queue| bursts(queue, props.axis)) }
            { for props.cards.iter().map(|card| marks(card, &ends(card), props)) }
            if props.rows > MAX_ROWS && unfinished > 0 {
                <i class="gone all"><b>{ format!("✕ {} unfinished", number::counted(unfinished, "job")) }</b></i>
            }
        </>
    }
}

/// The windows of a queue's bursts, with what they are beside the first that has room for it.
fn bursts(queue: &Queue, axis: TimeAxis) -> Html {
    let windows = windows(queue, axis.from, axis.to);
    let words = format!("{} of every {}", queue.within, queue.period);
    if windows.is_empty() {
        let spoken = format!("Windows of {words}");
        return html! { <i class="bursts"><span style="left:0">{ spoken }</span></i> };
    }
    let begins: Vec<Time> = windows.iter().map(|(begin, _)| *begin).collect();
    html! {
        { for windows.into_iter().enumerate().map(|(index, (begin, end))| {
            let (from, to) = (axis.fraction(begin).max(0.0), axis.fraction(end).min(1.0));
            let next = begins.get(index + 1).map_or(1.0, |&next| axis.fraction(next).min(1.0));
            let style = format!("left:{};width:{}", percent(from), percent(to - from));
            html! {
                <>
                    <i class={classes!("window", (axis.fraction(begin) >= 0.0).then_some("begins"))} {style}></i>
                    if index == 0 {
                        <i class="bursts"
                            style={format!("left:{};width:{}", percent(to), percent((next - to).max(0.0)))}><span>{
                            format!("window: {words}") }</span></i>
                    }
                </>
            }
        }) }
    }
}

/// A job's flag, and whether it does not finish under some policy.
fn marks(card: &JobBlock, endings: &Endings, props: &LaneMarksProps) -> Html {
    let block = &card.block;
    let row = format!(
        "top:{};height:{}",
        percent(block.row as f64 / props.rows as f64),
        percent(1.0 / props.rows as f64)
    );
    let gone = &endings.unfinished;
    let flag = block.due.map(|due| (props.axis.fraction(due), endings.late.is_empty() && gone.is_empty()));
    let flag = flag.filter(|(at, _)| (0.0..=1.0).contains(at));
    let (from, to) = (props.axis.fraction(block.from).max(0.0), props.axis.fraction(block.to).min(1.0));
    let word = gone.first().map_or("", |(_, outcome)| *outcome);
    let word = if gone.iter().all(|(_, outcome)| *outcome == word) { word } else { "unfinished" };
    let words = match props.schedules.len() {
        1 => word.to_owned(),
        all => format!("{word}, {} of {all}", gone.len()),
    };
    let labelled = props.rows <= MAX_ROWS;
    // The label may reach to the next block of the row.
    let next = props.cards.iter().map(|card| &card.block).filter(|other| other.row == block.row);
    let next = next.map(|other| other.from).filter(|from| *from > block.from).min();
    let room = next.map_or(1.0, |next| props.axis.fraction(next) - from).max(0.0);
    html! {
        <>
            if let Some((at, met)) = flag {
                <i class={classes!("due", (!met).then_some("missed"))}
                    style={format!("left:{};{row}", percent(at))}></i>
            }
            if !gone.is_empty() && from <= 1.0 && labelled {
                <i class="gone" style={format!("left:{};width:{};--room:{room:.4};{row}", percent(from),
                    percent((to - from).max(0.0)))}>
                    <b aria-hidden="true">{ format!("✕ {words}") }</b><span
                        class="sr">{ format!("{}: {}", card.label, said(gone)) }</span>
                </i>
            }
        </>
    }
}

/// How a job ends under the ticked policies, where that is not as it should be.
#[derive(Debug, Default, PartialEq)]
pub struct Endings {
    /// Policies under which it does not finish, each with how it ends.
    pub unfinished: Vec<(PolicyId, &'static str)>,
    /// Policies under which it finishes after its deadline.
    pub late: Vec<PolicyId>,
}

/// How a job ends under policies.
pub fn endings(schedules: &Schedules, job: JobId) -> Endings {
    let mut endings = Endings::default();
    for (policy, analysis) in schedules {
        // A schedule may still be that of the scenario before an edit.
        let (Some(run), Some(spec)) =
            (analysis.trace.jobs.get(job.index()), analysis.scenario.jobs().get(job.index()))
        else {
            continue;
        };
        match run.response() {
            None => endings.unfinished.push((*policy, run.outcome.name())),
            Some(response) if spec.deadline.is_some_and(|deadline| response > deadline) => {
                endings.late.push(*policy)
            }
            Some(_) => {}
        }
    }
    endings
}

/// `dropped under Justice and rejected under BoPF`.
pub fn said(unfinished: &[(PolicyId, &'static str)]) -> String {
    let part = |name: &'static str| {
        let titles: Vec<String> = unfinished
            .iter()
            .filter(|(_, outcome)| *outcome == name)
            .map(|(policy, _)| policy.title())
            .collect();
        (!titles.is_empty()).then(|| format!("{name} under {}", number::list(&titles)))
    };
    let parts: Vec<String> = ["dropped", "rejected"].into_iter().filter_map(part).collect();
    parts.join(", ")
}
