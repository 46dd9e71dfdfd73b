//! Guided tours over the page: what a step says, what it sets the page up to, what it points at and
//! what it asks.
//!
//! A lesson is data. Its texts hold no figures of their own: a figure is written as an expression in
//! braces, such as `{response fair query}`, and told by the simulator when the step is shown (see
//! [`Facts`]). What a text says in words about figures (*sooner*, *the same*) stands beside it as
//! [`Step::claims`], and a test holds every claim against the simulator.

mod atr;
mod deadlines;
mod estimates;
mod facts;
mod fifo_and_fair;
mod inversion;
mod jobs_and_users;
mod markup;
mod place;
mod scene;
mod skew;
mod told;
mod virtual_time;
mod walk;

pub use facts::{FactError, Facts, Quantity, Unit};
pub use markup::{Piece, pieces};
pub use place::{Place, PlaceError};
pub use scene::{Hue, Layer, Question, Scene, Side, Source};
pub use told::{Told, ToldBlock, ToldGuess, tell};
pub use walk::{Line, Walk, walk};

/// A guided tour.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// Name in links and in the browser's storage.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What one knows afterwards, in a sentence.
    pub promise: &'static str,
    /// About how long it takes.
    pub minutes: u32,
    /// The steps, four to eight.
    pub steps: &'static [Step],
}

/// One thing to see.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Title for people.
    pub title: &'static str,
    /// What is said.
    pub text: &'static [Block],
    /// What the page shows meanwhile.
    pub scene: Scene,
    /// What is pointed at; the first is scrolled into view.
    pub spots: &'static [Spot],
    /// What is asked, if anything.
    pub guess: Option<Guess>,
    /// What the words take for granted: comparisons of figures, such as
    /// `start fair query < start fifo query`. Tests check them.
    pub claims: &'static [&'static str],
}

/// A question with a few answers, of which one is right.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// The question.
    pub question: &'static str,
    /// The answers to choose from. The right one's figures are the simulator's; the others' are free.
    pub options: &'static [&'static str],
    /// The place of the right answer.
    pub right: usize,
    /// Why it is right, with the figures.
    pub answer: &'static [Block],
    /// What the page shows once an answer is chosen, where the step's own scene holds that back.
    pub reveal: Option<Reveal>,
}

/// What is shown and pointed at once a question is answered. The scenario is the step's.
#[derive(Clone, Copy, Debug)]
pub struct Reveal {
    /// What the page shows.
    pub scene: Scene,
    /// What is pointed at.
    pub spots: &'static [Spot],
}

/// Whether a step's question has been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Not yet, or there is none.
    Asking,
    /// It has.
    Answered,
}

impl Step {
    /// What the page shows, and what is pointed at.
    pub fn shown(&self, stage: Stage) -> (&Scene, &'static [Spot]) {
        match self.guess.as_ref().and_then(|guess| guess.reveal.as_ref()) {
            Some(reveal) if stage == Stage::Answered => (&reveal.scene, reveal.spots),
            _ => (&self.scene, self.spots),
        }
    }
}

/// A piece of a step's text.
#[derive(Clone, Copy, Debug)]
pub enum Block {
    /// A paragraph.
    Text(&'static str),
    /// A list of short points.
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
pub enum Spot {
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
    /// The choice of policies.
    Policies,
    /// The advisory task runtime.
    Atr,
    /// The switch that marks priority inversion.
    MarkInversion,
    /// The switch that marks stragglers.
    MarkSkew,
    /// The jobs that can be dragged into a lane.
    Palette,
    /// The buttons that move the playhead.
    Transport,
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
    /// Where two schedules part.
    Parting,
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
];
