//! The names that a program can read: what each means, its unit, and when it changes. Times are in seconds, work in
//! core-seconds.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use fairlane::ids::{Rank, UserId};
use fairlane::policy::explain::Value;
use fairlane::policy::{Context, JobView, StageView, View, tie_order};
use fairlane::scenario::{FairTieBreak, PartitionMode};
use fairlane::units::{MICROS_PER_SECOND, SlotTime, Time};

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The cluster: `now`.
    Cluster,
    /// A stage: `running`, `stage.running`.
    Stage,
    /// A job: `job.running`, `stage.job.running`.
    Job,
    /// A user: `user.running`, `stage.user.running`.
    User,
}

impl Subject {
    /// As a program and its errors call it; empty for the cluster.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Subject::Cluster => "",
            Subject::Stage => "stage",
            Subject::Job => "job",
            Subject::User => "user",
        }
    }
}

/// The unit of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// None.
    None,
    /// Tasks.
    Tasks,
    /// Cores.
    Cores,
    /// Seconds.
    Seconds,
    /// Core-seconds.
    Work,
    /// MB.
    Memory,
    /// A whole number without a unit, such as a position.
    Whole,
}

impl Unit {
    /// As people read it; empty for none.
    pub fn text(self) -> &'static str {
        match self {
            Unit::None | Unit::Whole => "",
            Unit::Tasks => "tasks",
            Unit::Cores => "cores",
            Unit::Seconds => "s",
            Unit::Work => "core-s",
            Unit::Memory => "MB",
        }
    }

    /// A number of this unit as explanations show it.
    pub fn value(self, number: f64) -> Value {
        match self {
            Unit::Tasks if number >= 0.0 && number.fract() == 0.0 => Value::Tasks(number as u32),
            Unit::Whole if number >= 0.0 && number.fract() == 0.0 => Value::Number(number as u64),
            Unit::Cores => Value::Cores(number),
            Unit::Seconds => Value::Seconds(number * MICROS_PER_SECOND),
            Unit::Work => Value::Work(number * MICROS_PER_SECOND),
            Unit::Memory => Value::Memory(number),
            Unit::None | Unit::Tasks | Unit::Whole => Value::Score(number),
        }
    }
}

/// What changes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Never,
    /// Tasks of the stage are launched and end.
    StageCounts,
    /// Tasks of the job.
    JobCounts,
    /// Tasks of the user.
    UserCounts,
    /// Anybody's tasks.
    AnyCounts,
    /// Time passes.
    Time,
}

/// A name that a program can read.
pub struct Name {
    /// What it belongs to.
    pub subject: Subject,
    /// The name.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What it means.
    pub meaning: &'static str,
    /// What changes it.
    pub changes: Changes,
    pub(crate) get: fn(&NameScope) -> f64,
}

impl Name {
    /// As an expression writes it: `running`, `job.running`.
    pub fn path(&self) -> String {
        match self.subject {
            Subject::Cluster | Subject::Stage => self.name.to_owned(),
            subject => format!("{}.{}", subject.word(), self.name),
        }
    }
}

/// What is wrong with reading a number of an object of an earlier call, which is as it was then; `None` of what never
/// changes.
pub fn outdated(index: usize) -> Option<String> {
    let name = &NAMES[index];
    let word = name.subject.word();
    (name.changes != Changes::Never).then(|| {
        format!(
            "this {word} is of an earlier call, and its `{}` is no longer what it was; keep the number itself, or \
             compute it from `now` and from what stays, such as {}",
            name.name,
            match name.subject {
                Subject::User => "`weight` and `index`",
                Subject::Stage | Subject::Job | Subject::Cluster => "`arrival`, `estimate` and `rank`",
            }
        )
    })
}

/// What a program reads of a stage: a value for each of [`NAMES`], in their order.
pub fn values(stage: StageView) -> Vec<Value> {
    let view = stage.view();
    let known = Known::new(&Context::new(view.scenario(), PartitionMode::Default));
    let job = stage.job_view();
    let scope = NameScope { view, known: &known, stage: Some(stage), job: Some(job), user: stage.user() };
    NAMES.iter().map(|name| name.unit.value((name.get)(&scope))).collect()
}

/// What numbers are read of.
#[derive(Clone, Copy)]
pub(crate) struct NameScope<'a> {
    pub view: &'a View,
    pub known: &'a Known,
    pub stage: Option<StageView<'a>>,
    pub job: Option<JobView<'a>>,
    pub user: UserId,
}

/// What holds throughout a simulation.
pub(crate) struct Known {
    name_order: Rc<[u32]>,
    /// Names of users and of jobs, once they have been asked for, by user and by rank.
    user_names: RefCell<Vec<Option<Arc<str>>>>,
    job_names: RefCell<Vec<Option<Arc<str>>>>,
    tie_break: FairTieBreak,
    /// When each job is due, once it has been asked, by rank.
    deadlines: RefCell<Vec<Option<f64>>>,
}

impl Known {
    pub fn new(context: &Context) -> Known {
        Known {
            name_order: Rc::clone(&context.name_order),
            user_names: RefCell::new(vec![None; context.weights.len()]),
            job_names: RefCell::new(vec![None; context.jobs()]),
            tie_break: context.scenario.cluster().fair_tie_break,
            deadlines: RefCell::new(vec![None; context.jobs()]),
        }
    }

    pub fn user_name(&self, user: UserId, view: &View) -> Arc<str> {
        let name = || view.scenario().users()[user.index()].name.as_str().into();
        Arc::clone(self.user_names.borrow_mut()[user.index()].get_or_insert_with(name))
    }

    pub fn job_name(&self, job: JobView) -> Arc<str> {
        let name = || job.spec().name.as_str().into();
        Arc::clone(self.job_names.borrow_mut()[job.rank().index()].get_or_insert_with(name))
    }

    /// When a job is due: its response alone is simulated once.
    fn deadline(&self, job: Rank, view: &View) -> f64 {
        let mut deadlines = self.deadlines.borrow_mut();
        let due = || (view.job(job).arrival() + view.deadline(job)).seconds();
        *deadlines[job.index()].get_or_insert_with(due)
    }
}

fn work(work: SlotTime) -> f64 {
    work.seconds()
}

fn waited(scope: &NameScope, since: Time) -> f64 {
    scope.view.now().since(since).seconds()
}

impl<'a> NameScope<'a> {
    fn stage<T: Default>(&self, read: impl Fn(StageView<'a>) -> T) -> T {
        self.stage.map(read).unwrap_or_default()
    }

    fn job<T: Default>(&self, read: impl Fn(JobView<'a>) -> T) -> T {
        self.job.map(read).unwrap_or_default()
    }

    fn weight(&self) -> f64 {
        self.view.scenario().users()[self.user.index()].weight.value()
    }
}

macro_rules! names {
    ($($subject:ident $name:literal $unit:ident $changes:ident $meaning:literal $get:expr;)*) => {
        &[$(Name {
            subject: Subject::$subject,
            name: $name,
            unit: Unit::$unit,
            meaning: $meaning,
            changes: Changes::$changes,
            get: $get,
        }),*]
    };
}

/// The names, in the order in which they are listed.
pub const NAMES: &[Name] = names! {
    Cluster "now" Seconds Time "The instant, from the start of the simulation." |at| at.view.now().seconds();
    Cluster "cores" Cores Never "Cores of the cluster." |at| at.view.cores().into();
    Cluster "free_cores" Cores AnyCounts "Cores that no task holds." |at| at.view.free_cores().into();

    Stage "running" Tasks StageCounts "Tasks that hold a core." |at| at.stage(|stage| stage.running()).into();
    Stage "pending" Tasks StageCounts "Tasks not yet launched." |at| at.stage(|stage| stage.pending()).into();
    Stage "tasks" Tasks Never "All its tasks." |at| at.stage(|stage| stage.tasks()).into();
    Stage "estimate" Work Never "The work that is expected of it." |at| at.stage(|stage| work(stage.estimate()));
    Stage "attained" Work Time "Core time that its tasks have held so far."
        |at| at.stage(|stage| work(stage.attained()));
    Stage "memory" Memory Never "Memory that each task holds." |at| at.stage(|stage| stage.memory()) as f64;
    Stage "position" Whole Never "Its position in its job, from 0." |at| at.stage(|stage| stage.position()).into();
    Stage "parents" Whole Never "Number of its parents." |at| at.stage(|stage| stage.spec().parents.len()) as f64;
    Stage "submission" Whole Never "How many stages were submitted before it."
        |at| at.stage(|stage| stage.submission()).into();
    Stage "id" Whole Never "Its number." |at| at.stage(|stage| stage.id().0) as f64;
    Stage "tie" Whole Never "Its place among ties under Spark's fair scheduler." |at| at.stage(|stage| {
        // Exact enough to keep the order of all ids below 10^15.
        tie_order(at.known.tie_break, stage.id()) as f64
    });
    Stage "weight" None Never "The weight of its user." |at| at.weight();
    Stage "rank" Whole Never "The rank of its job." |at| at.job(|job| job.rank().0).into();
    Stage "arrival" Seconds Never "When its job arrived." |at| at.job(|job| job.arrival().seconds());
    Stage "waited" Seconds Time "Time since its job arrived." |at| at.job(|job| waited(at, job.arrival()));
    Stage "deadline" Seconds Never "When its job is due: as the scenario says, else the factor times its response alone."
        |at| at.job(|job| at.known.deadline(job.rank(), at.view));

    Job "running" Tasks JobCounts "Its tasks that hold a core." |at| at.job(|job| job.running()).into();
    Job "pending" Tasks JobCounts "Tasks of its submitted stages not yet launched."
        |at| at.job(|job| job.pending()).into();
    Job "estimate" Work Never "The work that is expected of it." |at| at.job(|job| work(job.estimate()));
    Job "unsubmitted" Work JobCounts "The work that is expected of its stages not yet submitted."
        |at| at.job(|job| work(job.unsubmitted()));
    Job "attained" Work Time "Core time that its tasks have held so far." |at| at.job(|job| work(job.attained()));
    Job "stages" Whole Never "Number of its stages." |at| at.job(|job| job.stages().len()) as f64;
    Job "parallelism" Tasks Never "The most tasks of its stages." |at| at.job(|job| job.parallelism()).into();
    Job "rank" Whole Never "Its index in the order of arrival, from 0." |at| at.job(|job| job.rank().0).into();
    Job "arrival" Seconds Never "When it arrived." |at| at.job(|job| job.arrival().seconds());
    Job "waited" Seconds Time "Time since it arrived." |at| at.job(|job| waited(at, job.arrival()));
    Job "deadline" Seconds Never "When it is due: as the scenario says, else the factor times its response alone."
        |at| at.job(|job| at.known.deadline(job.rank(), at.view));
    Job "weight" None Never "The weight of its user." |at| at.weight();

    User "running" Tasks UserCounts "Its tasks that hold a core." |at| at.view.user_running(at.user).into();
    User "pending" Tasks UserCounts "Tasks of its submitted stages not yet launched."
        |at| at.view.user_pending(at.user).into();
    User "weight" None Never "Its weight." |at| at.weight();
    User "memory" Memory UserCounts "Memory that its tasks hold." |at| at.view.user_memory(at.user) as f64;
    User "index" Whole Never "Its position in the list of users, from 0." |at| at.user.0.into();
    User "position" Whole Never "Its position in the order of names, from 0."
        |at| at.known.name_order[at.user.index()].into();
};

/// How many names there are.
pub const COUNT: usize = NAMES.len();

const _: () = assert!(COUNT <= 64, "the names have a bit each");

/// For each of [`Changes`] the names that change in that way: a bit for each index.
pub const CHANGING: [u64; 6] = {
    let mut bits = [0; 6];
    let mut index = 0;
    while index < COUNT {
        bits[NAMES[index].changes as usize] |= 1 << index;
        index += 1;
    }
    bits
};

/// The indices of names whose bits are set.
pub(crate) fn indices(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.saturating_sub(1);
        index
    })
}

/// The index of a name.
pub(crate) fn find(subject: Subject, name: &str) -> Option<usize> {
    NAMES.iter().position(|known| known.subject == subject && known.name == name)
}
