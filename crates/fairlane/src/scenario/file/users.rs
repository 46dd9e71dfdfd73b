//! Users and their queues in a file.

use std::collections::HashMap;
use std::fmt::Display;

use super::cluster::is_zero;
use crate::ids::UserId;
use crate::scenario::check;
use crate::scenario::error::{ensure, micros};
use crate::scenario::field::{Field, FieldKind, object};
use crate::scenario::json::{Object, given};
use crate::scenario::{Queue, QueueKind, ScenarioError, User};
use crate::units::{MICROS_PER_SECOND, SlotTime, Span, Time, Weight};

object! {
    /// A user with a weight or a queue.
    #[serde(deny_unknown_fields)]
    pub(crate) UserFile, USER;

    /// Unique among the users.
    name: String = Field::text("Name");
    /// Share of the cluster: weight 2 is entitled to twice the service of weight 1.
    #[serde(default = "one")]
    weight: f64 = Field::number("Weight", "").or("1").within(check::WEIGHT);
    /// The bursts of a queue, for DRF, SP, M-BVT and BoPF.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    #[tsify(type = "QueueFile")]
    queue: Option<Object<QueueFile>> = Field::new(FieldKind::Compound, "Queue").follows("none");
    /// Number of the colour in pictures, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    colour: Option<u32> = Field::count("Colour").follows("the user's place");
}

object! {
    /// The bursts of a queue.
    #[serde(deny_unknown_fields)]
    pub(crate) QueueFile, QUEUE;

    /// Whether its bursts are to end soon, or much work is to be done.
    kind: QueueKind =
        Field::choice("Kind of queue", &[("latency", "latency"), ("throughput", "throughput")]);
    /// When its first burst begins.
    #[serde(default, skip_serializing_if = "is_zero")]
    joins_s: f64 = Field::seconds("First burst").or("0");
    /// From the begin of one burst to the next.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    period_s: Option<f64> = Field::seconds("Period").or("300");
    /// A burst is owed its demand within this long; at most the period.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    within_s: Option<f64> = Field::seconds("Window").follows("the period");
    /// Work that each burst says it needs.
    #[serde(default, skip_serializing_if = "is_zero")]
    demand_core_s: f64 = Field::number("Demand", "core-s").or("0");
    /// Memory that each burst says it needs, times how long.
    #[serde(default, skip_serializing_if = "is_zero")]
    demand_mb_s: f64 = Field::number("Memory demand", "MB-s").or("0");
    /// M-BVT sets the queue's virtual time back by this much inside a window.
    #[serde(default, skip_serializing_if = "is_zero")]
    warp_s: f64 = Field::seconds("Warp").or("0");
}

fn one() -> f64 {
    1.0
}

impl UserFile {
    /// The user; `path` is its own.
    pub(crate) fn user(self, path: &dyn Display) -> Result<User, ScenarioError> {
        let weight = Weight::new(self.weight)
            .ok_or_else(|| ScenarioError::at(format!("{path}.weight"), check::WEIGHT.rule))?;
        let queue = self.queue.map(|Object(file)| file.queue(&format_args!("{path}.queue"))).transpose()?;
        ensure!(self.colour != Some(0), format!("{path}.colour"), "colours are numbered from 1");
        Ok(User { name: self.name, weight, queue, colour: self.colour })
    }
}

impl From<&User> for UserFile {
    fn from(user: &User) -> Self {
        let queue = user.queue.as_ref().map(|queue| Object(QueueFile::from(queue)));
        UserFile { name: user.name.clone(), weight: user.weight.value(), queue, colour: user.colour }
    }
}

impl QueueFile {
    /// The queue; `path` is its own.
    pub(crate) fn queue(&self, path: &dyn Display) -> Result<Queue, ScenarioError> {
        let micros = |seconds, key: &str| micros(seconds, || format!("{path}.{key}"));
        let period = match self.period_s {
            Some(seconds) => Span(micros(seconds, "period_s")?),
            None => Queue::default().period,
        };
        Ok(Queue {
            kind: self.kind,
            joins: Time(micros(self.joins_s, "joins_s")?),
            period,
            within: self.within_s.map_or(Ok(period), |seconds| micros(seconds, "within_s").map(Span))?,
            demand: SlotTime(micros(self.demand_core_s, "demand_core_s")?),
            memory_demand: micros(self.demand_mb_s, "demand_mb_s")?,
            warp: Span(micros(self.warp_s, "warp_s")?),
        })
    }
}

impl From<&Queue> for QueueFile {
    fn from(queue: &Queue) -> Self {
        QueueFile {
            kind: queue.kind,
            joins_s: queue.joins.seconds(),
            period_s: (queue.period != Queue::default().period).then(|| queue.period.seconds()),
            within_s: (queue.within != queue.period).then(|| queue.within.seconds()),
            demand_core_s: queue.demand.seconds(),
            demand_mb_s: queue.memory_demand as f64 / MICROS_PER_SECOND,
            warp_s: queue.warp.seconds(),
        }
    }
}

/// The users read so far.
pub(super) struct UserTable {
    pub(super) all: Vec<User>,
    by_name: HashMap<String, UserId>,
}

impl UserTable {
    pub(super) fn declared(files: Vec<Object<UserFile>>) -> Result<UserTable, ScenarioError> {
        let mut users = UserTable { all: Vec::new(), by_name: HashMap::new() };
        for (index, Object(file)) in files.into_iter().enumerate() {
            users.add(file.user(&format_args!("users[{index}]"))?);
        }
        Ok(users)
    }

    /// The user of that name, which is new if there is none.
    pub(super) fn named(&mut self, name: &str, path: &dyn Display) -> Result<UserId, ScenarioError> {
        if let Some(&user) = self.by_name.get(name) {
            return Ok(user);
        }
        check::check_user_name(name, path)?;
        Ok(self.add(User::named(name)))
    }

    fn add(&mut self, user: User) -> UserId {
        let id = UserId(self.all.len() as u32);
        self.by_name.insert(user.name.clone(), id);
        self.all.push(user);
        id
    }
}
