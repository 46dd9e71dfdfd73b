//! The page's side of the workers: as many as there are processors, within a bound, and a queue before them.
//!
//! A worker that dies, stays silent or sends an invalid answer is replaced; its task fails with a message. Where none
//! starts, the page simulates what is small enough itself.

mod replies;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use gloo::timers::callback::{Interval, Timeout};
use js_sys::Array;

use self::replies::{receive, replace_dead};
use super::main_thread;
use super::watchdog::INTERVAL_MS;
use crate::browser::clock;
use crate::results::measurement::SweepPoint;
use crate::store::{Action, LogImport, LogRules, RunAction, SimulationInput};
use crate::workers::handle::WorkerHandle;
use crate::workers::request::{PoolTask, TaskPriority};
use crate::workers::slices::Slices;
use crate::workers::slot::WorkerSlot;
use crate::workers::work::LoadWork;
use fairlane::metrics::EvaluationDetail;
use fairlane::policy::PolicyId;
use fairlane_study::lesson::{RECORDING, RECORDING_FILE};

pub(super) use self::replies::replace;

/// A worker that has spent this long on a task that is no longer needed is terminated, in milliseconds.
const STALE_MS: f64 = 300.0;
/// Most workers at once, however many processors there are: each takes memory.
const MAX_WORKERS: usize = 8;
/// Largest memory, in bytes, of a worker that is kept while there is nothing to do. A worker's memory never shrinks,
/// so one that has grown beyond this is terminated and another one started when there is something to do again.
const MAX_IDLE_BYTES: u32 = 256 << 20;
/// A simulation of an older version is finished if more than this part of it is done.
const NEARLY_DONE: f64 = 0.5;

/// What is to be simulated: the newest version of the scenario, and under which policies.
pub struct Order<'a> {
    /// The version's number.
    pub revision: u32,
    /// Results of versions before this one are of no use any more.
    pub oldest: u32,
    /// The version.
    pub source: &'a SimulationInput,
    /// The policies, the most urgent first.
    pub policies: &'a [PolicyId],
    /// How much is analyzed.
    pub detail: EvaluationDetail,
}

/// A handle to the workers; they are terminated with the last one.
#[derive(Clone)]
pub struct Pool {
    inner: Rc<RefCell<Inner>>,
    _watch: Rc<Interval>,
}

pub(super) struct Inner {
    slots: Vec<WorkerSlot>,
    /// What is to be done besides simulations, in the order of its [priority](PoolTask::priority).
    tasks: VecDeque<PoolTask>,
    /// The names and files, or addresses, of all logs that were opened: another rule reads them again.
    logs: Vec<(String, Array)>,
    /// Requests for the recorded run that were followed.
    requests: u32,
    /// Policies to be simulated. A policy keeps its position when the document changes, so that each has its turn
    /// however fast the changes are.
    wanted: VecDeque<PolicyId>,
    /// Policies whose simulation was terminated for a newer version, without a result since. They are spared next
    /// time, so that a reader who keeps editing sees a schedule now and then.
    spared: BTreeSet<PolicyId>,
    /// Results that are being decoded, or have just been.
    pub(super) decoding: Vec<(u32, PolicyId)>,
    pub(super) slices: Rc<Slices>,
    /// The newest version of the document.
    newest: Option<(u32, SimulationInput, EvaluationDetail)>,
    max_workers: usize,
    /// Whether the last worker did not start.
    pub(super) blocked: bool,
    next_serial: u32,
    pub(super) load: LoadWork,
    pub(super) dispatch: Rc<dyn Fn(Action)>,
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Pool {
    /// No workers yet; they are started when there is something to do. Results are dispatched as actions.
    pub fn new(load: LoadWork, dispatch: impl Fn(Action) + 'static) -> Pool {
        let processors = gloo::utils::window().navigator().hardware_concurrency();
        let inner = Rc::new(RefCell::new(Inner {
            slots: Vec::new(),
            tasks: VecDeque::new(),
            logs: Vec::new(),
            requests: 0,
            wanted: VecDeque::new(),
            spared: BTreeSet::new(),
            decoding: Vec::new(),
            slices: Rc::default(),
            newest: None,
            max_workers: (processors as usize).clamp(1, MAX_WORKERS),
            blocked: false,
            next_serial: 0,
            load,
            dispatch: Rc::new(dispatch),
        }));
        let weak = Rc::downgrade(&inner);
        let watch = Interval::new(INTERVAL_MS, move || replace_dead(&weak));
        Pool { inner, _watch: Rc::new(watch) }
    }

    /// Checks whether a text is a scenario and opens it.
    pub fn check(&self, name: String, text: Rc<str>) {
        self.inner.borrow_mut().push(PoolTask::Check { name, text });
        pump(&self.inner);
    }

    /// Imports a log from its files by some rules and opens it.
    pub fn import(&self, name: &str, files: &[web_sys::File], rules: LogRules) {
        self.import_log(name, files.iter().collect(), rules);
    }

    /// Imports the recorded run that the page has with it, unless it has done so for this request before.
    pub fn import_recording(&self, requests: u32) {
        let before = std::mem::replace(&mut self.inner.borrow_mut().requests, requests);
        if before < requests {
            self.import_log(RECORDING, Array::of1(&RECORDING_FILE.into()), LogRules::recording());
        }
    }

    fn import_log(&self, name: &str, files: Array, rules: LogRules) {
        let mut inner = self.inner.borrow_mut();
        let number = inner.logs.len();
        inner.logs.push((name.to_owned(), files));
        drop(inner);
        self.import_again(number, rules);
    }

    /// Imports a log again, whose files are these now.
    pub fn import_grown(&self, (number, rules): LogImport, files: &[web_sys::File]) {
        let mut inner = self.inner.borrow_mut();
        let Some((_, known)) = inner.logs.get_mut(number) else { return };
        *known = files.iter().collect();
        drop(inner);
        self.import_again(number, rules);
    }

    /// Imports a log again, by other rules.
    pub fn import_again(&self, number: usize, rules: LogRules) {
        let mut inner = self.inner.borrow_mut();
        let Some((name, files)) = inner.logs.get(number).cloned() else { return };
        inner.push(PoolTask::Import { number, name, files, rules });
        drop(inner);
        pump(&self.inner);
    }

    /// Simulates the newest version under some policies, and nothing else.
    ///
    /// A worker that has been busy for a moment with what is no longer needed is terminated. So is one that is
    /// busy with an older version, unless it is nearly done, or one was terminated already the last time, or
    /// something is being dragged: then its schedule is better than none.
    pub fn simulate(&self, order: &Order) {
        let mut inner = self.inner.borrow_mut();
        let dispatch = Rc::clone(&inner.dispatch);
        let refused = inner.order(order, clock::now());
        drop(inner);
        refused.into_iter().for_each(|action| dispatch(action));
        pump(&self.inner);
    }

    /// Simulates these points of a version, the first first, and no others.
    ///
    /// A worker that is busy with a point that is no longer needed has a moment to finish it, because a new worker
    /// costs more than a small simulation.
    pub fn sweep(&self, revision: u32, source: &SimulationInput, points: &[SweepPoint]) {
        let mut inner = self.inner.borrow_mut();
        let under_way = |point: &SweepPoint| {
            inner.slots.iter().any(|slot| match slot.tasks.front() {
                Some(PoolTask::Sweep { revision: at, point: other, .. }) => *at == revision && other == point,
                _ => false,
            })
        };
        let (mut wanted, mut refused) = (Vec::new(), Vec::new());
        for point in points.iter().filter(|point| !under_way(point)).cloned() {
            match source.admit(point.policy) {
                Ok(admitted) => wanted.push(PoolTask::Sweep { revision, point, admitted }),
                Err(why) => refused.push(Action::Run(RunAction::Swept(revision, point, Err(why.to_owned())))),
            }
        }
        let stale = inner.slots.iter().any(|slot| is_stale(slot.tasks.front(), revision, points));
        inner.tasks.retain(|task| !matches!(task, PoolTask::Sweep { .. }));
        wanted.into_iter().for_each(|task| inner.push(task));
        let dispatch = Rc::clone(&inner.dispatch);
        drop(inner);
        refused.into_iter().for_each(|action| dispatch(action));
        if stale {
            let (weak, points) = (Rc::downgrade(&self.inner), points.to_vec());
            let terminate_stale = move || {
                let Some(inner) = weak.upgrade() else { return };
                let now = clock::now();
                // Only what was stale then and is not finished yet.
                inner.borrow_mut().slots.retain(|slot| {
                    !(is_stale(slot.tasks.front(), revision, &points) && now - slot.since >= STALE_MS)
                });
                pump(&inner);
            };
            Timeout::new(STALE_MS as u32, terminate_stale).forget();
        }
        pump(&self.inner);
    }
}

impl Pool {
    /// Finds out what these policies guarantee in a version, and nothing else. A worker that is busy with another one
    /// is terminated: lies take many simulations.
    pub fn check_properties(&self, revision: u32, source: &SimulationInput, policies: &[PolicyId]) {
        let mut inner = self.inner.borrow_mut();
        let is_wanted = |task: Option<&PoolTask>| match task {
            Some(PoolTask::Properties { revision: at, admitted }) => {
                *at == revision && policies.contains(&admitted.policy())
            }
            _ => true,
        };
        inner.slots.retain(|slot| is_wanted(slot.tasks.front()));
        let under_way = |policy: &PolicyId| {
            let mut fronts = inner.slots.iter().filter_map(|slot| slot.tasks.front());
            fronts.any(
                |task| matches!(task, PoolTask::Properties { admitted, .. } if admitted.policy() == *policy),
            )
        };
        let (mut wanted, mut refused) = (Vec::new(), Vec::new());
        for &policy in policies.iter().filter(|policy| !under_way(policy)) {
            match source.admit(policy) {
                Ok(admitted) => wanted.push(PoolTask::Properties { revision, admitted }),
                Err(why) => {
                    refused.push(Action::Run(RunAction::Checked(revision, policy, Err(why.to_owned()))))
                }
            }
        }
        inner.tasks.retain(|task| !matches!(task, PoolTask::Properties { .. }));
        wanted.into_iter().for_each(|task| inner.push(task));
        let dispatch = Rc::clone(&inner.dispatch);
        drop(inner);
        refused.into_iter().for_each(|action| dispatch(action));
        pump(&self.inner);
    }
}

/// Whether a worker is busy with a point that is not among those wanted of this version.
fn is_stale(task: Option<&PoolTask>, revision: u32, points: &[SweepPoint]) -> bool {
    match task {
        Some(PoolTask::Sweep { revision: at, point, .. }) => *at != revision || !points.contains(point),
        _ => false,
    }
}

impl Inner {
    /// Takes an order; what follows for policies that may not run.
    fn order(&mut self, order: &Order, now: f64) -> Vec<Action> {
        self.newest = Some((order.revision, order.source.clone(), order.detail));
        let Inner { slots, spared, .. } = self;
        slots.retain(|slot| {
            let Some(PoolTask::Simulate { revision, admitted, detail }) = slot.tasks.front() else {
                return true;
            };
            let policy = &admitted.policy();
            if now - slot.since <= STALE_MS {
                return true;
            }
            let wanted = *revision >= order.oldest && order.policies.contains(policy);
            let dragging =
                (*detail, order.detail) == (EvaluationDetail::Responses, EvaluationDetail::Responses);
            let goes_on = *revision == order.revision || dragging || slot.part >= NEARLY_DONE;
            if wanted && !goes_on {
                return !spared.insert(*policy);
            }
            wanted
        });
        self.wanted.retain(|policy| order.policies.contains(policy));
        self.decoding.retain(|(of, policy)| *of == order.revision && order.policies.contains(policy));
        let (mut refused, source) = (Vec::new(), order.source);
        for policy in order.policies {
            if let Err(why) = source.admit(*policy) {
                self.wanted.retain(|wanted| wanted != policy);
                refused.push(Action::Run(RunAction::Finished(order.revision, *policy, Err(why.to_owned()))));
                continue;
            }
            let under_way = self.slots.iter().flat_map(|slot| &slot.tasks).any(|task| {
                matches!(task, PoolTask::Simulate { revision, admitted, .. } if *revision == order.revision
                    && admitted.policy() == *policy)
            });
            let decoding = self.decoding.contains(&(order.revision, *policy));
            if !under_way && !decoding && !self.wanted.contains(policy) {
                self.wanted.push_back(*policy);
            }
        }
        refused
    }

    /// Puts a task behind those that are as urgent.
    fn push(&mut self, task: PoolTask) {
        let place = self.tasks.partition_point(|other| other.priority() <= task.priority());
        self.tasks.insert(place, task);
    }

    /// Whether a file is to be read, for which a simulation has to wait.
    fn has_files(&self) -> bool {
        self.tasks.front().is_some_and(|task| task.priority() == TaskPriority::File)
    }

    fn next_task(&mut self) -> Option<PoolTask> {
        if self.has_files() {
            return self.tasks.pop_front();
        }
        while let (Some((revision, source, detail)), Some(policy)) = (&self.newest, self.wanted.pop_front()) {
            // What may not run was refused when it was ordered.
            if let Ok(admitted) = source.admit(policy) {
                return Some(PoolTask::Simulate { revision: *revision, admitted, detail: *detail });
            }
        }
        self.tasks.pop_front()
    }

    fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.wanted.is_empty()
    }

    /// The next simulation, if it is for the page itself.
    fn task_of_page(&mut self) -> Option<PoolTask> {
        let next = self.wanted.front().filter(|_| self.blocked)?;
        let (_, source, _) = self.newest.as_ref()?;
        let is_small = source.document.tasks(next.partitioning) <= main_thread::MAX_TASKS;
        if is_small && !self.has_files() { self.next_task() } else { None }
    }

    /// Whether the next task is a simulation of a drag.
    fn is_dragging(&self) -> bool {
        let simulates = !self.has_files() && !self.wanted.is_empty();
        simulates && matches!(self.newest, Some((.., EvaluationDetail::Responses)))
    }

    /// Index of the worker for the next task, starting one if none is free and there may be more.
    fn free_slot(&mut self, inner: &Rc<RefCell<Inner>>) -> Result<Option<usize>, String> {
        if let Some(index) = self.slots.iter().position(|slot| slot.tasks.is_empty()) {
            return Ok(Some(index));
        }
        // A file does not wait for simulations, which opening it would cancel anyway.
        let max_workers = self.max_workers + usize::from(self.has_files());
        if self.slots.len() >= max_workers {
            let with_room = (0..self.slots.len()).filter(|&index| self.slots[index].has_room());
            let least = with_room.min_by_key(|&index| self.slots[index].tasks.len());
            return Ok(least.filter(|_| self.is_dragging()));
        }
        let (serial, weak) = (self.next_serial, Rc::downgrade(inner));
        self.next_serial += 1;
        let worker = WorkerHandle::start(move |message| {
            if let Some(inner) = weak.upgrade() {
                receive(&inner, serial, message);
            }
        })?;
        self.slots.push(WorkerSlot::new(serial, worker));
        Ok(Some(self.slots.len() - 1))
    }
}

/// Assigns what is to be done to free workers.
fn pump(inner: &Rc<RefCell<Inner>>) {
    loop {
        let mut state = inner.borrow_mut();
        if state.is_idle() {
            return;
        }
        if let Some(task) = state.task_of_page() {
            drop(state);
            main_thread::without_worker(inner, task, "");
            continue;
        }
        let slot = state.free_slot(inner);
        if matches!(slot, Ok(None)) {
            return;
        }
        let Some(task) = state.next_task() else { return };
        match slot {
            Ok(Some(index)) => state.slots[index].assign(task),
            Ok(None) => return,
            Err(message) => {
                drop(state);
                main_thread::without_worker(inner, task, &message);
            }
        }
    }
}
