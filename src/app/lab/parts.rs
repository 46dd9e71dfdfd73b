//! The parts of the laboratory, and what each of them shows.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::background::Background;
use crate::app::effects::Dispatch;
use crate::app::welcome;
use crate::panels::StateProps;
use crate::panels::editors::job::{JobEditor, Workers};
use crate::panels::editors::program::{self, ProgramTab};
use crate::panels::guide::about::About;
use crate::panels::guide::help::Help;
use crate::panels::guide::lessons::{LessonCard, LessonCardProps, List, Writer};
use crate::panels::guide::poll::{PollCard, PollFlags, PollProps, PollStory};
use crate::panels::guide::predict::{PredictCard, PredictExit};
use crate::panels::header::Header;
use crate::panels::lanes::Lanes;
use crate::panels::lanes::palette::Palette;
use crate::panels::notice::{notice_bar, opening_bar};
use crate::panels::results::charts::Charts;
use crate::panels::results::compare::Compare;
use crate::panels::results::differences::Differences;
use crate::panels::results::inspector::Inspector;
use crate::panels::results::log::LogCard;
use crate::panels::results::why::Why;
use crate::panels::schedule::block_tip::BlockTip;
use crate::panels::schedule::ideal::{Ideal, IdealProps};
use crate::panels::schedule::legend::Legend;
use crate::panels::schedule::overview::Overview;
use crate::panels::schedule::story::Story;
use crate::panels::schedule::tools::Tools;
use crate::panels::setup::drawer::SetUp;
use crate::panels::setup::policies::Policies;
use crate::panels::setup::task_length::TaskLength;
use crate::panels::share::buttons::Share;
use crate::panels::share::export::ExportItems;
use crate::panels::share::saved_scenarios::Mine;
use crate::panels::tabs::Tabs;
use crate::plots::theme::Theme;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{
    Action, DisplayMode, Document, InspectorPart, LogImport, Motion, SideSheet, State, Tab, UiAction,
    ViewAction, WelcomeScene, selectors,
};
use crate::ui::focus::focus;
use crate::ui::lazy::Lazy;
use crate::ui::send::Handlers;
use crate::workers::pool::Pool;
use fairlane::policy::{OBSERVED, PolicyId, custom};
use fairlane::scenario::PartitionMode;
use fairlane::trace::Difference;
use fairlane_view::TimeAxis;

/// Why what a log recorded is not shown beside what is simulated.
const OTHER_CLUSTER: &str =
    " is not shown: the cluster is no longer the log's. Undo the change to compare with it.";
const NOT_READ: &str =
    " is not shown: a link has the log's figures and not its schedule. Open the log itself to see it.";
const OTHER_JOBS: &str = "The jobs are no longer the log's, so nothing is compared with it. Undo the change to bring the log back.";

/// What all parts are made of.
pub struct Parts<'a> {
    pub state: &'a State,
    /// The page without what is dragged: what is derived from all schedules follows once the drag has ended, as each
    /// frame of it has ten new ones.
    pub settled: &'a State,
    /// What the editors beside the lanes show: it stays as it is while jobs are dragged.
    pub set_up: &'a Shared<Document>,
    pub theme: &'a Theme,
    pub pool: &'a Pool,
    pub dispatch: &'a Dispatch,
    pub send: &'a Callback<Action>,
    /// The settled schedules, in the order of their panels.
    pub schedules: &'a [(PolicyId, Shared<Analysis>)],
    /// How the two compared schedules differ, while that is shown.
    pub difference: &'a Option<Shared<Difference>>,
}

impl Parts<'_> {
    fn document(&self) -> &Shared<Document> {
        &self.state.document
    }

    fn props(&self, state: &State) -> StateProps {
        StateProps { state: state.clone(), colours: self.theme.colours.clone() }
    }

    /// The classes of the whole page, by which the stylesheet arranges it. `in_columns`: names, schedules and outcomes
    /// have a column each.
    pub fn classes(&self, in_columns: bool) -> Classes {
        let state = self.state;
        let sheet = match (state.ui.sheet, state.view.tab) {
            (SideSheet::Folded, _) => None,
            _ if state.ui.welcome.is_some() => None,
            (SideSheet::SetUp, _) => Some("with-set-up"),
            (SideSheet::Unfolded, Tab::Compare) => Some("with-sheet comparing"),
            (SideSheet::Unfolded, _) => Some("with-sheet"),
        };
        classes!(
            "lab",
            in_columns.then_some("in-columns"),
            state.drag.is_some().then_some("dragging"),
            state.lessons.tour.is_some().then_some("with-lesson"),
            state.lessons.writing.then_some("writing"),
            (state.view.mode == DisplayMode::Present).then_some("presenting"),
            (state.predict.is_some() || state.poll.is_some()).then_some("predicting"),
            state.poll.is_some().then_some("polling"),
            state.ui.welcome.is_some().then_some("welcome"),
            (state.playback.motion == Motion::Playing).then_some("playing"),
            sheet
        )
    }

    pub fn header(&self, open: Callback<Vec<web_sys::File>>) -> Html {
        // The space bar plays then, instead of leaving.
        let present = {
            let enters = self.state.view.mode == DisplayMode::Work;
            self.send.press_then(ViewAction::Present, move || {
                if enters {
                    focus("#play");
                }
            })
        };
        let further = html! {
            <>
                <button id="present" aria-pressed={(self.state.view.mode == DisplayMode::Present).to_string()}
                    onclick={present}
                    title="Larger type, the schedules alone (P)">{ "Present" }</button>
                <details class="menu" name="menu" id="export">
                    <summary id="save">{ "Save" }</summary>
                    <div><Lazy<ExportItems> ..self.props(self.settled) /></div>
                </details>
                <Lazy<Help> open={self.state.ui.help} />
            </>
        };
        html! {
            <Header document={self.settled.document.clone()} can_undo={self.state.history.undo_title().is_some()}
                can_redo={self.state.history.redo_title().is_some()}
                {open} mode={self.theme.mode} next_theme={self.theme.next.clone()}
                mine={html! { <Lazy<Mine> /> }} {further}>
                <button type="button" id="open-set-up" aria-controls="set-up"
                    aria-expanded={(self.state.ui.sheet == SideSheet::SetUp).to_string()}
                    onclick={self.send.press(UiAction::SetUp)}
                    title="Policies, cluster, users, and a generator of jobs">{ "Set up" }</button>
                <details class="menu lessons-menu" name="menu" id="lessons">
                    <summary title="Guided tours of this page">{ "Lessons" }</summary>
                    <div><Lazy<List> lessons={self.state.lessons.clone()} /></div>
                </details>
                <Lazy<Share> state={self.settled.clone()} />
            </Header>
        }
    }

    /// What happens in the schedules, in short.
    pub fn story(&self) -> Html {
        let story = match self.state.poll {
            Some(_) => html! { <Lazy<PollStory> ..self.poll_props() /> },
            None => html! { <Lazy<Story> state={self.settled.clone()} /> },
        };
        html! { <div class="story" id="story" role="region" aria-label="In short">{ story }</div> }
    }

    fn poll_props(&self) -> PollProps {
        PollProps { state: self.state.clone() }
    }

    /// The step of a lesson, if one is under way.
    pub fn lesson(&self) -> Html {
        let Some(tour) = &self.state.lessons.tour else { return Html::default() };
        html! { <Lazy<LessonCard> ..LessonCardProps::new(tour, self.state) /> }
    }

    /// The predictions, if they are under way.
    pub fn predict(&self) -> Html {
        let state = self.state.clone();
        match self.state.predict {
            Some(_) => html! { <Lazy<PredictCard> {state} place={PredictExit::Lab} /> },
            None => Html::default(),
        }
    }

    /// The guesses of a class, if it is asked.
    pub fn poll(&self) -> Html {
        match self.state.poll {
            Some(_) => html! { <Lazy<PollCard> ..self.poll_props() /> },
            None => Html::default(),
        }
    }

    /// What runs behind the page, and its messages.
    pub fn messages(&self) -> Html {
        html! {
            <>
                <Lazy<Background> state={self.state.clone()} dispatch={self.dispatch.clone()} />
                { opening_bar(self.state.ui.opening.as_ref()) }
                if let Some(notice) = &self.state.ui.notice {
                    { notice_bar(notice, Html::default(), &self.send.reform(|()| Action::Ui(UiAction::CloseNotice))) }
                }
            </>
        }
    }

    /// The document that is written, if one is.
    pub fn writer(&self) -> Html {
        let tour = self.state.lessons.tour.as_ref().filter(|_| self.state.lessons.writing);
        let Some(lesson) = tour.and_then(|tour| tour.at.document()) else { return Html::default() };
        html! { <Lazy<Writer> lesson={lesson.clone()} state={self.settled.clone()} /> }
    }

    /// Lanes, ideal and panels on one axis of time; `names` are above the panels where one is in front.
    pub fn stage(&self, names: Html, panels: impl Iterator<Item = Html>) -> Html {
        let axis = self.state.axis();
        // What moves with the playhead: the stylesheet needs nothing else.
        let (at, off) = selectors::playhead_style(self.state);
        html! {
            <div class="stage" id="stage" role="region" aria-label="Schedules" tabindex="-1">
                <div class={classes!("timebox", off.then_some("off"))} style={at}>
                    <Lanes document={self.document().clone()} {axis} alone={selectors::alone(self.state).map(Rc::from)} colouring={self.state.view.colouring}
                        chosen={self.state.view.chosen.clone()} choice={self.state.ui.choice} schedules={self.schedules.to_vec()} />
                    { self.stage_tools(axis) }
                    <Legend document={self.document().clone()} colouring={self.state.view.colouring} />
                    <Lazy<Ideal> ..IdealProps::new(self.state, self.settled) />
                    if let Some(log) = self.document().log.as_ref().filter(|_| !self.state.runs.contains_key(&OBSERVED)) {
                        <p class="empty" id="no-observed">
                            <b>{ OBSERVED.title() }</b>{ if log.read.is_some() { OTHER_CLUSTER } else { NOT_READ } }</p>
                    }
                    if self.document().left_log { <p class="empty" id="left-log">{ OTHER_JOBS }</p> }
                    { names }
                    // A list of its own: its neighbours stay as they are when a policy is ticked.
                    <div class="panels">
                    { for panels }
                    </div>
                    if self.state.runs.is_empty() {
                        <p class="empty">{
                            "No policy is ticked. Tick one to see how it would schedule these jobs." }</p>
                    }
                    <div class="playhead" aria-hidden="true" hidden={off}></div>
                    if self.state.poll.is_some() {
                        <Lazy<PollFlags> ..self.poll_props() />
                    }
                    if self.state.view.window.is_some() {
                        <Lazy<Overview> analysis={self.schedules.first().map(|(_, analysis)| analysis.clone())} {axis}
                            whole={self.state.whole()} />
                    }
                </div>
                <Lazy<About> document={self.set_up.clone()} />
            </div>
        }
    }

    fn stage_tools(&self, axis: TimeAxis) -> Html {
        html! {
            <div class="stage-tools">
            <Lazy<Palette> document={self.settled.document.clone()} {axis} playhead={self.state.view.playhead}
                chosen={self.state.chosen_job()} />
            <Tools colouring={self.state.view.colouring} drawing={self.state.view.drawing} marks={self.state.marks().clone()} hiding={self.state.hiding_switch()}
                heights={self.state.rows()} {axis} zoomed={self.state.view.window.is_some()} has_room={self.state.has_room()}
                choice={self.state.ui.choice} textured={self.theme.textured} texture={self.theme.texture.clone()} />
            if self.state.view.policies.iter().any(|policy| policy.partitioning == PartitionMode::Runtime) {
                <Lazy<TaskLength> document={self.document().clone()} />
            }
            </div>
        }
    }

    /// What a newcomer sees. In columns the transport stands in the ruler, else at the foot.
    pub fn welcome(
        &self,
        scene: WelcomeScene,
        panels: impl Iterator<Item = Html>,
        [in_ruler, at_foot]: [Html; 2],
    ) -> Html {
        let state = self.state;
        let (at, off) = selectors::playhead_style(state);
        html! {
            <>
                { welcome::bar(self.send) }
                { welcome::story(state, scene) }
                { self.messages() }
                if scene.is_answered() { { in_ruler } }
                <main>
                    <div class="stage" id="stage" role="region" aria-label="Schedules" tabindex="-1">
                        <div class={classes!("timebox", off.then_some("off"))} style={at}>
                            <Lanes document={self.document().clone()} axis={state.axis()}
                                alone={selectors::alone(state).map(Rc::from)} colouring={state.view.colouring} chosen={state.view.chosen.clone()}
                                choice={state.ui.choice} schedules={self.schedules.to_vec()} />
                            <div class="panels" inert={!scene.is_answered()}>{ for panels }</div>
                            { welcome::flag(state, scene, self.send) }
                            <div class="playhead" aria-hidden="true" hidden={off}></div>
                        </div>
                    </div>
                    { welcome::telling(state, scene, self.send) }
                </main>
                if scene.is_answered() { { at_foot } }
            </>
        }
    }

    /// What is simulated: the log, policies, cluster, users.
    pub fn set_up(&self, import: Callback<LogImport>) -> Html {
        html! {
            <aside class="left" id="set-up" aria-label="Set-up">
                if let Some(log) = &self.document().log {
                    <Lazy<LogCard> document={self.document().clone()}
                        simulated={self.state.runs.get(&log.known.ran_with).cloned()} {import}
                        is_folded={self.state.ui.sheet == SideSheet::Folded} />
                }
                <Lazy<Policies> ticked={self.state.view.policies.clone()} document={self.set_up.clone()} />
                <Lazy<SetUp> document={self.set_up.clone()} />
            </aside>
        }
    }

    /// What came out, and editors.
    pub fn side(&self) -> Html {
        html! {
            <aside class="right" aria-label="Results and editors">
                <button type="button" class="fold-sheet small"
                    onclick={self.send.press(UiAction::FoldSheet)}
                    aria-label="Fold the sheet">{ "✕" }</button>
                <Tabs tab={self.state.view.tab} has_programs={!custom::programs(&self.document().scenario).is_empty()}
                    sheet={self.state.ui.sheet}>
                    { self.tab() }
                </Tabs>
            </aside>
        }
    }

    fn tab(&self) -> Html {
        match self.state.view.tab {
            // The comparison stays as it is beneath the inspector, so that Escape leads back to the figure.
            tab @ (Tab::Compare | Tab::Inspector(_)) => html! {
                <>
                    <div hidden={tab != Tab::Compare}>
                        if tab == Tab::Compare || self.state.ui.beneath == Some(Tab::Compare) {
                            <Lazy<Compare> ..self.props(self.settled) />
                        }
                    </div>
                    if let Tab::Inspector(part) = tab { { self.inspector(part) } }
                </>
            },
            Tab::Charts => html! {
                <Lazy<Charts> state={self.state.clone()} colours={self.theme.colours.clone()}
                    pool={self.pool.clone()} />
            },
            Tab::Program => html! {
                <Lazy<ProgramTab> document={self.document().clone()} approvals={self.state.approvals.clone()}
                    failures={program::failures(self.state)} moments={program::moments(self.state)} />
            },
            Tab::Differences => html! {
                <Lazy<Differences> state={self.state.clone()} difference={self.difference.clone()} />
            },
        }
    }

    /// The chosen job and why it runs when it does. Its editor is above the reasons, so that no field moves while
    /// the reader changes it.
    fn inspector(&self, part: InspectorPart) -> Html {
        let asked_of = if part == InspectorPart::Edit { self.settled } else { self.state };
        html! {
            <>
                <Lazy<Inspector> ..self.props(self.state) />
                if part == InspectorPart::Edit {
                    <Lazy<JobEditor> document={self.document().clone()}
                        chosen={self.state.view.chosen.iter().copied().collect::<Vec<_>>()}
                        ticked={self.state.view.policies.clone()}
                        workers={Workers { pool: self.pool.clone(), revision: self.state.revision,
                            means: self.state.means.clone() }} />
                }
                <Lazy<Why> ..self.props(asked_of) />
            </>
        }
    }

    /// The facts of the block that is pointed at.
    pub fn block_tip(&self) -> Html {
        let hidden = self.state.drag.is_some()
            || self.state.playback.motion == Motion::Playing
            || self.state.future().is_hidden();
        html! {
            <Lazy<BlockTip> schedules={self.schedules.to_vec()} at={self.state.view.playhead} {hidden}
                document={self.document().clone()} />
        }
    }
}

/// Links for whoever has no pointer.
pub fn skip_links() -> Html {
    let skip = |css: &'static str| {
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            focus(css);
        })
    };
    html! {
        <nav class="skip" aria-label="Skip">
            <a id="skip-to-schedules" href="#stage" onclick={skip("#stage")}>{ "To the schedules" }</a>
            <a id="skip-to-time" href="#play" onclick={skip("#play")}>{ "To the time controls" }</a>
            <a id="skip-to-figures" href="#side"
                onclick={skip(".tabs [aria-selected=true]")}>{ "To the figures" }</a>
        </nav>
    }
}
