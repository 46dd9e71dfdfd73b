//! Environments in shares, each of which one thread steps at a time.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use fairlane::scenario::{Scenario, ScenarioError};
use fairlane::trace::Trace;
use fairlane_study::sweep::Workload;

use super::episode::{Episode, Room, Seen};
use crate::input::unplaced;

/// Fewest environments that are worth a thread: waking it takes as long as it takes to move some.
const MIN_SHARE: usize = 8;

/// What episodes are of.
pub struct Game {
    pub workload: Workload,
    pub room: Room,
    /// Environments.
    pub count: usize,
}

/// What an environment does next.
#[derive(Clone, Copy)]
pub enum Move {
    /// An action: a stage of its last observation and a limit of cores, or a user and its weight.
    Choose(i64, i64),
    /// Another episode, of a seed.
    Start(u64),
}

/// An environment, with what it does next and what is seen after that.
pub struct Environment {
    episode: Option<Episode>,
    pub made: Move,
    pub seen: Seen,
    /// The seed of the episode's workload.
    pub seed: u64,
}

/// Environments that one thread steps.
struct Share {
    /// The number of its first environment.
    first: usize,
    environments: Vec<Environment>,
    error: Option<ScenarioError>,
}

// What an episode counts references to without locks was made in it, and nothing outside refers to it: a share moves
// with all of it.
#[expect(
    unsafe_code,
    reason = "an engine that nobody observes is not shared; waking a thread for one takes too long"
)]
unsafe impl Send for Share {}

/// The two ends of a thread's work.
struct Worker {
    orders: Sender<Share>,
    replies: Receiver<Share>,
}

/// All environments, and the threads that step those of all shares but the first. The threads end with it.
pub struct Crew {
    game: Arc<Game>,
    /// A share is away while its thread steps it, and for good once that has panicked.
    shares: Vec<Option<Share>>,
    /// Environments of each share but the last.
    per_share: usize,
    workers: Vec<Worker>,
}

impl Crew {
    pub fn new(game: Game) -> Crew {
        let count = game.count;
        let most = thread::available_parallelism().map_or(1, usize::from);
        let per_share = count.div_ceil(most).max(MIN_SHARE).min(count.max(1));
        let game = Arc::new(game);
        let starts = (0..count).step_by(per_share);
        let shares: Vec<_> =
            starts.map(|start| Some(Share::new(start, per_share.min(count - start), game.room))).collect();
        let workers = (1..shares.len()).map(|_| Worker::start(Arc::clone(&game))).collect();
        Crew { game, shares, per_share, workers }
    }

    /// All environments, in their order.
    pub fn environments(&self) -> impl Iterator<Item = &Environment> {
        self.shares.iter().flatten().flat_map(|share| &share.environments)
    }

    /// What each does next, to be changed.
    pub fn moves(&mut self) -> impl Iterator<Item = &mut Move> {
        let environments = self.shares.iter_mut().flatten().flat_map(|share| &mut share.environments);
        environments.map(|environment| &mut environment.made)
    }

    /// Moves all environments, on this thread and those of the crew.
    ///
    /// # Errors
    /// What is wrong with a move, of the first environment that has a wrong one.
    pub fn play(&mut self) -> Result<(), ScenarioError> {
        if self.shares.iter().any(Option::is_none) {
            return Err(lost());
        }
        let mut are_sent = true;
        for (share, worker) in self.shares[1..].iter_mut().zip(&self.workers) {
            are_sent &= share.take().is_some_and(|share| worker.orders.send(share).is_ok());
        }
        if let Some(Some(first)) = self.shares.first_mut() {
            first.play(&self.game);
        }
        for (share, worker) in self.shares[1..].iter_mut().zip(&self.workers) {
            *share = worker.replies.recv().ok();
        }
        if !are_sent || self.shares.iter().any(Option::is_none) {
            return Err(lost());
        }
        let error = self.shares.iter_mut().flatten().filter_map(|share| share.error.take()).next();
        error.map_or(Ok(()), Err)
    }

    /// The schedule of an episode that is over.
    pub fn trace(&mut self, environment: usize) -> Result<(Scenario, Trace), ScenarioError> {
        let share = self.shares.get(environment / self.per_share).ok_or_else(not_started)?;
        let share = share.as_ref().ok_or_else(lost)?;
        let environment = share.environments.get(environment % self.per_share);
        environment.and_then(|environment| environment.episode.as_ref()).ok_or_else(not_started)?.trace()
    }
}

impl Share {
    fn new(first: usize, count: usize, room: Room) -> Share {
        let environment =
            |_| Environment { episode: None, made: Move::Choose(0, 0), seen: Seen::with_room(room), seed: 0 };
        Share { first, environments: (0..count).map(environment).collect(), error: None }
    }

    /// Moves all of its environments, and keeps the first error.
    fn play(&mut self, game: &Game) {
        self.error = None;
        for (index, environment) in (self.first..).zip(&mut self.environments) {
            if let Err(error) = environment.play(game) {
                let of_several = || unplaced(format!("environment {index}: {error}"));
                self.error.get_or_insert_with(|| if game.count > 1 { of_several() } else { error.clone() });
            }
        }
    }
}

impl Environment {
    fn play(&mut self, game: &Game) -> Result<(), ScenarioError> {
        match self.made {
            Move::Start(seed) => {
                // What was seen is of the old episode, should the new one not start.
                self.episode = None;
                self.seed = seed;
                let scenario = game.workload.seeded(Some(seed))?;
                self.episode = Some(Episode::start(scenario, game.room, &mut self.seen)?);
                Ok(())
            }
            Move::Choose(chosen, number) => {
                let episode = self.episode.as_mut().ok_or_else(not_started)?;
                episode.choose(chosen, number, game.room, &mut self.seen)
            }
        }
    }
}

impl Worker {
    /// A thread that steps shares. It ends when nobody can send it any more.
    fn start(game: Arc<Game>) -> Worker {
        let (orders, shares) = mpsc::channel::<Share>();
        let (answers, replies) = mpsc::channel();
        thread::spawn(move || {
            for mut share in shares {
                share.play(&game);
                if answers.send(share).is_err() {
                    break;
                }
            }
        });
        Worker { orders, replies }
    }
}

fn not_started() -> ScenarioError {
    unplaced("there is no episode; call `reset` first")
}

/// A thread that steps environments has panicked, which it has reported.
fn lost() -> ScenarioError {
    unplaced("the environments are lost by a defect of Fairlane; make them again and report it")
}
