//! A simulation that stops where something is to be decided, and what is seen there.

use fairlane::engine::Engine;
use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::{Context, JobPhase, JobView, Policy, StageView, View};
use fairlane::scenario::{PartitionMode, Scenario, ScenarioError};
use fairlane::trace::Trace;

use super::player::{Order, Player, may_launch, some_may_launch};
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

impl ActionSpace {
    /// Numbers of an action.
    pub fn width(self) -> usize {
        if self == ActionSpace::User { 1 } else { 2 }
    }
}

/// Largest weight of an action.
pub const MAX_WEIGHT: i64 = 10;

/// What an action chooses, and how many stages, dependencies and users an observation has room for.
#[derive(Clone, Copy)]
pub struct Room {
    pub actions: ActionSpace,
    pub stages: usize,
    pub edges: usize,
    pub users: usize,
}

/// What is seen at a decision, filled again at each.
#[derive(Default)]
pub struct Seen {
    pub stages: Vec<[f32; STAGE_NUMBERS]>,
    /// The job of each stage, counted among those in the system.
    pub jobs: Vec<i32>,
    /// Pairs of stages, the parent first.
    pub edges: Vec<[i32; 2]>,
    /// 1 for a stage that may be chosen, else 0.
    pub mask: Vec<i8>,
    /// The least limit that launches a task of a stage that may be chosen, else 0.
    pub least: Vec<i32>,
    pub users: Vec<[f32; USER_NUMBERS]>,
    /// 1 for a user who may be chosen, else 0.
    pub user_mask: Vec<i8>,
    pub cluster: [f32; CLUSTER_NUMBERS],
    /// What has passed since the last decision.
    pub passed: Passed,
    /// Jobs in the system.
    pub active: u32,
    pub is_over: bool,
    /// Jobs of the episode.
    pub jobs_in_all: usize,
    /// The stages by index.
    shown: Vec<StageIndex>,
    /// The place in the observation of each stage of the job that is looked at, by position.
    places: Vec<Option<i32>>,
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
    active: Vec<ActiveJob>,
    /// Jobs that have arrived and that have not ended, when that was last looked at.
    counts: (u32, u32),
    is_over: bool,
}

/// A job in the system, with what is seen of it and never changes.
struct ActiveJob {
    rank: Rank,
    /// By stage: the estimated length of a task, in seconds.
    task_s: Vec<f64>,
    /// Positions of a stage's parent and of the stage, by stage.
    dependencies: Vec<(u32, u32)>,
}

impl ActiveJob {
    fn new(rank: Rank, view: &View) -> ActiveJob {
        let stages = || view.job(rank).stages();
        let length = |stage: StageView| stage.estimate().0 as f64 / 1e6 / f64::from(stage.tasks().max(1));
        let of_parents = |stage: StageView<'_>| {
            stage.spec().parents.iter().map(|&parent| (parent, stage.position())).collect()
        };
        let dependencies = stages().flat_map(|stage| -> Vec<_> { of_parents(stage) }).collect();
        ActiveJob { rank, task_s: stages().map(length).collect(), dependencies }
    }
}

impl Episode {
    /// Up to the first decision.
    pub fn start(scenario: Scenario, room: Room, seen: &mut Seen) -> Result<Episode, ScenarioError> {
        let has_places = |stage: &fairlane::scenario::Stage| stage.has_places(scenario.cluster());
        if scenario.jobs().iter().any(|job| job.stages.iter().any(has_places)) {
            return Err(unplaced(
                "an episode has no stages that start together, prefer executors or may use some only; leave `barrier`, \
                 `prefers`, `resource_profile` and `exclusions` out",
            ));
        }
        let player = Player::new(&Context::new(&scenario, PartitionMode::Default));
        let mut engine = Engine::with(&scenario, PartitionMode::Default, player);
        engine.policy_mut().keeps_stages = room.actions == ActionSpace::Stage;
        let counts = (0, engine.open_jobs());
        let mut episode = Episode { engine, scenario, active: Vec::new(), counts, is_over: false };
        episode.go_on(room, seen)?;
        Ok(episode)
    }

    /// Takes an action, and goes on to the next decision.
    pub fn choose(
        &mut self,
        chosen: i64,
        number: i64,
        room: Room,
        seen: &mut Seen,
    ) -> Result<(), ScenarioError> {
        if self.is_over {
            return Err(unplaced("the episode is over; call `reset`"));
        }
        let order = match room.actions {
            ActionSpace::Stage => self.stage_order(chosen, number, seen)?,
            ActionSpace::User => Order::User(self.chosen_user(chosen)?),
            ActionSpace::Weight => {
                let user = self.chosen_user(chosen)?;
                if !(1..=MAX_WEIGHT).contains(&number) {
                    return Err(unplaced(format!(
                        "a weight of {number} is not possible; give 1 to {MAX_WEIGHT}"
                    )));
                }
                self.engine.policy_mut().weights_mut()[user.index()] = number as f64;
                Order::Weights
            }
        };
        self.engine.policy_mut().order(order);
        self.engine.offer_again();
        self.engine.policy_mut().forget_order();
        self.go_on(room, seen)
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
    fn stage_order(&self, stage: i64, limit: i64, seen: &Seen) -> Result<Order, ScenarioError> {
        let view = self.engine.view();
        let shown = usize::try_from(stage).ok().and_then(|stage| seen.shown.get(stage));
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
    fn go_on(&mut self, room: Room, seen: &mut Seen) -> Result<(), ScenarioError> {
        let mut passed = Passed::default();
        loop {
            let (next, view) = (self.engine.next_instant(), self.engine.view());
            let now = view.now();
            if next != Some(now) && some_may_launch(view) {
                break;
            }
            let Some(next) = next else {
                self.is_over = true;
                break;
            };
            let elapsed = next.since(now).0 as f64 / 1e6;
            passed.elapsed += elapsed;
            passed.job_seconds += elapsed * self.active.len() as f64;
            if !self.engine.step() {
                self.is_over = true;
                break;
            }
            if self.counts != (self.engine.view().jobs(), self.engine.open_jobs()) {
                self.note_jobs(&mut passed);
            }
        }
        if self.is_over && !self.active.is_empty() {
            // What keeps its jobs from their ends.
            self.trace()?;
        }
        (seen.passed, seen.is_over) = (passed, self.is_over);
        seen.jobs_in_all = self.scenario.jobs().len();
        seen.fill(self.engine.view(), &self.active);
        if room.actions != ActionSpace::Stage {
            let weights = self.engine.policy().weights();
            seen.fill_users(self.engine.view(), &self.active, weights);
        }
        seen.check(room)
    }

    /// Jobs have come and gone.
    fn note_jobs(&mut self, passed: &mut Passed) {
        let view = self.engine.view();
        self.active.extend((self.counts.0..view.jobs()).map(|rank| ActiveJob::new(Rank(rank), view)));
        self.counts = (view.jobs(), self.engine.open_jobs());
        self.active.retain(|active| {
            let job = view.job(active.rank);
            let is_active = job.phase() != JobPhase::Ended;
            if !is_active {
                passed.ended += 1;
                passed.responses += view.now().since(job.arrival()).0 as f64 / 1e6;
            }
            is_active
        });
    }
}

impl Seen {
    /// Nothing, with room for as much as there is at most.
    pub fn with_room(room: Room) -> Seen {
        Seen {
            stages: Vec::with_capacity(room.stages),
            jobs: Vec::with_capacity(room.stages),
            edges: Vec::with_capacity(room.edges),
            mask: Vec::with_capacity(room.stages),
            least: Vec::with_capacity(room.stages),
            shown: Vec::with_capacity(room.stages),
            ..Seen::default()
        }
    }

    /// What is seen of the cluster and of the jobs in the system.
    fn fill(&mut self, view: &View, active: &[ActiveJob]) {
        self.cluster =
            [view.free_cores() as f32, view.cores() as f32, active.len() as f32, view.now().seconds() as f32];
        self.active = active.len() as u32;
        self.stages.clear();
        self.jobs.clear();
        self.edges.clear();
        self.mask.clear();
        self.least.clear();
        self.shown.clear();
        for (index, job) in (0..).zip(active) {
            self.fill_job(job, view.job(job.rank), index);
        }
    }

    /// The stages of a job that have not ended, and the dependencies among them.
    fn fill_job(&mut self, known: &ActiveJob, job: JobView, index: i32) {
        let view = job.view();
        let weight = view.scenario().users()[job.user().index()].weight.value() as f32;
        let age = view.now().since(job.arrival()).0 as f32 / 1e6;
        let (first, mut left) = (self.stages.len(), 0.0);
        self.places.clear();
        for (stage, &mean) in job.stages().zip(&known.task_s) {
            let (pending, running, is_submitted) = (stage.pending(), stage.running(), stage.is_submitted());
            if is_submitted && pending == 0 && running == 0 {
                self.places.push(None);
                continue;
            }
            let place = self.stages.len() as i32;
            self.places.push(Some(place));
            let work = mean * f64::from(pending);
            left += work;
            self.stages.push([
                pending as f32,
                running as f32,
                mean as f32,
                work as f32,
                if is_submitted { 1.0 } else { 0.0 },
                job.running() as f32,
                0.0,
                age,
                weight,
            ]);
            let may_choose = may_launch(stage);
            self.jobs.push(index);
            self.mask.push(may_choose.into());
            self.least.push(if may_choose { job.running() as i32 + 1 } else { 0 });
            self.shown.push(stage.index());
        }
        for numbers in &mut self.stages[first..] {
            numbers[6] = left as f32;
        }
        for &(parent, child) in &known.dependencies {
            if let (Some(parent), Some(child)) = (self.places[parent as usize], self.places[child as usize]) {
                self.edges.push([parent, child]);
            }
        }
    }

    /// What is seen of the users.
    fn fill_users(&mut self, view: &View, active: &[ActiveJob], weights: &[f64]) {
        self.users.clear();
        self.users.extend((0..).map(UserId).zip(weights).map(|(user, &weight)| {
            [view.user_running(user) as f32, view.user_pending(user) as f32, weight as f32, 0.0, 0.0]
        }));
        self.user_mask.clear();
        self.user_mask.resize(self.users.len(), 0);
        for job in active {
            self.users[view.job(job.rank).user().index()][3] += 1.0;
        }
        for stage in view.waiting().filter(|&stage| may_launch(stage)) {
            self.user_mask[stage.user().index()] = 1;
        }
        for (row, &index) in self.shown.iter().enumerate() {
            self.users[view.stage(index).user().index()][4] += self.stages[row][3];
        }
    }

    /// Refuses what there is no room for.
    fn check(&mut self, room: Room) -> Result<(), ScenarioError> {
        let (stages, edges, users) = (self.stages.len(), self.edges.len(), self.users.len());
        if stages > room.stages || edges > room.edges {
            return Err(unplaced(format!(
                "{stages} stages with {edges} dependencies are in the system at once; give stages={} and edges={} or \
                 more",
                stages.next_power_of_two(),
                edges.next_power_of_two()
            )));
        }
        if users > room.users {
            return Err(unplaced(format!("there are {users} users; give users={users} or more")));
        }
        Ok(())
    }

    /// An action among those that are not masked: each stage or user is equally likely, then each limit or weight, less
    /// 1. `None` if there is none.
    pub fn draw(
        &self,
        actions: ActionSpace,
        cores: u32,
        mut random: impl FnMut() -> f64,
    ) -> Option<(i64, i64)> {
        let mask = if actions == ActionSpace::Stage { &self.mask } else { &self.user_mask };
        let count = mask.iter().filter(|&&one| one == 1).count();
        let mut below = |count: i64| (random() * count as f64) as i64;
        let place = usize::try_from(below(count as i64)).ok()?;
        let chosen = (0..mask.len()).filter(|&row| mask[row] == 1).nth(place)?;
        let number = match actions {
            ActionSpace::Stage => {
                let least = i64::from(self.least[chosen]) - 1;
                least + below(i64::from(cores) - least)
            }
            ActionSpace::User => 0,
            ActionSpace::Weight => below(MAX_WEIGHT),
        };
        Some((chosen as i64, number))
    }
}
