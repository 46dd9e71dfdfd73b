//! Guided tours over the page: what each step says, shows, points at and asks.
//!
//! A lesson is data. Its texts hold no figures of their own: a figure is written as an expression in
//! braces, such as `{response fair query}`, and computed by the simulator when the step is shown (see
//! [`LessonFacts`]). What a text says in words about figures (*sooner*, *the same*) is repeated beside it as
//! [`LessonStep::claims`], and a test checks every claim with the simulator.
//!
//! ```
//! use fairlane_study::lesson::LESSONS;
//! for lesson in LESSONS {
//!     println!("{}: {} steps", lesson.title, lesson.steps.len());
//! }
//! ```

mod atr;
mod bounded_priority;
mod challenge;
mod challenges;
mod deadlines;
mod estimates;
mod facts;
mod fifo_and_fair;
mod inversion;
mod jobs_and_users;
mod learned;
mod markup;
mod name;
mod outline;
mod own_policy;
mod scene;
mod shortest_first;
mod skew;
mod spare_cores;
mod step_id;
mod too_late;
mod undeclared;
mod virtual_time;
mod walk;

pub use challenge::{
    Challenge, ChallengeGoal, ChallengeRule, ChallengeScore, GoalSide, Judgement, Par, changes,
};
pub use challenges::CHALLENGES;
pub use facts::{FactError, LessonFacts, Quantity, QuantityUnit};
pub use markup::{MarkupStyle, StyledText, evaluated, pieces};
pub use outline::{OUTLINES, Outline, StepOutline};
pub use scene::{LessonScene, RECORDING, RECORDING_FILE, StepSource};
pub use step_id::{StepId, StepIdError};
pub use walk::{AlgorithmLine, AlgorithmWalk, walk};

/// A guided tour.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// Name in links and in the browser's storage.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What the reader knows afterwards, in a sentence.
    pub promise: &'static str,
    /// About how long it takes.
    pub minutes: u32,
    /// The steps, four to eight.
    pub steps: &'static [LessonStep],
}

/// One step of a lesson.
#[derive(Clone, Copy, Debug)]
pub struct LessonStep {
    /// Title for people.
    pub title: &'static str,
    /// Its text.
    pub text: &'static [TextBlock],
    /// What the page shows meanwhile.
    pub scene: LessonScene,
    /// What is pointed at; the first is scrolled into view.
    pub spots: &'static [StepTarget],
    /// Its question, if it asks one.
    pub guess: Option<Guess>,
    /// What the text claims in words, as comparisons of figures such as `start fair query < start fifo query`.
    /// Tests check them.
    pub claims: &'static [&'static str],
}

/// A question with a few answers, of which one is right.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// The question.
    pub question: &'static str,
    /// The answers to choose from.
    pub options: &'static [&'static str],
    /// The index of the right answer.
    pub right: usize,
    /// Why it is right, with the figures.
    pub answer: &'static [TextBlock],
    /// What the page shows once an answer is chosen, if the step itself hides it.
    pub reveal: Option<Reveal>,
}

/// What is shown and pointed at once a question is answered. The scenario is the step's.
#[derive(Clone, Copy, Debug)]
pub struct Reveal {
    /// What the page shows.
    pub scene: LessonScene,
    /// What is pointed at.
    pub spots: &'static [StepTarget],
}

/// Whether a step's question has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessState {
    /// Not yet, or there is no question.
    Open,
    /// An answer is chosen.
    Answered,
}

impl LessonStep {
    /// What the page shows, and what is pointed at.
    pub fn shown(&self, guess: GuessState) -> (&LessonScene, &'static [StepTarget]) {
        match self.guess.as_ref().and_then(|guess| guess.reveal.as_ref()) {
            Some(reveal) if guess == GuessState::Answered => (&reveal.scene, reveal.spots),
            _ => (&self.scene, self.spots),
        }
    }
}

/// A block of a step's text.
#[derive(Clone, Copy, Debug)]
pub enum TextBlock {
    /// A paragraph.
    Text(&'static str),
    /// A list.
    Points(&'static [&'static str]),
    /// A small table.
    Table {
        /// The headings.
        head: &'static [&'static str],
        /// The rows; the first cell of each names it.
        rows: &'static [&'static [&'static str]],
    },
    /// UWFQ's Algorithm 1 line by line as a job arrives; the job by name.
    Walk(&'static str),
}

/// Something on the page that a step points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepTarget {
    /// All lanes.
    Lanes,
    /// A user's lane.
    Lane(&'static str),
    /// A job's block in its lane.
    Job(&'static str),
    /// A policy's panel.
    Panel(&'static str),
    /// Running and waiting tasks by user at the playhead, in a policy's panel.
    Load(&'static str),
    /// A chosen job's bar from arrival to finish, in a policy's panel.
    Response(&'static str),
    /// A policy in the list, named without suffix or with it.
    Policy(&'static str),
    /// The table of the pools of Spark's scheduler.
    Pools,
    /// The button that begins a program.
    Write,
    /// The advisory task runtime.
    Atr,
    /// The switch that marks priority inversion.
    MarkInversion,
    /// The switch that marks stragglers.
    MarkSkew,
    /// The jobs that can be dragged into a lane.
    Palette,
    /// Figures by policy.
    Overview,
    /// Figures by policy and user.
    ByUser,
    /// The ranked queue.
    Queue,
    /// The sentence that says why the first goes first.
    Reason,
    /// The plot of virtual time and deadlines.
    VirtualTime,
    /// The bars of a stage's input.
    SkewBars,
    /// The job's estimate in its editor.
    Estimate,
}

/// The lessons, in the order in which they build on each other.
pub const LESSONS: &[Lesson] = &[
    fifo_and_fair::LESSON,
    jobs_and_users::LESSON,
    virtual_time::LESSON,
    deadlines::LESSON,
    skew::LESSON,
    inversion::LESSON,
    atr::LESSON,
    estimates::LESSON,
    spare_cores::LESSON,
    bounded_priority::LESSON,
    too_late::LESSON,
    shortest_first::LESSON,
    name::LESSON,
    undeclared::LESSON,
    learned::LESSON,
];

/// All tours by the index of their steps' ids: the lessons, and behind them the [challenges](CHALLENGES).
const TOURS: [Lesson; LESSONS.len() + 1] = {
    let mut tours = [challenges::TOUR; LESSONS.len() + 1];
    let mut index = 0;
    while index < LESSONS.len() {
        tours[index] = LESSONS[index];
        index += 1;
    }
    tours
};
