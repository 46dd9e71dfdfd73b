//! A simulation that stops where something is to be decided, and what is seen there.

use fairlane::engine::Engine;
use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::{Context, JobPhase, Policy};
use fairlane::scenario::{PartitionMode, Scenario, ScenarioError};
use fairlane::trace::Trace;

use super::player::{Order, Player, may_launch};
use crate::input::unplaced;

/// Numbers of a stage in an observation.
pub const STAGE_NUMBERS: usize = 9;
/// Numbers of a user.
pub const USER_NUMBERS: usize = 5;
/// Numbers of the cluster.
pub const CLUSTER_NUMBERS: usize = 4;

/// What an action chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionSpace {
    /// A stage, and a limit of cores for its job.
    Stage,
    /// A user.
    User,
    /// A user, and its weight from now on.
    Weight,
}

/// Largest weight of an action.
pub const MOST_WEIGHT: i64 = 10;

/// What an action chooses, and how many stages, dependencies and users an observation has room for.
#[derive(Clone, Copy)]
pub struct Room {
    pub actions: ActionSpace,
    pub stages: usize,
    pub edges: usize,
    pub users: usize,
}

/// What is seen at a decision, padded to the room that there is.
pub struct Observation {
    pub stages: Vec<[f32; STAGE_NUMBERS]>,
    /// Of each stage: its job, counted among those in the system; -1 where there is no stage.
    pub jobs: Vec<i32>,
    /// Pairs of stages, the parent first; -1 where there is none.
    pub edges: Vec<[i32; 2]>,
    /// Which stages may be chosen.
    pub mask: Vec<bool>,
    /// The least limit that launches a task of a stage that may be chosen, else 0.
    pub least: Vec<i32>,
    pub users: Vec<[f32; USER_NUMBERS]>,
    /// Which users may be chosen.
    pub user_mask: Vec<bool>,
    pub cluster: [f32; CLUSTER_NUMBERS],
    /// What has passed since the last decision.
    pub passed: Passed,
    /// Jobs in the system.
    pub active: u32,
    pub is_over: bool,
}

/// What has passed between two decisions.
#[derive(Clone, Copy, Default)]
pub struct Passed {
    /// Seconds.
    pub elapsed: f64,
    /// Jobs in the system, integrated over the seconds.
    pub job_seconds: f64,
    /// Jobs that have ended.
    pub ended: u32,
    /// The sum of their response times, in seconds.
    pub responses: f64,
}

/// An episode.
pub struct Episode {
    engine: Engine<Player>,
    scenario: Scenario,
    /// The jobs in the system, by rank.
    active: Vec<Rank>,
    arrived: u32,
    /// The stages of the last observation.
    shown: Vec<StageIndex>,
    is_over: bool,
}

impl Episode {
    /// Up to the first decision.
    pub fn start(scenario: Scenario, room: Room) -> Result<(Episode, Observation), ScenarioError> {
        let has_places = |stage: &fairlane::scenario::Stage| stage.barrier || stage.has_preferences();
        if scenario.jobs().iter().any(|job| job.stages.iter().any(has_places)) {
            return Err(unplaced(
                "an episode has no stages that start together or prefer executors; leave `barrier` and `prefers` out",
            ));
        }
        let player = Player::new(&Context::new(&scenario, PartitionMode::Default));
        let mut engine = Engine::with(&scenario, PartitionMode::Default, player);
        engine.policy_mut().keeps_stages = room.actions == ActionSpace::Stage;
        let mut episode =
            Episode { engine, scenario, active: Vec::new(), arrived: 0, shown: Vec::new(), is_over: false };
        let seen = episode.go_on(room)?;
        Ok((episode, seen))
    }

    /// Takes an action, and goes on to the next decision.
    pub fn choose(&mut self, chosen: i64, number: i64, room: Room) -> Result<Observation, ScenarioError> {
        let order = match room.actions {
            ActionSpace::Stage => self.stage_order(chosen, number)?,
            ActionSpace::User => Order::User(self.chosen_user(chosen)?),
            ActionSpace::Weight => {
                let user = self.chosen_user(chosen)?;
                if !(1..=MOST_WEIGHT).contains(&number) {
                    return Err(unplaced(format!(
                        "a weight of {number} is not possible; give 1 to {MOST_WEIGHT}"
                    )));
                }
                self.engine.policy_mut().weights()[user.index()] = number as f64;
                Order::Weights
            }
        };
        self.engine.policy_mut().order(order);
        self.engine.offer_again();
        self.go_on(room)
    }

    /// A user of the last observation that may be chosen.
    fn chosen_user(&self, user: i64) -> Result<UserId, ScenarioError> {
        let view = self.engine.view();
        let known = u32::try_from(user).ok().filter(|&user| (user as usize) < view.scenario().users().len());
        let chosen = known
            .map(UserId)
            .filter(|&user| view.waiting().any(|stage| stage.user() == user && may_launch(stage)));
        chosen.ok_or_else(|| unplaced(format!("user {user} is masked; choose one whose `user_mask` is 1")))
    }

    /// A stage of the last observation and a limit of cores for its job.
    fn stage_order(&self, stage: i64, limit: i64) -> Result<Order, ScenarioError> {
        let view = self.engine.view();
        let shown = usize::try_from(stage).ok().and_then(|stage| self.shown.get(stage));
        let chosen = shown.map(|&stage| view.stage(stage)).filter(|&stage| may_launch(stage));
        let chosen = chosen.ok_or_else(|| {
            unplaced(format!("stage {stage} is masked; choose one whose `stage_mask` is 1"))
        })?;
        let least = chosen.job_view().running() + 1;
        let limit = u32::try_from(limit).ok().filter(|limit| (least..=view.cores()).contains(limit)).ok_or_else(|| {
            unplaced(format!(
                "a limit of {limit} cores is masked for stage {stage}; give its `least_limit`, {least}, to {}",
                view.cores()
            ))
        })?;
        Ok(Order::Stage { stage: chosen.index(), limit })
    }

    /// The schedule, once the episode is over.
    pub fn trace(&self) -> Result<(Scenario, Trace), ScenarioError> {
        if !self.is_over {
            return Err(unplaced("the episode is not over; call `step` until it is"));
        }
        let trace = self.engine.clone().into_trace().map_err(unplaced)?;
        Ok((self.scenario.clone(), trace))
    }

    /// Goes on to the next decision, or the end.
    fn go_on(&mut self, room: Room) -> Result<Observation, ScenarioError> {
        let mut passed = Passed::default();
        loop {
            let (next, view) = (self.engine.next_instant(), self.engine.view());
            let now = view.now();
            if next != Some(now) && view.waiting().any(may_launch) {
                return self.observe(passed, false, room);
            }
            let Some(next) = next else { break };
            let elapsed = next.since(now).0 as f64 / 1e6;
            passed.elapsed += elapsed;
            passed.job_seconds += elapsed * self.active.len() as f64;
            if !self.engine.step() {
                break;
            }
            self.note_jobs(&mut passed);
        }
        self.is_over = true;
        if !self.active.is_empty() {
            // What keeps its jobs from their ends.
            self.trace()?;
        }
        self.observe(passed, true, room)
    }

    /// Jobs have come and gone.
    fn note_jobs(&mut self, passed: &mut Passed) {
        let view = self.engine.view();
        self.active.extend((self.arrived..view.jobs()).map(Rank));
        self.arrived = view.jobs();
        self.active.retain(|&rank| {
            let job = view.job(rank);
            let is_active = job.phase() != JobPhase::Ended;
            if !is_active {
                passed.ended += 1;
                passed.responses += view.now().since(job.arrival()).0 as f64 / 1e6;
            }
            is_active
        });
    }

    fn observe(&mut self, passed: Passed, is_over: bool, room: Room) -> Result<Observation, ScenarioError> {
        let view = self.engine.view();
        let mut seen = Observation {
            stages: Vec::with_capacity(room.stages),
            jobs: Vec::with_capacity(room.stages),
            edges: Vec::with_capacity(room.edges),
            mask: Vec::with_capacity(room.stages),
            least: Vec::with_capacity(room.stages),
            users: Vec::new(),
            user_mask: Vec::new(),
            cluster: [
                view.free_cores() as f32,
                view.cores() as f32,
                self.active.len() as f32,
                view.now().seconds() as f32,
            ],
            passed,
            active: self.active.len() as u32,
            is_over,
        };
        self.shown.clear();
        // By position in the job: the place of a stage in the observation.
        let mut places = Vec::new();
        for (index, &rank) in self.active.iter().enumerate() {
            let job = view.job(rank);
            let (mut left, weight) = (0.0, view.scenario().users()[job.user().index()].weight);
            places.clear();
            let first = seen.stages.len();
            for stage in job.stages() {
                let has_ended = stage.is_submitted() && stage.pending() == 0 && stage.running() == 0;
                places.push((!has_ended).then_some(seen.stages.len() as i32));
                if has_ended {
                    continue;
                }
                let mean = stage.estimate().0 as f64 / 1e6 / f64::from(stage.tasks().max(1));
                let work = mean * f64::from(stage.pending());
                left += work;
                let may_choose = may_launch(stage);
                seen.stages.push([
                    stage.pending() as f32,
                    stage.running() as f32,
                    mean as f32,
                    work as f32,
                    if stage.is_submitted() { 1.0 } else { 0.0 },
                    job.running() as f32,
                    0.0,
                    view.now().since(job.arrival()).0 as f32 / 1e6,
                    weight.value() as f32,
                ]);
                seen.jobs.push(index as i32);
                seen.mask.push(may_choose);
                seen.least.push(if may_choose { job.running() as i32 + 1 } else { 0 });
                self.shown.push(stage.index());
            }
            for numbers in &mut seen.stages[first..] {
                numbers[6] = left as f32;
            }
            for (stage, place) in job.stages().zip(&places) {
                let parents = stage.spec().parents.iter().filter_map(|&parent| places[parent as usize]);
                seen.edges.extend(parents.filter_map(|parent| Some([parent, (*place)?])));
            }
        }
        if room.actions != ActionSpace::Stage {
            self.observe_users(&mut seen);
        }
        seen.pad(room)?;
        Ok(seen)
    }

    fn observe_users(&mut self, seen: &mut Observation) {
        let weights = self.engine.policy_mut().weights().to_vec();
        let view = self.engine.view();
        seen.users = (0..)
            .map(UserId)
            .zip(weights)
            .map(|(user, weight)| {
                [view.user_running(user) as f32, view.user_pending(user) as f32, weight as f32, 0.0, 0.0]
            })
            .collect();
        seen.user_mask = vec![false; seen.users.len()];
        for &rank in &self.active {
            seen.users[view.job(rank).user().index()][3] += 1.0;
        }
        for stage in view.waiting().filter(|&stage| may_launch(stage)) {
            seen.user_mask[stage.user().index()] = true;
        }
        for (row, &index) in self.shown.iter().enumerate() {
            seen.users[view.stage(index).user().index()][4] += seen.stages[row][3];
        }
    }
}

impl Observation {
    /// Fills the room that is left.
    fn pad(&mut self, room: Room) -> Result<(), ScenarioError> {
        if self.stages.len() > room.stages || self.edges.len() > room.edges {
            return Err(unplaced(format!(
                "{} stages with {} dependencies are in the system at once; give stages={} and edges={} or more",
                self.stages.len(),
                self.edges.len(),
                self.stages.len().next_power_of_two(),
                self.edges.len().next_power_of_two()
            )));
        }
        self.stages.resize(room.stages, [0.0; STAGE_NUMBERS]);
        self.jobs.resize(room.stages, -1);
        self.edges.resize(room.edges, [-1; 2]);
        self.mask.resize(room.stages, false);
        self.least.resize(room.stages, 0);
        if room.actions == ActionSpace::Stage {
            return Ok(());
        }
        if self.users.len() > room.users {
            return Err(unplaced(format!("there are {0} users; give users={0} or more", self.users.len())));
        }
        self.users.resize(room.users, [0.0; USER_NUMBERS]);
        self.user_mask.resize(room.users, false);
        Ok(())
    }
}
