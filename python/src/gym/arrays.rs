//! What environments see, as arrays of NumPy. Those that nobody refers to any more are written again.

use numpy::{Element, PyArray, PyArrayDyn, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::crew::{Crew, Environment, Move};
use super::episode::{ActionSpace, CLUSTER_NUMBERS, Room, STAGE_NUMBERS, Seen, USER_NUMBERS};

/// Most sets of arrays that are kept. A caller refers to one or two, unless it keeps all.
const MAX_KEPT: usize = 4;

/// What a reward is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reward {
    /// Less the jobs in the system, integrated over the seconds.
    Jobs,
    /// Less the response times of jobs that have ended, over the number of jobs.
    MeanResponse,
    /// Computed by the caller.
    Own,
}

/// How observations are returned.
pub struct Layout {
    /// Environments; `None` for one whose arrays have no axis of environments.
    pub count: Option<usize>,
    /// Whether an observation is one array.
    pub is_flat: bool,
    pub reward: Reward,
}

/// Sets of arrays that have been returned.
#[derive(Default)]
pub struct Recycled(Vec<Arrays>);

impl Recycled {
    /// What the environments see now: the observation, rewards, ends, what has happened and which are over.
    pub fn filled<'py>(
        &mut self,
        py: Python<'py>,
        layout: &Layout,
        room: Room,
        crew: &Crew,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let free = self.0.iter().position(|arrays| arrays.is_free(py));
        let arrays = match free.map(|index| self.0.swap_remove(index)) {
            Some(arrays) if arrays.write(py, layout, room, crew).is_ok() => arrays,
            // None is left, or somebody has made one of them read-only.
            _ => {
                let arrays = Arrays::new(py, layout, room)?;
                arrays.write(py, layout, room, crew)?;
                arrays
            }
        };
        let returned = arrays.returned(py, layout, crew)?;
        if self.0.len() == MAX_KEPT {
            self.0.remove(0);
        }
        self.0.push(arrays);
        Ok(returned)
    }
}

/// Rows of each environment in one array.
struct Column<T> {
    array: Py<PyArrayDyn<T>>,
    /// What is in rows that are not used.
    padding: T,
    /// Numbers of each environment.
    width: usize,
}

impl<T: Element + Copy> Column<T> {
    fn new(py: Python<'_>, layout: &Layout, shape: &[usize], padding: T) -> Column<T> {
        let whole: Vec<usize> = layout.count.iter().chain(shape).copied().collect();
        Column { array: PyArray::zeros(py, whole, false).unbind(), padding, width: shape.iter().product() }
    }

    /// Writes the rows of each environment, and the padding: who had the array before may have changed that too.
    fn write(&self, py: Python<'_>, crew: &Crew, rows: impl Fn(&Seen) -> &[T]) -> PyResult<()> {
        let mut array = self.array.bind(py).try_readwrite()?;
        let parts = array.as_slice_mut()?.chunks_exact_mut(self.width);
        for (to, environment) in parts.zip(crew.environments()) {
            let rows = rows(&environment.seen);
            let (used, unused) = to.split_at_mut(rows.len());
            used.copy_from_slice(rows);
            unused.fill(self.padding);
        }
        Ok(())
    }

    /// Writes a number of each environment.
    fn write_numbers(&self, py: Python<'_>, crew: &Crew, number: impl Fn(&Environment) -> T) -> PyResult<()> {
        let mut array = self.array.bind(py).try_readwrite()?;
        for (to, environment) in array.as_slice_mut()?.iter_mut().zip(crew.environments()) {
            *to = number(environment);
        }
        Ok(())
    }

    /// Whether only the given number of known owners refers to the array.
    fn is_free(&self, py: Python<'_>, owners: isize) -> bool {
        references(self.array.bind(py).as_any()) == owners
    }
}

/// How many references there are to an object.
fn references(object: &Bound<'_, PyAny>) -> isize {
    #[expect(deprecated, reason = "the module is for an interpreter with a lock")]
    object.get_refcnt()
}

/// A set of arrays that is returned at once.
struct Arrays {
    observation: Observation,
    outcome: Option<Outcome>,
}

enum Observation {
    Graph(Box<Graph>),
    Flat(Column<f32>),
}

/// An observation as a graph, in a dictionary.
struct Graph {
    named: Py<PyDict>,
    nodes: Column<f32>,
    jobs: Column<i32>,
    edges: Column<i32>,
    stage_mask: Column<i8>,
    least_limit: Column<i32>,
    cluster: Column<f32>,
    users: Option<(Column<f32>, Column<i8>)>,
}

/// Rewards, ends and what has happened in several environments.
struct Outcome {
    info: Py<PyDict>,
    rewards: Column<f64>,
    is_over: Column<bool>,
    now: Column<f64>,
    elapsed: Column<f64>,
    active: Column<i64>,
    job_seconds: Column<f64>,
    ended: Column<i64>,
    responses: Column<f64>,
    jobs: Column<i64>,
    seeds: Column<i64>,
}

impl Arrays {
    fn new(py: Python<'_>, layout: &Layout, room: Room) -> PyResult<Arrays> {
        let observation = if layout.is_flat {
            let of_users =
                if room.actions == ActionSpace::Stage { 0 } else { room.users * (USER_NUMBERS + 1) };
            let length = room.stages * (STAGE_NUMBERS + 2) + of_users + CLUSTER_NUMBERS;
            Observation::Flat(Column::new(py, layout, &[length], 0.0))
        } else {
            Observation::Graph(Box::new(Graph::new(py, layout, room)?))
        };
        let outcome = layout.count.map(|_| Outcome::new(py, layout)).transpose()?;
        Ok(Arrays { observation, outcome })
    }

    /// Whether the caller has let go of it all.
    fn is_free(&self, py: Python<'_>) -> bool {
        let observation = match &self.observation {
            Observation::Graph(graph) => graph.is_free(py),
            Observation::Flat(column) => column.is_free(py, 1),
        };
        observation && self.outcome.as_ref().is_none_or(|outcome| outcome.is_free(py))
    }

    fn write(&self, py: Python<'_>, layout: &Layout, room: Room, crew: &Crew) -> PyResult<()> {
        match &self.observation {
            Observation::Graph(graph) => graph.write(py, crew)?,
            Observation::Flat(column) => write_flat(py, column, room, crew)?,
        }
        self.outcome.as_ref().map_or(Ok(()), |outcome| outcome.write(py, layout, crew))
    }

    fn returned<'py>(&self, py: Python<'py>, layout: &Layout, crew: &Crew) -> PyResult<Bound<'py, PyTuple>> {
        let observation = match &self.observation {
            Observation::Graph(graph) => graph.named.bind(py).as_any().clone(),
            Observation::Flat(column) => column.array.bind(py).as_any().clone(),
        };
        let over = (0..).zip(crew.environments()).filter(|(_, environment)| environment.seen.is_over);
        let over: Vec<usize> = over.map(|(index, _)| index).collect();
        if let Some(outcome) = &self.outcome {
            let Outcome { rewards, is_over, info, .. } = outcome;
            return (observation, &rewards.array, &is_over.array, info, over).into_pyobject(py);
        }
        let one = crew.environments().next();
        let (reward, is_over) =
            one.map_or((0.0, false), |one| (layout.reward_of(&one.seen, one.made), one.seen.is_over));
        let info = one.map(|one| info_of(py, one)).transpose()?;
        (observation, reward, is_over, info, over).into_pyobject(py)
    }
}

impl Layout {
    /// The reward of a move.
    fn reward_of(&self, seen: &Seen, made: Move) -> f64 {
        match (made, self.reward) {
            (Move::Start(_), _) | (_, Reward::Own) => 0.0,
            (_, Reward::Jobs) => -seen.passed.job_seconds,
            (_, Reward::MeanResponse) => -seen.passed.responses / seen.jobs_in_all as f64,
        }
    }
}

/// What has happened in one environment.
fn info_of<'py>(py: Python<'py>, environment: &Environment) -> PyResult<Bound<'py, PyDict>> {
    let (info, seen) = (PyDict::new(py), &environment.seen);
    info.set_item(intern!(py, "now_s"), f64::from(seen.cluster[3]))?;
    info.set_item(intern!(py, "elapsed_s"), seen.passed.elapsed)?;
    info.set_item(intern!(py, "jobs_in_system"), seen.active)?;
    info.set_item(intern!(py, "job_seconds"), seen.passed.job_seconds)?;
    info.set_item(intern!(py, "ended_jobs"), seen.passed.ended)?;
    info.set_item(intern!(py, "responses_s"), seen.passed.responses)?;
    info.set_item(intern!(py, "jobs"), seen.jobs_in_all)?;
    info.set_item(intern!(py, "seed"), environment.seed)?;
    Ok(info)
}

impl Graph {
    fn new(py: Python<'_>, layout: &Layout, room: Room) -> PyResult<Graph> {
        let users = match room.actions {
            ActionSpace::Stage => None,
            ActionSpace::User | ActionSpace::Weight => Some((
                Column::new(py, layout, &[room.users, USER_NUMBERS], 0.0),
                Column::new(py, layout, &[room.users], 0),
            )),
        };
        let graph = Graph {
            named: PyDict::new(py).unbind(),
            nodes: Column::new(py, layout, &[room.stages, STAGE_NUMBERS], 0.0),
            jobs: Column::new(py, layout, &[room.stages], -1),
            edges: Column::new(py, layout, &[room.edges, 2], -1),
            stage_mask: Column::new(py, layout, &[room.stages], 0),
            least_limit: Column::new(py, layout, &[room.stages], 0),
            cluster: Column::new(py, layout, &[CLUSTER_NUMBERS], 0.0),
            users,
        };
        let named = graph.named.bind(py);
        named.set_item("nodes", &graph.nodes.array)?;
        named.set_item("jobs", &graph.jobs.array)?;
        named.set_item("edges", &graph.edges.array)?;
        named.set_item("stage_mask", &graph.stage_mask.array)?;
        named.set_item("least_limit", &graph.least_limit.array)?;
        named.set_item("cluster", &graph.cluster.array)?;
        if let Some((users, mask)) = &graph.users {
            named.set_item("users", &users.array)?;
            named.set_item("user_mask", &mask.array)?;
        }
        Ok(graph)
    }

    /// Whether only this refers to the dictionary, and only both to its arrays.
    fn is_free(&self, py: Python<'_>) -> bool {
        let of_users = self.users.as_ref();
        let named = self.named.bind(py);
        references(named.as_any()) == 1
            && named.len() == if of_users.is_some() { 8 } else { 6 }
            && self.nodes.is_free(py, 2)
            && [&self.jobs, &self.edges, &self.least_limit].iter().all(|column| column.is_free(py, 2))
            && self.stage_mask.is_free(py, 2)
            && self.cluster.is_free(py, 2)
            && of_users.is_none_or(|(users, mask)| users.is_free(py, 2) && mask.is_free(py, 2))
    }

    fn write(&self, py: Python<'_>, crew: &Crew) -> PyResult<()> {
        self.nodes.write(py, crew, |seen| seen.stages.as_flattened())?;
        self.jobs.write(py, crew, |seen| &seen.jobs)?;
        self.edges.write(py, crew, |seen| seen.edges.as_flattened())?;
        self.stage_mask.write(py, crew, |seen| &seen.mask)?;
        self.least_limit.write(py, crew, |seen| &seen.least)?;
        self.cluster.write(py, crew, |seen| &seen.cluster)?;
        if let Some((users, mask)) = &self.users {
            users.write(py, crew, |seen| seen.users.as_flattened())?;
            mask.write(py, crew, |seen| &seen.user_mask)?;
        }
        Ok(())
    }
}

/// Writes each environment as one row of numbers: its stages, each followed by its mask and least limit, its users, each
/// followed by its mask, and the cluster at the end.
fn write_flat(py: Python<'_>, column: &Column<f32>, room: Room, crew: &Crew) -> PyResult<()> {
    let first_user = room.stages * (STAGE_NUMBERS + 2);
    let mut array = column.array.bind(py).try_readwrite()?;
    let all = array.as_slice_mut()?;
    all.fill(0.0);
    for (to, environment) in all.chunks_exact_mut(column.width).zip(crew.environments()) {
        let seen = &environment.seen;
        let with_mask = seen.mask.iter().zip(&seen.least);
        for ((to, stage), (&mask, &least)) in
            to.chunks_exact_mut(STAGE_NUMBERS + 2).zip(&seen.stages).zip(with_mask)
        {
            to[..STAGE_NUMBERS].copy_from_slice(stage);
            to[STAGE_NUMBERS..].copy_from_slice(&[f32::from(mask), least as f32]);
        }
        let (to, of_cluster) = to.split_at_mut(column.width - CLUSTER_NUMBERS);
        of_cluster.copy_from_slice(&seen.cluster);
        let of_users = to[first_user..].chunks_exact_mut(USER_NUMBERS + 1);
        for (to, (user, &mask)) in of_users.zip(seen.users.iter().zip(&seen.user_mask)) {
            to[..USER_NUMBERS].copy_from_slice(user);
            to[USER_NUMBERS] = f32::from(mask);
        }
    }
    Ok(())
}

impl Outcome {
    fn new(py: Python<'_>, layout: &Layout) -> PyResult<Outcome> {
        let numbers = || Column::new(py, layout, &[], 0.0);
        let outcome = Outcome {
            info: PyDict::new(py).unbind(),
            rewards: numbers(),
            is_over: Column::new(py, layout, &[], false),
            now: numbers(),
            elapsed: numbers(),
            active: Column::new(py, layout, &[], 0),
            job_seconds: numbers(),
            ended: Column::new(py, layout, &[], 0),
            responses: numbers(),
            jobs: Column::new(py, layout, &[], 0),
            seeds: Column::new(py, layout, &[], 0),
        };
        let info = outcome.info.bind(py);
        info.set_item("now_s", &outcome.now.array)?;
        info.set_item("elapsed_s", &outcome.elapsed.array)?;
        info.set_item("jobs_in_system", &outcome.active.array)?;
        info.set_item("job_seconds", &outcome.job_seconds.array)?;
        info.set_item("ended_jobs", &outcome.ended.array)?;
        info.set_item("responses_s", &outcome.responses.array)?;
        info.set_item("jobs", &outcome.jobs.array)?;
        info.set_item("seed", &outcome.seeds.array)?;
        Ok(outcome)
    }

    fn is_free(&self, py: Python<'_>) -> bool {
        let numbers = [&self.now, &self.elapsed, &self.job_seconds, &self.responses];
        let info = self.info.bind(py);
        references(info.as_any()) == 1
            && info.len() == 8
            && self.rewards.is_free(py, 1)
            && self.is_over.is_free(py, 1)
            && numbers.iter().all(|column| column.is_free(py, 2))
            && [&self.active, &self.ended, &self.jobs, &self.seeds].iter().all(|column| column.is_free(py, 2))
    }

    fn write(&self, py: Python<'_>, layout: &Layout, crew: &Crew) -> PyResult<()> {
        self.rewards.write_numbers(py, crew, |one| layout.reward_of(&one.seen, one.made))?;
        self.is_over.write_numbers(py, crew, |one| one.seen.is_over)?;
        self.now.write_numbers(py, crew, |one| one.seen.cluster[3].into())?;
        self.elapsed.write_numbers(py, crew, |one| one.seen.passed.elapsed)?;
        self.active.write_numbers(py, crew, |one| one.seen.active.into())?;
        self.job_seconds.write_numbers(py, crew, |one| one.seen.passed.job_seconds)?;
        self.ended.write_numbers(py, crew, |one| one.seen.passed.ended.into())?;
        self.responses.write_numbers(py, crew, |one| one.seen.passed.responses)?;
        self.jobs.write_numbers(py, crew, |one| one.seen.jobs_in_all as i64)?;
        self.seeds.write_numbers(py, crew, |one| one.seed as i64)
    }
}
