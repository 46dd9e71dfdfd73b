//! Sections 4, 9 and 15 of `docs/model.md`: the policies, word for word, a file for each.
//!
//! To add one, write its file and its line in [`POLICIES`]: a key, how it offers, and what it does at events.

use std::cmp::Ordering;

use super::{Setting, State};

mod baseline_fs;
mod bopf;
mod cfq;
mod deadline_oracle;
mod decay;
mod drf;
mod gate;
mod graphene;
mod justice;
mod karma;
mod m_bvt;
mod paf;
mod pools;
mod queues;
mod reactive_fs;
mod sjf_cp;
mod sp;
mod spark;
mod tetris;
mod uwfq;
mod wfair;

/// A policy and what makes it.
type Entry = (&'static str, fn(&Setting) -> Box<dyn Policy>);

/// The policies that this simulator has.
pub const POLICIES: &[Entry] = &[
    ("fifo", |_| Box::new(spark::Fifo)),
    ("fair", |_| Box::new(spark::Fair)),
    ("ujf", |_| Box::new(spark::Ujf)),
    ("cfq", |setting| Box::new(cfq::Cfq::new(setting))),
    ("uwfq", |setting| Box::new(uwfq::Uwfq::new(setting))),
    ("spark", |setting| Box::new(pools::Spark::new(setting))),
    ("sjf-cp", |_| Box::new(sjf_cp::SjfCp)),
    ("wfair", |_| Box::new(wfair::Wfair)),
    ("graphene", |_| Box::new(graphene::Graphene)),
    ("tetris", |_| Box::new(tetris::Tetris)),
    ("paf", |_| Box::new(paf::Paf)),
    ("baseline-fs", |_| Box::new(baseline_fs::BaselineFs)),
    ("reactive-fs", |_| Box::new(reactive_fs::ReactiveFs)),
    ("deadline-oracle", |setting| Box::new(deadline_oracle::DeadlineOracle::new(setting))),
    ("justice", |setting| Box::new(justice::Justice::new(setting))),
    ("drf", |_| Box::new(drf::Drf)),
    ("sp", |_| Box::new(sp::Sp)),
    ("m-bvt", |setting| Box::new(m_bvt::MBvt::new(setting))),
    ("n-bopf", |setting| Box::new(bopf::Bopf::new(setting, false))),
    ("bopf", |setting| Box::new(bopf::Bopf::new(setting, true))),
    ("karma", |setting| Box::new(karma::Karma::new(setting))),
    ("decay", |_| Box::new(decay::Decay)),
];

/// How a policy's offer rounds go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Offers {
    /// Sections 3 and 8: stages are sorted once.
    Ranking,
    /// Section 9: each core is offered on its own.
    OneByOne,
    /// The same, but a freed core first goes to the job that it served.
    Sticky,
    /// The first executor on which some stage can launch; there the one with the least key.
    ByExecutor,
}

/// What a policy does to a job at an event.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "for the policies of sections 10 and 11")]
pub enum Action {
    Start(usize),
    Drop(usize),
    Reject(usize),
}

/// A policy. Jobs and stages are named by their indices in the file.
pub trait Policy {
    fn offers(&self) -> Offers;

    /// The key of a submitted stage, as counts stand now.
    fn key(&self, state: &State, job: usize, stage: usize) -> Key;

    /// How many more tasks the policy lets a stage launch.
    fn room(&self, _: &State, _job: usize, _stage: usize) -> u64 {
        u64::MAX
    }

    /// What the cap on a stage is shared by, if there is one: the stages of one job, or of one pool.
    fn capped_group(&self, _: &State, _job: usize, _stage: usize) -> Option<String> {
        None
    }

    /// Section 26: the name and the weight of a stage's party.
    fn party(&self, state: &State, job: usize, _stage: usize) -> (String, f64) {
        user_of(state, job)
    }

    /// The key on a core in question.
    fn key_on(&self, state: &State, job: usize, stage: usize, _core: usize) -> Key {
        self.key(state, job, stage)
    }

    /// Section 28: up to how many cores a job accepts, if that is limited.
    fn target(&self, _: &State, _job: usize) -> Option<f64> {
        None
    }

    /// Section 28: whether stages have keys before they are submitted.
    fn ranks_all(&self) -> bool {
        true
    }

    /// How long after its arrival a job's deadline event is, for a policy that has such events.
    fn deadline_of(&self, _: &State, _job: usize) -> Option<u64> {
        None
    }

    /// How long each of its periods is, if it has some.
    fn period(&self, _: &Setting) -> Option<u64> {
        None
    }

    fn period_over(&mut self, _: &State) {}

    /// The classes of the users, if there are any.
    fn classes(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn job_arrived(&mut self, _: &State, job: usize) -> Vec<Action> {
        vec![Action::Start(job)]
    }

    fn stage_submitted(&mut self, _: &State, _job: usize, _stage: usize) {}

    fn job_ended(&mut self, _: &State, _job: usize) -> Vec<Action> {
        Vec::new()
    }

    fn deadline(&mut self, _: &State, _job: usize) -> Vec<Action> {
        Vec::new()
    }
}

/// The name and the weight of a job's user.
fn user_of(state: &State, job: usize) -> (String, f64) {
    let user = &state.setting.users[state.setting.jobs[job].user];
    (user.name.clone(), user.weight())
}

/// A key; keys are compared part by part.
pub type Key = Vec<KeyPart>;

/// A part of a key.
#[derive(Debug, PartialEq)]
pub enum KeyPart {
    Whole(u64),
    /// The number with a minus.
    Negative(u64),
    Number(f64),
    Text(String),
}

pub use KeyPart::{Negative, Number, Text, Whole};

/// Compares two keys of one policy.
pub fn compare(a: &Key, b: &Key) -> Ordering {
    for pair in a.iter().zip(b) {
        let order = match pair {
            (Whole(a), Whole(b)) => a.cmp(b),
            (Negative(a), Negative(b)) => b.cmp(a),
            (Number(a), Number(b)) => a.partial_cmp(b).unwrap(),
            (Text(a), Text(b)) => a.cmp(b),
            _ => panic!("keys of one policy have the same parts"),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}
