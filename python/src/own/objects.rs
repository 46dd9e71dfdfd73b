//! What an object that is a policy sees: stages, jobs, users and the cluster, with the numbers of the instant.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fairlane::ids::Rank;
use fairlane::units::{Time, micros_from_seconds};
use fairlane_custom::code::{Facts, HandlerCall, Random, Wish};
use fairlane_custom::names::{COUNT, NAMES, Subject, Unit, outdated};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::code::shown;
use crate::input::unplaced;
use crate::raised;

/// Most wishes of a handler, as of one of a program.
const MAX_WISHES: usize = 2000;

const ONLY_HANDLERS: &str = "is made only in handlers, not in `key`, `cap` and `target`, which must give the same \
    answer whenever they are asked; make it there and keep it in the object";

/// Which names have been read, by the bits of their indices.
pub type Reads = Arc<AtomicU64>;

/// The numbers of a call.
struct Numbers {
    numbers: [f64; COUNT],
    stage: u32,
    rank: Rank,
    user: u32,
    user_name: Arc<str>,
    job_name: Arc<str>,
    /// Where it is noted what is read; a handler's reads make no difference.
    reads: Option<Reads>,
    /// The call, counted.
    call: u64,
}

impl Numbers {
    /// A number, as long as the call is the cluster's last one or the number never changes.
    fn read_during(&self, call: u64, py: Python<'_>, index: usize) -> PyResult<Py<PyAny>> {
        match if self.call == call { None } else { outdated(index) } {
            Some(message) => Err(PyRuntimeError::new_err(message)),
            None => self.read(py, index),
        }
    }

    fn read(&self, py: Python<'_>, index: usize) -> PyResult<Py<PyAny>> {
        if let Some(reads) = &self.reads {
            reads.fetch_or(1 << index, Ordering::Relaxed);
        }
        let number = self.numbers[index];
        match NAMES[index].unit {
            Unit::Tasks | Unit::Whole | Unit::Memory | Unit::Cores => (number as i64).into_py_any(py),
            Unit::None | Unit::Seconds | Unit::Work => number.into_py_any(py),
        }
    }
}

const fn is_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// The index of a name, found when this is compiled.
const fn index_of(subject: Subject, name: &str) -> usize {
    let mut index = 0;
    while !(subject as u8 == NAMES[index].subject as u8 && is_equal(name, NAMES[index].name)) {
        index += 1;
    }
    index
}

/// A class of objects with the names of its subject.
macro_rules! objects {
    ($class:ident, $subject:ident, $of:ident, [$($name:ident)*], { $($more:tt)* }) => {
        #[doc = concat!("A ", stringify!($of), " at the instant of a call.")]
        #[pyclass(frozen, module = "fairlane._native")]
        pub struct $class {
            numbers: Arc<Numbers>,
            cluster: Py<Cluster>,
        }

        #[pymethods]
        impl $class {
            $(
                #[getter]
                fn $name(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                    const INDEX: usize = index_of(Subject::$subject, stringify!($name));
                    self.numbers.read_during(self.cluster.bind(py).borrow().numbers.call, py, INDEX)
                }
            )*

            #[getter]
            fn cluster(&self, py: Python<'_>) -> Py<Cluster> {
                self.cluster.clone_ref(py)
            }

            /// What the policy remembers of it; `None` at first.
            #[getter]
            fn note(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
                let cluster = self.cluster.bind(py).borrow();
                let note = cluster.notes.bind(py).get_item((stringify!($of), self.own_index()))?;
                Ok(note.map(Bound::unbind))
            }

            #[setter]
            fn set_note(&self, py: Python<'_>, note: Py<PyAny>) -> PyResult<()> {
                let cluster = self.cluster.bind(py).borrow();
                cluster.handler("a note")?;
                cluster.notes.bind(py).set_item((stringify!($of), self.own_index()), note)
            }

            fn __deepcopy__(&self, py: Python<'_>, memo: Bound<'_, PyAny>) -> PyResult<Self> {
                Ok($class { numbers: Arc::clone(&self.numbers), cluster: copied(&self.cluster, py, &memo)? })
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                other.cast::<$class>().is_ok_and(|other| other.get().own_index() == self.own_index())
            }

            fn __hash__(&self) -> u64 {
                let mut hasher = DefaultHasher::new();
                (stringify!($of), self.own_index()).hash(&mut hasher);
                hasher.finish()
            }

            $($more)*
        }
    };
}

objects!(Stage, Stage, stage, [running pending tasks estimate attained memory position parents submission id tie weight
    rank arrival waited deadline], {
    #[getter]
    fn job(&self, py: Python<'_>) -> Job {
        Job { numbers: Arc::clone(&self.numbers), cluster: self.cluster.clone_ref(py) }
    }

    #[getter]
    fn user(&self, py: Python<'_>) -> User {
        User { numbers: Arc::clone(&self.numbers), cluster: self.cluster.clone_ref(py) }
    }

    fn __repr__(&self) -> String {
        format!("Stage(id={})", self.numbers.numbers[index_of(Subject::Stage, "id")])
    }
});

objects!(Job, Job, job, [running pending estimate unsubmitted attained stages parallelism rank arrival waited deadline
    weight], {
    #[getter]
    fn user(&self, py: Python<'_>) -> User {
        User { numbers: Arc::clone(&self.numbers), cluster: self.cluster.clone_ref(py) }
    }

    #[getter]
    fn name(&self) -> &str {
        &self.numbers.job_name
    }

    fn __repr__(&self) -> String {
        format!("Job(rank={}, name={:?})", self.numbers.rank.0, self.numbers.job_name)
    }
});

objects!(User, User, user, [running pending weight memory index position], {
    #[getter]
    fn name(&self) -> &str {
        &self.numbers.user_name
    }

    fn __repr__(&self) -> String {
        format!("User(name={:?})", self.numbers.user_name)
    }
});

impl Stage {
    fn own_index(&self) -> u32 {
        self.numbers.stage
    }
}

impl Job {
    fn own_index(&self) -> u32 {
        self.numbers.rank.0
    }
}

impl User {
    fn own_index(&self) -> u32 {
        self.numbers.user
    }
}

/// What a copy of an object refers to.
fn copied(cluster: &Py<Cluster>, py: Python<'_>, memo: &Bound<'_, PyAny>) -> PyResult<Py<Cluster>> {
    let copy = py.import("copy")?.call_method1("deepcopy", (cluster.clone_ref(py), memo))?;
    Ok(copy.cast_into::<Cluster>()?.unbind())
}

/// The cluster at the instant of a call, and what a handler may do.
#[pyclass(module = "fairlane._native")]
pub struct Cluster {
    numbers: Arc<Numbers>,
    /// By kind and index: what the policy remembers.
    notes: Py<PyDict>,
    handler: Option<Handler>,
}

/// What a handler may use and has asked for.
struct Handler {
    random: Random,
    users: Vec<Arc<Numbers>>,
    wishes: Vec<Wish>,
}

#[pymethods]
impl Cluster {
    /// The instant, in seconds.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.numbers.read(py, index_of(Subject::Cluster, "now"))
    }

    /// Its cores.
    #[getter]
    fn cores(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.numbers.read(py, index_of(Subject::Cluster, "cores"))
    }

    /// Cores that no task holds.
    #[getter]
    fn free_cores(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.numbers.read(py, index_of(Subject::Cluster, "free_cores"))
    }

    /// All users.
    fn users(slf: PyRef<'_, Self>) -> PyResult<Py<PyList>> {
        let py = slf.py();
        let users: Vec<Arc<Numbers>> =
            slf.handler("a call of `users`")?.users.iter().map(Arc::clone).collect();
        let cluster: Py<Cluster> = slf.into();
        let user = |numbers| Py::new(py, User { numbers, cluster: cluster.clone_ref(py) });
        let users = users.into_iter().map(user).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, users)?.unbind())
    }

    /// A number from 0 up to 1 that follows from the policy's seed.
    fn random(&mut self) -> PyResult<f64> {
        Ok(self.handler_mut("a call of `random`")?.random.number())
    }

    /// Starts a job that waits.
    fn start(&mut self, job: &Bound<'_, Job>) -> PyResult<()> {
        let rank = job.get().numbers.rank;
        self.wish("start", Wish::Start(rank))
    }

    /// Ends a job that waits or runs.
    fn drop(&mut self, job: &Bound<'_, Job>) -> PyResult<()> {
        let rank = job.get().numbers.rank;
        self.wish("drop", Wish::Drop(rank))
    }

    /// Arranges a call of `on_wake(token)` at an instant, in seconds.
    #[pyo3(signature = (at, token = None))]
    fn wake(&mut self, at: &Bound<'_, PyAny>, token: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let wrong =
            |message: String| raised(unplaced(format!("`wake` takes an instant in seconds{message}")));
        let seconds = at.extract().map_err(|_| wrong(format!(", not {}", shown(at))))?;
        let micros = micros_from_seconds(seconds).map_err(|error| wrong(format!(": {error}")))?;
        let wrong_token = |token| {
            wrong(format!(" and a token, a whole number from 0 to {}, not {}", u32::MAX, shown(token)))
        };
        let token = token.map_or(Ok(0), |token| token.extract().map_err(|_| wrong_token(token)))?;
        self.wish("wake", Wish::Wake { at: Time(micros), token })
    }

    /// Whole microseconds of seconds: sums of them are exact.
    #[staticmethod]
    fn micros(seconds: f64) -> i64 {
        (seconds * 1e6).round() as i64
    }

    fn __deepcopy__(&self, py: Python<'_>, memo: Bound<'_, PyAny>) -> PyResult<Self> {
        let notes = py.import("copy")?.call_method1("deepcopy", (self.notes.clone_ref(py), memo))?;
        let notes = notes.cast_into::<PyDict>()?.unbind();
        Ok(Cluster { numbers: Arc::clone(&self.numbers), notes, handler: None })
    }
}

impl Cluster {
    /// The cluster before the first event.
    pub fn new(py: Python<'_>, cores: u32) -> Cluster {
        let mut numbers = [0.0; COUNT];
        numbers[index_of(Subject::Cluster, "cores")] = cores.into();
        let numbers = Numbers {
            numbers,
            stage: 0,
            rank: Rank(0),
            user: 0,
            user_name: "".into(),
            job_name: "".into(),
            reads: None,
            call: 0,
        };
        Cluster { numbers: Arc::new(numbers), notes: PyDict::new(py).unbind(), handler: None }
    }

    fn handler(&self, what: &str) -> PyResult<&Handler> {
        self.handler.as_ref().ok_or_else(|| PyRuntimeError::new_err(format!("{what} {ONLY_HANDLERS}")))
    }

    fn handler_mut(&mut self, what: &str) -> PyResult<&mut Handler> {
        self.handler.as_mut().ok_or_else(|| PyRuntimeError::new_err(format!("{what} {ONLY_HANDLERS}")))
    }

    fn wish(&mut self, name: &str, wish: Wish) -> PyResult<()> {
        let wishes = &mut self.handler_mut(&format!("a call of `{name}`"))?.wishes;
        if wishes.len() == MAX_WISHES {
            let message = format!("`{name}` was called more than {MAX_WISHES} times by one handler");
            return Err(PyRuntimeError::new_err(message));
        }
        wishes.push(wish);
        Ok(())
    }

    /// A call sees these numbers, and what it reads is noted.
    pub fn enter(&mut self, facts: &Facts, reads: Option<&Reads>) {
        self.numbers = numbers(facts, reads, self.numbers.call + 1);
        self.handler = None;
    }

    /// The call is a handler's.
    pub fn lend(&mut self, call: &mut HandlerCall) {
        let number = self.numbers.call;
        let users = call.users.drain(..).map(|user| numbers(&user, None, number)).collect();
        self.handler = Some(Handler { random: call.random.clone(), users, wishes: Vec::new() });
    }

    /// The call of a handler is over.
    pub fn give_back(&mut self, call: &mut HandlerCall) {
        if let Some(handler) = self.handler.take() {
            call.random = handler.random;
            call.wishes = handler.wishes;
        }
    }
}

/// The stage of the current call.
pub fn stage(cluster: &Bound<'_, Cluster>) -> PyResult<Py<Stage>> {
    let numbers = Arc::clone(&cluster.borrow().numbers);
    Py::new(cluster.py(), Stage { numbers, cluster: cluster.clone().unbind() })
}

/// The job of the current call.
pub fn job(cluster: &Bound<'_, Cluster>) -> PyResult<Py<Job>> {
    let numbers = Arc::clone(&cluster.borrow().numbers);
    Py::new(cluster.py(), Job { numbers, cluster: cluster.clone().unbind() })
}

fn numbers(facts: &Facts, reads: Option<&Reads>, call: u64) -> Arc<Numbers> {
    Arc::new(Numbers {
        numbers: facts.numbers,
        stage: facts.stage.0,
        rank: facts.rank,
        user: facts.user.0,
        user_name: Arc::clone(&facts.user_name),
        job_name: Arc::clone(&facts.job_name),
        reads: reads.map(Arc::clone),
        call,
    })
}
