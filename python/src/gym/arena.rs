//! Several episodes at once, on threads that keep them.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{process, thread};

use fairlane::metrics::{self, Baselines};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane::trace::Trace;
use fairlane_study::sweep::Workload;
use fairlane_view::export::documents::SimulationDocument;
use numpy::{Element, IntoPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::episode::{ActionSpace, Episode, MOST_WEIGHT, Observation, Room};
use crate::input::{ScenarioInput, unplaced};
use crate::run::Run;
use crate::{answered, json, raised};

/// What an environment does next.
#[derive(Clone, Copy, FromPyObject)]
enum Move {
    /// An action: a stage of its last observation and a limit of cores, or a user and its weight.
    Choose(i64, i64),
    /// Another episode, of a seed.
    Start(u64),
}

enum Command {
    Play(Vec<(usize, Move)>),
    Trace(usize),
}

enum Reply {
    Played(Vec<(usize, Result<Observation, ScenarioError>)>),
    Trace(Result<Box<(Scenario, Trace)>, ScenarioError>),
}

/// The two ends of a thread's work.
struct Worker {
    commands: Sender<Command>,
    replies: Receiver<Reply>,
}

/// Environments, each with an episode. The threads that keep them end with it.
#[pyclass(frozen, module = "fairlane._native")]
pub struct Arena {
    workers: Mutex<Vec<Worker>>,
    /// The process whose threads they are.
    process: u32,
    count: usize,
    /// Cores of the cluster.
    #[pyo3(get)]
    cores: u32,
    /// Jobs of the first episode.
    #[pyo3(get)]
    jobs: usize,
    /// Stages of an observation.
    #[pyo3(get)]
    stages: usize,
    /// Dependencies of an observation.
    #[pyo3(get)]
    edges: usize,
    /// Users of an observation.
    #[pyo3(get)]
    users: usize,
    /// The largest weight of an action.
    #[pyo3(get)]
    most_weight: i64,
}

#[pymethods]
impl Arena {
    /// `count` environments over a workload. By default an observation has room for twice as many stages and dependencies
    /// as the workload's own scenario has: another seed has other jobs.
    #[new]
    fn new(
        py: Python<'_>,
        workload: ScenarioInput,
        count: usize,
        actions: String,
        stages: Option<usize>,
        edges: Option<usize>,
        users: Option<usize>,
    ) -> PyResult<Arena> {
        let actions = match actions.as_str() {
            "stage" => ActionSpace::Stage,
            "user" => ActionSpace::User,
            "weight" => ActionSpace::Weight,
            other => {
                let message = format!("actions are \"stage\", \"user\" or \"weight\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        answered(py, |_| {
            let workload = workload.workload()?;
            let scenario = workload.seeded(None)?;
            let all = || scenario.jobs().iter().flat_map(|job| &job.stages);
            let room = Room {
                actions,
                users: users.unwrap_or_else(|| scenario.users().len()).max(1),
                stages: stages.unwrap_or_else(|| 2 * all().count()).max(1),
                edges: edges
                    .unwrap_or_else(|| 2 * all().map(|stage| stage.parents.len()).sum::<usize>())
                    .max(1),
            };
            let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
            let workers = (0..threads).map(|_| Worker::start(workload.clone(), count, room)).collect();
            Ok(Arena {
                workers: Mutex::new(workers),
                process: process::id(),
                count,
                cores: scenario.cluster().cores(),
                jobs: scenario.jobs().len(),
                stages: room.stages,
                edges: room.edges,
                users: room.users,
                most_weight: MOST_WEIGHT,
            })
        })
    }

    /// Moves all environments, on the threads that keep them, and returns arrays of what they see then.
    fn play<'py>(&self, py: Python<'py>, moves: Vec<Move>) -> PyResult<Bound<'py, PyDict>> {
        let played = py.detach(|| self.played(moves)).map_err(raised)?;
        arrays(py, &played)
    }

    /// An episode that is over: its scenario, what `fairlane simulate --format json` prints of it, and the run.
    fn simulation(&self, py: Python<'_>, environment: usize) -> PyResult<(String, String, Run)> {
        answered(py, |stop| {
            let (scenario, trace) = *self.trace(environment)?;
            let run =
                metrics::evaluate_observed(&scenario, trace, &mut Baselines::new(1), &mut stop.observer())?;
            let document = json(&SimulationDocument::new(&run));
            Ok((scenario.to_compact_json(), document, run.into()))
        })
    }
}

impl Arena {
    /// The threads, unless the caller is a fork of their process.
    fn workers(&self) -> Result<MutexGuard<'_, Vec<Worker>>, ScenarioError> {
        if self.process != process::id() {
            return Err(unplaced("the environment is another process's; make one in each process"));
        }
        Ok(self.workers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn played(&self, moves: Vec<Move>) -> Result<Vec<Observation>, ScenarioError> {
        let workers = self.workers()?;
        if moves.len() != self.count {
            return Err(unplaced(format!(
                "there are {} environments, and {} moves",
                self.count,
                moves.len()
            )));
        }
        let mut shares: Vec<Vec<(usize, Move)>> = vec![Vec::new(); workers.len()];
        for (environment, made) in moves.into_iter().enumerate() {
            shares[environment % workers.len()].push((environment, made));
        }
        for (worker, share) in workers.iter().zip(shares) {
            worker.send(Command::Play(share))?;
        }
        let mut seen: Vec<Option<Result<Observation, ScenarioError>>> =
            (0..self.count).map(|_| None).collect();
        for worker in workers.iter() {
            if let Reply::Played(results) = worker.receive()? {
                results.into_iter().for_each(|(environment, result)| seen[environment] = Some(result));
            }
        }
        seen.into_iter().map(|result| result.unwrap_or_else(|| Err(lost()))).collect()
    }

    fn trace(&self, environment: usize) -> Result<Box<(Scenario, Trace)>, ScenarioError> {
        let workers = self.workers()?;
        let worker = &workers[environment % workers.len()];
        worker.send(Command::Trace(environment))?;
        match worker.receive()? {
            Reply::Trace(trace) => trace,
            Reply::Played(_) => Err(lost()),
        }
    }
}

impl Worker {
    /// A thread for environments, each at its number. It ends when nobody can send it any more.
    fn start(workload: Workload, count: usize, room: Room) -> Worker {
        let (commands, orders) = mpsc::channel();
        let (answers, replies) = mpsc::channel();
        thread::spawn(move || {
            let mut episodes: Vec<Option<Episode>> = (0..count).map(|_| None).collect();
            for command in orders {
                let reply = match command {
                    Command::Play(moves) => Reply::Played(
                        moves
                            .into_iter()
                            .map(|(number, made)| {
                                (number, play(&mut episodes[number], made, &workload, room))
                            })
                            .collect(),
                    ),
                    Command::Trace(number) => {
                        let episode = episodes.get(number).and_then(Option::as_ref).ok_or_else(not_started);
                        Reply::Trace(episode.and_then(Episode::trace).map(Box::new))
                    }
                };
                if answers.send(reply).is_err() {
                    break;
                }
            }
        });
        Worker { commands, replies }
    }

    fn send(&self, command: Command) -> Result<(), ScenarioError> {
        self.commands.send(command).map_err(|_| lost())
    }

    fn receive(&self) -> Result<Reply, ScenarioError> {
        self.replies.recv().map_err(|_| lost())
    }
}

/// Moves an environment.
fn play(
    episode: &mut Option<Episode>,
    made: Move,
    workload: &Workload,
    room: Room,
) -> Result<Observation, ScenarioError> {
    match made {
        Move::Start(seed) => {
            let (started, seen) = Episode::start(workload.seeded(Some(seed))?, room)?;
            *episode = Some(started);
            Ok(seen)
        }
        Move::Choose(chosen, number) => {
            episode.as_mut().ok_or_else(not_started)?.choose(chosen, number, room)
        }
    }
}

fn not_started() -> ScenarioError {
    unplaced("there is no episode; call `reset` first")
}

/// A thread that keeps environments has panicked, which it has reported.
fn lost() -> ScenarioError {
    unplaced("the environments are lost by a defect of Fairlane; make them again and report it")
}

/// What environments see, a row for each.
fn arrays<'py>(py: Python<'py>, seen: &[Observation]) -> PyResult<Bound<'py, PyDict>> {
    fn rows<'py, T: Element + Copy>(
        py: Python<'py>,
        seen: &[Observation],
        row: impl Fn(&Observation) -> &[T],
    ) -> Bound<'py, PyAny> {
        seen.iter().map(row).collect::<Vec<_>>().concat().into_pyarray(py).into_any()
    }
    fn numbers<'py, T: Element>(
        py: Python<'py>,
        seen: &[Observation],
        number: impl Fn(&Observation) -> T,
    ) -> Bound<'py, PyAny> {
        seen.iter().map(number).collect::<Vec<T>>().into_pyarray(py).into_any()
    }
    let arrays = PyDict::new(py);
    arrays.set_item("nodes", rows(py, seen, |one| one.stages.as_flattened()))?;
    arrays.set_item("jobs", rows(py, seen, |one| &one.jobs))?;
    arrays.set_item("edges", rows(py, seen, |one| one.edges.as_flattened()))?;
    arrays.set_item("stage_mask", rows(py, seen, |one| &one.mask))?;
    arrays.set_item("least_limit", rows(py, seen, |one| &one.least))?;
    arrays.set_item("users", rows(py, seen, |one| one.users.as_flattened()))?;
    arrays.set_item("user_mask", rows(py, seen, |one| &one.user_mask))?;
    arrays.set_item("cluster", rows(py, seen, |one| &one.cluster))?;
    arrays.set_item("elapsed_s", numbers(py, seen, |one| one.passed.elapsed))?;
    arrays.set_item("job_seconds", numbers(py, seen, |one| one.passed.job_seconds))?;
    arrays.set_item("ended", numbers(py, seen, |one| i64::from(one.passed.ended)))?;
    arrays.set_item("responses_s", numbers(py, seen, |one| one.passed.responses))?;
    arrays.set_item("active", numbers(py, seen, |one| i64::from(one.active)))?;
    arrays.set_item("is_over", numbers(py, seen, |one| one.is_over))?;
    Ok(arrays)
}
