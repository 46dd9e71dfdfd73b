//! Guided tours over the page: what each step says, shows, points at and asks.
//!
//! A lesson is a [document]. Its texts hold no figures of their own: a figure is written as an expression in
//! braces, such as `{response fair query}`, and computed by the simulator when the step is shown (see
//! [`LessonFacts`]). What a text says in words about figures (*sooner*, *the same*) is repeated beside it as
//! a [claim](document::Claim), which is checked with the simulator.
//!
//! ```
//! for lesson in fairlane_study::lesson::lessons() {
//!     println!("{}: {} steps", lesson.title, lesson.steps.len());
//! }
//! ```

pub mod answers;
mod challenge;
pub mod document;
mod facts;
pub mod grade;
mod outline;
mod own;
mod step_id;
mod walk;

pub use challenge::{
    Challenge, ChallengeGoal, ChallengeRule, ChallengeScore, GoalSide, GoalWords, Judgement, Par, changes,
};
pub use facts::{
    Completion, EXPRESSIONS, Expression, ExpressionSubject, FactError, LessonFacts, Quantity, QuantityUnit,
};
pub use outline::{OUTLINES, Outline, StepOutline};
pub use own::{challenges, lessons};
pub use step_id::{StepId, StepIdError};
pub use walk::{AlgorithmLine, AlgorithmWalk, walk};

/// The name of the recorded run of real Spark.
pub const RECORDING: &str = "four-users-on-spark";
/// The file beside the page with its event log.
pub const RECORDING_FILE: &str = "multi-fair.gz";
