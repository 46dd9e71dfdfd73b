//! The fluid ideal on the axis of the panels: the users' rates stacked, with each job's ideal end; below it, on
//! request, a policy's virtual time and deadlines.

mod virtual_time;

use std::collections::BTreeSet;

use yew::prelude::*;

use super::verdict::MAX_USERS;
use crate::plots::texture::stacked;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, Future, State, ViewAction, selectors};
use crate::ui::hooks::use_width;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Cluster;
use fairlane_view::TimeAxis;
use fairlane_view::ideal::{COLUMNS, LabelSide, paths, rates, sides};
use fairlane_view::words;
use virtual_time::VirtualTimeRow;

#[derive(Clone, Properties, PartialEq)]
pub struct IdealProps {
    /// Any schedule: the ideal is the same for all.
    pub analysis: Option<Shared<Analysis>>,
    pub axis: TimeAxis,
    pub chosen: BTreeSet<JobId>,
    pub future: Future,
    /// The ticked policies with virtual time.
    pub policies: Vec<PolicyId>,
    /// The one whose virtual time is shown, with its schedule.
    pub virtual_time: Option<(PolicyId, Option<Shared<Analysis>>)>,
}

impl IdealProps {
    /// What is shown of the page as it is; `settled_state` is the page without what is dragged, which virtual time stays with.
    pub fn new(state: &State, settled_state: &State) -> IdealProps {
        let schedule = |policy| settled_state.runs.get(&policy).and_then(|run| run.analysis.clone());
        IdealProps {
            analysis: selectors::schedules(state).into_iter().next().map(|(_, analysis)| analysis),
            axis: state.axis(),
            chosen: state.view.chosen.clone(),
            future: state.future(),
            policies: settled_state.with_virtual_time(),
            virtual_time: settled_state.shown_virtual_time().map(|policy| (policy, schedule(policy))),
        }
    }
}

/// Most ends that are marked, and most chosen jobs that are named.
const MAX_ENDS: usize = 400;
const MAX_NAMED: usize = 8;

#[component]
pub fn Ideal(props: &IdealProps) -> Html {
    let send = use_send::<Action>();
    let plot = use_node_ref();
    let width = use_width(&plot);
    let image = use_memo((props.analysis.clone(), props.axis, width.to_bits()), |(analysis, axis, _)| {
        analysis.as_ref().map(|analysis| image(analysis, *axis, width)).unwrap_or_default()
    });
    let Some(analysis) = &props.analysis else { return Html::default() };
    let shown = props.virtual_time.is_some();
    let other = props.policies.last().copied().filter(|_| !shown);
    let switch = send.press(ViewAction::VirtualTime(other));
    html! {
        <section class="ideal" id="ideal" aria-label="The ideal">
            <div class="row">
                <div class="gutter" title={format!("{}: {}. Ticks are the jobs' ideal ends.", words::IDEAL.term, words::IDEAL.meaning)}>
                    <b>{ "Ideal" }</b><span>{ fluid_words(analysis.scenario.cluster()) }</span>
                    if !props.policies.is_empty() {
                        <button type="button" class="small" id="ideal-virtual-time" onclick={switch}
                            aria-pressed={shown.to_string()}
                            aria-label="V(t): virtual time and deadlines"
                            title="A policy's virtual time V and deadlines, below the ideal on the same axis">{
                            "V(t)" }</button>
                    }
                </div>
                <div class="plot" ref={plot} role="img" aria-label={aria_label(analysis, props.future)}>
                    { (*image).clone() }
                    <Flags analysis={analysis.clone()} axis={props.axis} chosen={props.chosen.clone()} />
                </div>
            </div>
            if props.future == Future::Shown && analysis.trace.users.len() <= MAX_USERS {
                { means(analysis) }
            }
            if let Some((policy, analysis)) = &props.virtual_time {
                <VirtualTimeRow policy={*policy} policies={props.policies.clone()} analysis={analysis.clone()}
                    axis={props.axis} future={props.future}
                    chosen={props.chosen.clone()} />
            }
        </section>
    }
}

/// Each user's mean response time under the ideal, in the columns of the verdicts below.
fn means(analysis: &Analysis) -> Html {
    let mut sums = vec![(0.0, 0_u32); analysis.trace.users.len()];
    for (job, run) in (0..).map(JobId).zip(&analysis.trace.jobs) {
        if let Some(end) = analysis.ideal(job) {
            let (sum, count) = &mut sums[run.user.index()];
            *sum += end.since(run.arrival).seconds();
            *count += 1;
        }
    }
    let mean = |(name, (sum, count)): (&String, (f64, u32))| {
        let mean = (count > 0).then(|| format!("{}\u{a0}s", number::three_digits(sum / f64::from(count))));
        let words = mean.clone().unwrap_or_else(|| "–".to_owned());
        html! {
            <li title={format!("{name}: {words} under the ideal, on average")}><span
                class="sr">{ format!("{name}: ") }</span>{ words }</li>
        }
    };
    html! {
        <ul class="ideals" aria-label="Mean response of each user under the ideal">
            { for analysis.trace.users.iter().zip(sums).map(mean) }
        </ul>
    }
}

#[derive(Properties, PartialEq)]
struct FlagsProps {
    analysis: Shared<Analysis>,
    axis: TimeAxis,
    chosen: BTreeSet<JobId>,
}

/// A flag at the ideal end of each chosen job, with words where there is room for them.
#[component]
fn Flags(props: &FlagsProps) -> Html {
    let plot = use_node_ref();
    let width = use_width(&plot);
    let analysis = &props.analysis;
    let known = props.chosen.iter().copied().filter(|job| analysis.has_job(*job));
    let flags: Vec<(f64, String)> = known
        .take(MAX_NAMED)
        .filter_map(|job| {
            let at = analysis.ideal(job)?;
            let fraction = props.axis.fraction(at);
            let words = format!(
                "{} ends ideally at {}\u{a0}s",
                analysis.scenario.job_label(job),
                number::short(at.seconds())
            );
            (0.0..=1.0).contains(&fraction).then_some((fraction, words))
        })
        .collect();
    let sized: Vec<_> =
        flags.iter().map(|(fraction, words)| (fraction * width, words.chars().count())).collect();
    let flag = |((fraction, words), side): ((f64, String), Option<LabelSide>)| {
        let leftwards = (side == Some(LabelSide::Left)).then_some("leftwards");
        html! {
            <i class={classes!("flag", leftwards)} style={format!("left:{:.3}%", fraction * 100.0)}
                title={words.clone()}>
                if side.is_some() {
                    <span>{ words }</span>
                }
            </i>
        }
    };
    let flags = flags.into_iter().zip(sides(&sized, width, 0.0)).map(flag);
    html! { <div class="flags" ref={plot}>{ for flags }</div> }
}

/// What the ideal is, in words: it knows of no machine that is lost or slow.
fn fluid_words(cluster: &Cluster) -> &'static str {
    let are_whole = cluster.losses.is_empty() && cluster.speeds.is_empty();
    if are_whole { "work as a fluid" } else { "with whole machines" }
}

fn aria_label(analysis: &Analysis, future: Future) -> String {
    let what = "The users' rates under the fluid ideal over time, stacked";
    if future != Future::Shown {
        return what.to_owned();
    }
    let ends = analysis.summary.fluid.reference.finishes.iter().copied().fold(0.0, f64::max);
    format!(
        "{what}; the last of {} ends at {} s",
        number::counted(analysis.trace.jobs.len(), "job"),
        number::short(ends / 1e6)
    )
}

/// Height of the curves in logical pixels, as in the stylesheet.
const HEIGHT_PX: f64 = 40.0;

fn image(analysis: &Analysis, axis: TimeAxis, width: f64) -> Html {
    let (scenario, ideal) = (&analysis.scenario, &analysis.summary.fluid.reference);
    let cores = scenario.cluster().cores();
    let paths = paths(&rates(scenario, ideal, axis), cores);
    let mut ends = String::new();
    for finish in ideal.finishes.iter().take(MAX_ENDS) {
        let x = (finish - axis.from.0 as f64) / axis.length() as f64 * COLUMNS as f64;
        if (0.0..=COLUMNS as f64).contains(&x) {
            ends += &format!("M{x:.2} 0v{:.2}", f64::from(cores) * 0.2);
        }
    }
    let ends = html! { <path class="ends" d={ends} /> };
    stacked("ideal", scenario, (COLUMNS, cores), (width, HEIGHT_PX), paths, ends)
}
