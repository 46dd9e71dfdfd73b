//! The page's side of the workers: as many as there are processors, within a bound, and a queue before them.

mod hear;
mod intake;
mod slot;
mod sweeps;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use gloo::timers::callback::Interval;

use super::shared::Shared;
use super::store::Document;
use super::sweep::SweepPoint;
use super::wire::{Care, Outcome};
use crate::policy::PolicyId;
use hear::{bury_the_silent, fail};
use intake::Pace;
pub(super) use slot::start_early;
use slot::{Slot, start};

/// A worker that has been at a task nobody wants any more for so long is ended, in milliseconds.
const STALE_MS: f64 = 300.0;
/// How often silence is looked for, in milliseconds.
const WATCH_MS: u32 = 2_000;
/// Most workers at once, however many processors there are: each takes memory.
const MOST_WORKERS: usize = 8;
/// Most bytes of memory of a worker that is kept once there is nothing to do. A worker's memory never shrinks,
/// so one that has grown beyond this is ended and another one started when there is something to do again.
const WORKER_KEEPS: f64 = (256_u32 << 20) as f64;
/// A simulation of an older version that is further than this part of its way is let go on to its end.
const NEARLY_DONE: f64 = 0.5;

/// What is to be simulated: the newest version of the scenario, and for whom.
pub struct Order<'a> {
    /// The version's number.
    pub revision: u32,
    /// Answers about versions before this one are of no use any more.
    pub oldest: u32,
    /// The version.
    pub document: &'a Shared<Document>,
    /// The policies, the most urgent first.
    pub policies: &'a [PolicyId],
    /// How much is wanted.
    pub care: Care,
}

/// Something a worker is at.
#[derive(Clone)]
enum Task {
    Simulate { revision: u32, policy: PolicyId, document: Shared<Document>, care: Care },
    Check { name: String, text: Rc<str> },
    Sweep { revision: u32, point: SweepPoint, document: Shared<Document> },
}

/// What the workers tell the page.
pub enum News {
    /// A simulation goes on: the part of its tasks launched.
    Progress { revision: u32, policy: PolicyId, part: f64 },
    /// A simulation has ended, or cannot be had.
    Simulated { revision: u32, policy: PolicyId, result: Result<Shared<Outcome>, String> },
    /// A text is a scenario, or why it is not.
    Checked { name: String, text: Rc<str>, result: Result<(), String> },
    /// A point of a sweep: the mean response time in seconds, or why it cannot be had.
    Swept { revision: u32, point: SweepPoint, result: Result<f64, String> },
}

type Listener = Rc<dyn Fn(News)>;

/// A handle to the workers; they end with the last one.
#[derive(Clone)]
pub struct Pool {
    inner: Rc<RefCell<Inner>>,
    _watch: Rc<Interval>,
}

struct Inner {
    slots: Vec<Slot>,
    /// Texts to be checked; they go before simulations.
    checks: VecDeque<(String, Rc<str>)>,
    /// Policies to be simulated. A policy keeps its place when the document changes, so that each
    /// has its turn however fast the changes come.
    wanted: VecDeque<PolicyId>,
    /// Points of a sweep over a version of the document; they go after simulations.
    sweep: Option<(u32, Shared<Document>, VecDeque<SweepPoint>)>,
    /// Policies one of whose simulations was ended for a newer version, and which have had none since. They are
    /// spared next time: whoever goes on editing sees a picture now and then.
    spared: BTreeSet<PolicyId>,
    /// Results that are being read, or have just been told.
    arriving: Vec<(u32, PolicyId)>,
    /// How the page's thread is kept free while results are read.
    pace: Rc<Pace>,
    /// The newest version of the document.
    newest: Option<(u32, Shared<Document>, Care)>,
    most: usize,
    next_serial: u32,
    listener: Listener,
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Pool {
    /// No workers yet; they start when there is something to do.
    pub fn new(listener: impl Fn(News) + 'static) -> Pool {
        let processors = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        let inner = Rc::new(RefCell::new(Inner {
            slots: Vec::new(),
            checks: VecDeque::new(),
            wanted: VecDeque::new(),
            sweep: None,
            spared: BTreeSet::new(),
            arriving: Vec::new(),
            pace: Rc::default(),
            newest: None,
            most: (processors as usize).clamp(1, MOST_WORKERS),
            next_serial: 0,
            listener: Rc::new(listener),
        }));
        let weak = Rc::downgrade(&inner);
        let watch = Interval::new(WATCH_MS, move || bury_the_silent(&weak));
        Pool { inner, _watch: Rc::new(watch) }
    }

    /// Has a text checked.
    pub fn check(&self, name: String, text: Rc<str>) {
        self.inner.borrow_mut().checks.push_back((name, text));
        pump(&self.inner);
    }

    /// Has the newest version simulated under some policies, and nothing else.
    ///
    /// What has been at work for a moment on what nobody wants any more is ended with its worker. What is at
    /// an older version is ended too, unless it is nearly done, or was ended already the last time, or
    /// something is being dragged: then its picture is better than none.
    pub fn simulate(&self, order: &Order) {
        self.inner.borrow_mut().order(order, js_sys::Date::now());
        pump(&self.inner);
    }
}

impl Inner {
    fn order(&mut self, order: &Order, now: f64) {
        self.newest = Some((order.revision, order.document.clone(), order.care));
        let Inner { slots, spared, .. } = self;
        slots.retain(|slot| {
            let Some(Task::Simulate { revision, policy, care, .. }) = &slot.task else { return true };
            if now - slot.since <= STALE_MS {
                return true;
            }
            let wanted = *revision >= order.oldest && order.policies.contains(policy);
            let dragging = (*care, order.care) == (Care::Quick, Care::Quick);
            let goes_on = *revision == order.revision || dragging || slot.part >= NEARLY_DONE;
            if wanted && !goes_on {
                return !spared.insert(*policy);
            }
            wanted
        });
        self.wanted.retain(|policy| order.policies.contains(policy));
        self.arriving.retain(|(of, policy)| *of == order.revision && order.policies.contains(policy));
        for policy in order.policies {
            let under_way = self.slots.iter().any(|slot| {
                matches!(&slot.task, Some(Task::Simulate { revision, policy: at, .. }) if *revision == order.revision && at == policy)
            });
            let arriving = self.arriving.contains(&(order.revision, *policy));
            if !under_way && !arriving && !self.wanted.contains(policy) {
                self.wanted.push_back(*policy);
            }
        }
    }

    fn next_task(&mut self) -> Option<Task> {
        if let Some((name, text)) = self.checks.pop_front() {
            return Some(Task::Check { name, text });
        }
        if let (Some((revision, document, care)), Some(policy)) =
            (self.newest.clone(), self.wanted.pop_front())
        {
            return Some(Task::Simulate { revision, policy, document, care });
        }
        self.next_point()
    }

    /// Has a task done by somebody else, before all others.
    fn put_back(&mut self, task: Task) {
        match task {
            Task::Check { name, text } => self.checks.push_front((name, text)),
            Task::Simulate { policy, .. } if self.wanted.contains(&policy) => {}
            Task::Simulate { policy, .. } => self.wanted.push_front(policy),
            Task::Sweep { revision, point, .. } => match &mut self.sweep {
                Some((now, _, points)) if *now == revision => points.push_front(point),
                _ => {}
            },
        }
    }

    /// Where a free worker is, starting one if there may be more.
    fn free_slot(&mut self, inner: &Rc<RefCell<Inner>>) -> Result<Option<usize>, String> {
        if let Some(place) = self.slots.iter().position(|slot| slot.task.is_none()) {
            return Ok(Some(place));
        }
        // A file does not wait for simulations, which its opening would end anyway.
        let most = self.most + usize::from(!self.checks.is_empty());
        if self.slots.len() >= most {
            return Ok(None);
        }
        let serial = self.next_serial;
        self.next_serial += 1;
        self.slots.push(start(inner, serial)?);
        Ok(Some(self.slots.len() - 1))
    }
}

/// Hands what is to be done to free workers.
fn pump(inner: &Rc<RefCell<Inner>>) {
    loop {
        let mut state = inner.borrow_mut();
        if state.checks.is_empty() && state.wanted.is_empty() && !state.has_points() {
            return;
        }
        let slot = state.free_slot(inner);
        if matches!(slot, Ok(None)) {
            return;
        }
        let Some(task) = state.next_task() else { return };
        match slot {
            Ok(Some(place)) => state.slots[place].give(task),
            Ok(None) => return,
            Err(message) => {
                drop(state);
                fail(inner, task, &message);
            }
        }
    }
}
