//! Several episodes at once, shared out among threads.

use std::process;
use std::sync::{Mutex, MutexGuard};

use fairlane::metrics::{self, Baselines};
use fairlane_custom::code::Random;
use fairlane_view::export::documents::SimulationDocument;
use numpy::{PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;

use super::arrays::{Layout, Recycled, Reward};
use super::crew::{Crew, Game, Move};
use super::episode::{ActionSpace, MAX_WEIGHT, Room};
use crate::input::{ScenarioInput, unplaced};
use crate::run::Run;
use crate::{answered, json, raised};

/// Environments, each with an episode.
#[pyclass(frozen, module = "fairlane._native")]
pub struct Arena {
    state: Mutex<State>,
    /// The process whose threads step them.
    process: u32,
    room: Room,
    layout: Layout,
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

struct State {
    crew: Crew,
    recycled: Recycled,
    /// Draws actions.
    random: Random,
    /// The first number after a seed.
    first: Option<f64>,
}

#[pymethods]
impl Arena {
    /// `count` environments over a workload, or with `None` one whose arrays have no axis of environments. `reward` is
    /// `"jobs"`, `"mean_response"` or, if the caller computes it, `None`. By default an observation has room for twice
    /// as many stages and dependencies as the workload's own scenario has: another seed has other jobs.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "Python's class has names for them")]
    fn new(
        py: Python<'_>,
        workload: ScenarioInput,
        count: Option<usize>,
        actions: &str,
        reward: Option<&str>,
        is_flat: bool,
        stages: Option<usize>,
        edges: Option<usize>,
        users: Option<usize>,
    ) -> PyResult<Arena> {
        let actions = match actions {
            "stage" => ActionSpace::Stage,
            "user" => ActionSpace::User,
            "weight" => ActionSpace::Weight,
            other => {
                let message = format!("actions are \"stage\", \"user\" or \"weight\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let reward = match reward {
            Some("mean_response") => Reward::MeanResponse,
            Some(_) => Reward::Jobs,
            None => Reward::Own,
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
            let jobs = scenario.jobs().len();
            let crew = Crew::new(Game { workload, room, count: count.unwrap_or(1) });
            Ok(Arena {
                state: Mutex::new(State {
                    crew,
                    recycled: Recycled::default(),
                    random: Random::new(0),
                    first: None,
                }),
                process: process::id(),
                room,
                layout: Layout { count, is_flat, reward },
                cores: scenario.cluster().cores(),
                jobs,
                stages: room.stages,
                edges: room.edges,
                users: room.users,
                most_weight: MAX_WEIGHT,
            })
        })
    }

    /// Starts an episode of a seed in some environments, `starts`, and moves the others by their actions. Returns the
    /// observation, rewards, ends, what has happened, and which environments are over.
    fn play<'py>(
        &self,
        py: Python<'py>,
        actions: Option<PyReadonlyArrayDyn<'py, i64>>,
        starts: Vec<(usize, u64)>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut state = self.lock(py)?;
        let State { crew, recycled, .. } = &mut *state;
        match &actions {
            Some(actions) => self.note_actions(crew, actions.as_slice()?)?,
            None => crew.moves().for_each(|made| *made = Move::Choose(0, 0)),
        }
        for (environment, seed) in starts {
            if let Some(made) = crew.moves().nth(environment) {
                *made = Move::Start(seed);
            }
        }
        py.detach(|| crew.play()).map_err(raised)?;
        recycled.filled(py, &self.layout, self.room, crew)
    }

    /// From now on actions are drawn by this seed. It is itself the first number, so that a seed whose number is small
    /// chooses the first that can be chosen: Gymnasium's checker draws an action before a reset and plays it after it.
    fn seed(&self, py: Python<'_>, seed: u32) -> PyResult<()> {
        let mut state = self.lock(py)?;
        (state.first, state.random) = (Some(f64::from(seed) / 2_f64.powi(32)), Random::new(seed));
        Ok(())
    }

    /// An action for each environment among those that are not masked, each choice equally likely, then each limit or
    /// weight; 0 where the episode is over. `None` if nothing can be chosen anywhere.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<i64>>>> {
        let mut state = self.lock(py)?;
        let State { crew, random, first, .. } = &mut *state;
        let mut number = || first.take().unwrap_or_else(|| random.number());
        let width = self.room.actions.width();
        let mut shape: Vec<usize> = self.layout.count.into_iter().collect();
        shape.push(width);
        let array = PyArray::zeros(py, shape, false);
        let mut can_choose = false;
        {
            let mut rows = array.readwrite();
            let rows = rows.as_slice_mut()?.chunks_exact_mut(width);
            for (row, environment) in rows.zip(crew.environments()) {
                let drawn = environment.seen.draw(self.room.actions, self.cores, &mut number);
                can_choose |= drawn.is_some();
                let (chosen, number) = drawn.unwrap_or_default();
                row.iter_mut().zip([chosen, number]).for_each(|(to, from)| *to = from);
            }
        }
        Ok(can_choose.then_some(array))
    }

    /// An episode that is over: its scenario, what `fairlane simulate --format json` prints of it, and the run.
    fn simulation(&self, py: Python<'_>, environment: usize) -> PyResult<(String, String, Run)> {
        let (scenario, trace) = {
            let mut state = self.lock(py)?;
            let crew = &mut state.crew;
            py.detach(|| crew.trace(environment)).map_err(raised)?
        };
        answered(py, |stop| {
            let run =
                metrics::evaluate_observed(&scenario, trace, &mut Baselines::new(1), &mut stop.observer())?;
            let document = json(&SimulationDocument::new(&run));
            Ok((scenario.to_compact_json(), document, run.into()))
        })
    }
}

impl Arena {
    /// The environments, unless the caller is a fork of their process.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        if self.process != process::id() {
            let message = "the environment is another process's; make one in each process";
            return Err(raised(unplaced(message)));
        }
        Ok(self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// What the environments do next.
    fn note_actions(&self, crew: &mut Crew, actions: &[i64]) -> PyResult<()> {
        let count = self.layout.count.unwrap_or(1);
        // What follows an action's own numbers is not looked at.
        let width = actions.len() / count.max(1);
        if actions.len() != count * width || width < self.room.actions.width() {
            return Err(raised(unplaced(format!(
                "{count} environments take {} numbers each as an action; there are {} in all",
                self.room.actions.width(),
                actions.len()
            ))));
        }
        for (made, action) in crew.moves().zip(actions.chunks_exact(width)) {
            let number = if self.room.actions == ActionSpace::User { 0 } else { action[1].saturating_add(1) };
            *made = Move::Choose(action[0], number);
        }
        Ok(())
    }
}
