//! One user's lane, and the blocks in it. A lane is rendered again only if something in it has changed: while a
//! job is dragged that is its own lane, and not the hundreds of blocks in the others.

use yew::prelude::*;

use super::job_block::{BlockAppearance, JobBlock};
use super::marks::{LaneMarks, Schedules};
use super::percent;
use super::user_name::UserName;
use fairlane::ids::UserId;
use fairlane::number;
use fairlane::scenario::Queue;
use fairlane::units::Span;
use fairlane_view::TimeAxis;
use fairlane_view::lanes::{self, Anchor, JobCluster};

/// Most rows of a lane whose blocks are tall enough to have a border.
const ROWS_WITH_BORDERS: usize = 6;
/// Most rows of a lane that still leave a name readable.
const ROWS_FOR_NAME: usize = 2;
/// The least width of a block, in logical pixels, as the stylesheet has it.
const MIN_BLOCK_PX: f64 = 4.0;

/// The least width of a block with a number on it, in logical pixels.
const MIN_NUMBER_PX: f64 = 28.0;

/// The longest outline of an estimate, in lengths of the block.
const MAX_ESTIMATE: f64 = 20.0;

#[derive(Properties, PartialEq)]
pub(super) struct LaneProps {
    pub(super) user: UserId,
    /// Number of the user's hue.
    pub(super) hue: usize,
    pub(super) name: String,
    /// The text beside the name.
    pub(super) facts: String,
    pub(super) axis: TimeAxis,
    /// Jobs nearer to each other than this are drawn as one.
    pub(super) gap: Span,
    /// Logical pixels of the plot; 0 while they are not known.
    pub(super) width: f64,
    /// Whether it stays in sight while the panels are scrolled.
    pub(super) sticky: bool,
    pub(super) rows: usize,
    /// Jobs that are shown one by one.
    pub(super) cards: Vec<JobBlock>,
    /// Jobs that are shown as one.
    pub(super) together: Vec<JobCluster>,
    /// The user's latency queue, if there is one.
    pub(super) queue: Option<Queue>,
    pub(super) schedules: Schedules,
    pub(super) onpointerdown: Callback<PointerEvent>,
    pub(super) onpointermove: Callback<PointerEvent>,
}

/// A user's name, and the jobs in the order of time.
#[component]
pub(super) fn Lane(props: &LaneProps) -> Html {
    let LaneProps { user, name, axis, width, rows, .. } = props;
    let hue = props.hue;
    let chosen = props.cards.iter().any(|card| card.face == BlockAppearance::Chosen);
    let renaming = use_state_eq(|| false);
    let rename = {
        let renaming = renaming.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "F2" {
                event.prevent_default();
                renaming.set(true);
            }
        })
    };
    html! {
        <div role="group" onkeydown={rename} aria-label={format!("{name}: {}", props.facts)} class={classes!("lane", "row", props.queue.is_some().then_some("with-windows"),
            (*rows == ROWS_FOR_NAME).then_some("two-rows"), chosen.then_some("with-chosen"), props.sticky.then_some("sticky"))} style={format!("--rows:{rows}")}>
            <div class="gutter user">
                <i class={classes!("dot", format!("hue-{hue}"))}></i>
                <UserName user={*user} name={name.clone()} {renaming} />
                <small>{ &props.facts }</small>
            </div>
            <div class="plot track" data-user={user.0.to_string()} onpointerdown={&props.onpointerdown}
                onpointermove={&props.onpointermove}>
                { for props.together.iter().map(|cluster| together(cluster, &format!("hue-{hue}"), *axis)) }
                { for props.cards.iter().map(|card| html! {
                    <Block key={card.block.job} card={card.clone()} user={name.clone()} axis={*axis} width={*width}
                        rows={*rows} />
                }) }
                { for numbers(props) }
                <div class={format!("marks hue-{hue}")}><LaneMarks queue={props.queue.clone()}
                    cards={props.cards.clone()} axis={*axis} rows={*rows} schedules={props.schedules.clone()} /></div>
            </div>
        </div>
    }
}

/// Jobs of a crowded lane drawn as one.
pub(super) fn together(cluster: &JobCluster, hue: &str, axis: TimeAxis) -> Html {
    let (from, to) = (axis.fraction(cluster.from).max(0.0), axis.fraction(cluster.to).min(1.0));
    if from > 1.0 || to < 0.0 {
        return Html::default();
    }
    let style = format!("left:{};width:{};top:0;height:100%", percent(from), percent(to - from));
    let title = format!("{} jobs; zoom in to see and move them one by one", cluster.jobs);
    html! { <div class={classes!("block", "together", hue.to_owned())} {style} {title}></div> }
}

/// The numbers of jobs that arrive together, over their blocks where these are too low for names. The stylesheet takes
/// them away once the lane is touched.
fn numbers(props: &LaneProps) -> Vec<Html> {
    let LaneProps { cards, rows, axis, gap, width, .. } = props;
    let Some(first) = cards.first() else { return Vec::new() };
    // The blocks of several colours say more.
    if *rows <= ROWS_FOR_NAME || cards.iter().any(|card| card.hue.hue != first.hue.hue) {
        return Vec::new();
    }
    let back = cards.iter().any(|card| card.face == BlockAppearance::Back).then_some("back");
    let one = |group: lanes::SimultaneousJobs| {
        let (from, to) = (axis.fraction(group.from), axis.fraction(group.to));
        let [top, height] = [group.row, group.jobs].map(|count| percent(count as f64 / *rows as f64));
        let style = format!("left:{};width:{};top:{top};height:{height}", percent(from), percent(to - from));
        let beside = ((to - from) * width < MIN_NUMBER_PX).then_some("narrow");
        let class = classes!("merged", format!("hue-{}", first.hue.hue), back, beside);
        html! { <i {class} {style} aria-hidden="true"><span>{ format!("{}×", group.jobs) }</span></i> }
    };
    lanes::simultaneous(cards.iter().map(|card| &card.block), *rows, *gap).into_iter().map(one).collect()
}

/// Only what a block shows, so that a block that nothing happens to costs nothing.
#[derive(Properties, PartialEq)]
struct BlockProps {
    card: JobBlock,
    user: String,
    axis: TimeAxis,
    width: f64,
    rows: usize,
}

/// A job's block: press to choose, drag to move.
#[component]
fn Block(props: &BlockProps) -> Html {
    let BlockProps {
        card: JobBlock { label, work, waits, estimate, block, hue, face, reached },
        user,
        axis,
        rows,
        ..
    } = props;
    let core_seconds = number::short(work.seconds());
    // Begins with what is written on the block, for those who speak to their machine.
    let estimated = estimate
        .map(|estimate| format!(", estimated at {} core-seconds", number::short(work.seconds() * estimate)));
    // Unknown before the first simulation.
    let alone = (block.to > block.from)
        .then(|| format!(", {} alone on the idle cluster", block.to.since(block.from)));
    let due = block.due.map(|due| format!(", due at {}", number::instant(due)));
    let facts = format!(
        "{label}, {core_seconds} core-seconds of {user}: {}{}{}{}",
        waits.clone().unwrap_or_else(|| format!("arrives at {}", number::instant(block.from))),
        alone.unwrap_or_default(),
        estimated.unwrap_or_default(),
        due.unwrap_or_default(),
    );
    let (from, to) = (axis.fraction(block.from), axis.fraction(block.to));
    let [left, width, top, height] =
        [from, to - from, block.row as f64 / *rows as f64, 1.0 / *rows as f64].map(|part| part * 100.0);
    let style = format!("left:{left:.3}%;width:{width:.3}%;top:{top:.3}%;height:{height:.3}%");
    let class = classes!(
        "block",
        format!("hue-{}", hue.hue),
        (hue.shade == 1).then_some("alt"),
        (*rows > ROWS_WITH_BORDERS).then_some("dense"),
        match face {
            BlockAppearance::Chosen => Some("chosen"),
            BlockAppearance::Normal => None,
            BlockAppearance::Back => Some("back"),
        },
    );
    let pressed = (*face == BlockAppearance::Chosen).to_string();
    html! {
        <button type="button" {class} {style} aria-label={facts} aria-pressed={pressed}
            data-job={block.job.to_string()} data-at={axis.label(block.from)}
            tabindex={if *reached { "0" } else { "-1" }}>
            if let Some(estimate) = estimate {
                <i class="estimate" style={format!("width:{:.1}%", estimate.min(MAX_ESTIMATE) * 100.0)}></i>
            }
            { name(props, &core_seconds) }
        </button>
    }
}

/// A block's name, and its work where there is room for that too.
fn name(props: &BlockProps, work: &str) -> Option<Html> {
    let BlockProps { card: JobBlock { label, block, .. }, axis, width, rows, .. } = props;
    if *rows > ROWS_FOR_NAME {
        return None;
    }
    let px = |time| axis.fraction(time) * width;
    let from = px(block.from);
    let to = px(block.to).max(from + MIN_BLOCK_PX);
    let next = block.next.map_or(*width, px).min(*width);
    let on = to.min(*width) - from.max(0.0);
    let shown = lanes::label(on, next - to, label.chars().count(), work.chars().count())?;
    let (class, style) = match shown.anchor {
        // The name of a block that begins before the window is at the window's edge.
        Anchor::On => ("on", (from < 0.0).then(|| format!("margin-left:{:.0}px", -from))),
        Anchor::Beside => ("beside", Some(format!("max-width:{:.0}px", shown.width))),
    };
    Some(html! {
        <span {class} {style}>{ label }if shown.with_work { <small>{ format!(" {work}") }</small> }</span>
    })
}
