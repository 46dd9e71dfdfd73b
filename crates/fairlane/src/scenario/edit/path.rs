//! The objects of a scenario whose fields can be set.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{JobId, UserId};
use crate::scenario::field::Field;
use crate::scenario::file::{cluster, jobs, places, users};
use crate::scenario::parameter;

/// An object of a scenario. Displays as its path in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectPath {
    /// The scenario itself.
    Scenario,
    /// The machines.
    Cluster,
    /// The cluster's dynamic allocation. A cluster without one gets one.
    DynamicAllocation,
    /// A loss of an executor, by index among the cluster's.
    Loss(u32),
    /// An exclusion of an executor, by index among the cluster's.
    Exclusion(u32),
    /// The cluster's speculation. A cluster without one gets one.
    Speculation,
    /// The cluster's preemption. A cluster without one gets one.
    Preemption,
    /// How runtime partitioning cuts stages.
    Partitioning,
    /// The parameters of a policy, or some that policies share, by their name in files.
    Policy(Cow<'static, str>),
    /// A user.
    User(UserId),
    /// A user's queue. A user without one gets one.
    Queue(UserId),
    /// A job.
    Job(JobId),
    /// The job that a job waits for.
    Predecessor(JobId),
    /// A stage of a job.
    Stage(JobId, u32),
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectPath::Scenario => Ok(()),
            ObjectPath::Cluster => f.write_str("cluster"),
            ObjectPath::DynamicAllocation => f.write_str("cluster.dynamic_allocation"),
            ObjectPath::Loss(loss) => write!(f, "cluster.losses[{loss}]"),
            ObjectPath::Exclusion(exclusion) => write!(f, "cluster.exclusions[{exclusion}]"),
            ObjectPath::Speculation => f.write_str("cluster.speculation"),
            ObjectPath::Preemption => f.write_str("cluster.preemption"),
            ObjectPath::Partitioning => f.write_str("partitioning"),
            ObjectPath::Policy(policy) => write!(f, "policies.{policy}"),
            ObjectPath::User(user) => write!(f, "users[{}]", user.0),
            ObjectPath::Queue(user) => write!(f, "users[{}].queue", user.0),
            ObjectPath::Job(job) => write!(f, "jobs[{}]", job.0),
            ObjectPath::Predecessor(job) => write!(f, "jobs[{}].after", job.0),
            ObjectPath::Stage(job, stage) => write!(f, "jobs[{}].stages[{stage}]", job.0),
        }
    }
}

impl ObjectPath {
    /// The fields of such an object in a file; those of parameters are declared by their policy.
    pub fn fields(&self) -> Vec<Field> {
        match self {
            ObjectPath::Scenario => crate::scenario::file::SCENARIO.to_vec(),
            ObjectPath::Cluster => cluster::CLUSTER.to_vec(),
            ObjectPath::DynamicAllocation => cluster::DYNAMIC_ALLOCATION.to_vec(),
            ObjectPath::Loss(_) => places::LOSS.to_vec(),
            ObjectPath::Exclusion(_) => places::EXCLUSION.to_vec(),
            ObjectPath::Speculation => places::SPECULATION.to_vec(),
            ObjectPath::Preemption => places::PREEMPTION.to_vec(),
            ObjectPath::Partitioning => cluster::PARTITIONING.to_vec(),
            ObjectPath::Policy(policy) => {
                let set = parameter::find_set(policy);
                set.map_or(&[][..], |set| set.parameters).iter().map(Field::from).collect()
            }
            ObjectPath::User(_) => users::USER.to_vec(),
            ObjectPath::Queue(_) => users::QUEUE.to_vec(),
            ObjectPath::Job(_) => jobs::JOB.to_vec(),
            ObjectPath::Predecessor(_) => jobs::PREDECESSOR.to_vec(),
            ObjectPath::Stage(..) => jobs::STAGE.to_vec(),
        }
    }

    /// The description of a field; `None` if there is no such field.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields().into_iter().find(|field| field.name == name)
    }

    /// A field's path in a file.
    pub fn path_of(&self, field: &str) -> String {
        match self {
            ObjectPath::Scenario => field.to_owned(),
            object => format!("{object}.{field}"),
        }
    }
}
