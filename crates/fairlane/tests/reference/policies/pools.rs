//! `spark` (section 12): Spark's own scheduler, with pools.

use serde_json::Value;

use super::spark::tie;
use super::{Key, Number, Offers, Policy, Text, Whole, user_of};
use crate::reference::{Setting, State};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Fifo,
    Fair,
}

impl Mode {
    fn read(field: &Value, default: Mode) -> Mode {
        match field.as_str() {
            Some("FIFO") => Mode::Fifo,
            Some("FAIR") => Mode::Fair,
            _ => default,
        }
    }
}

#[derive(Clone)]
struct Pool {
    name: String,
    mode: Mode,
    weight: u64,
    min_share: u64,
    max_share: Option<u64>,
}

pub struct Spark {
    mode: Mode,
    /// The pools that the file declares.
    declared: Vec<Pool>,
    by: String,
    default_mode: Mode,
}

impl Spark {
    pub fn new(setting: &Setting) -> Spark {
        let parameters = &setting.parameters["spark"];
        let declared = parameters["pools"].as_array().into_iter().flatten().map(|pool| Pool {
            name: pool["name"].as_str().unwrap().to_owned(),
            mode: Mode::read(&pool["mode"], Mode::Fifo),
            weight: pool["weight"].as_u64().unwrap_or(1),
            min_share: pool["min_share"].as_u64().unwrap_or(0),
            max_share: pool["max_share"].as_u64(),
        });
        Spark {
            mode: Mode::read(&parameters["mode"], Mode::Fair),
            declared: declared.collect(),
            by: parameters["by"].as_str().unwrap_or("pool").to_owned(),
            default_mode: Mode::read(&parameters["default_mode"], Mode::Fifo),
        }
    }

    /// The name of a stage's pool.
    fn name(&self, setting: &Setting, job: usize, stage: usize) -> String {
        let job = &setting.jobs[job];
        let of_stage = job.stages[stage].pool.clone();
        let name = match self.by.as_str() {
            "user" => Some(setting.users[job.user].name.clone()),
            "group" => job.group.clone(),
            _ => of_stage.or(job.pool.clone()),
        };
        name.unwrap_or("default".to_owned())
    }

    /// A stage's pool.
    fn pool(&self, setting: &Setting, job: usize, stage: usize) -> Pool {
        let name = self.name(setting, job, stage);
        if let Some(pool) = self.declared.iter().find(|pool| pool.name == name) {
            return pool.clone();
        }
        let mode = if name == "default" { self.default_mode } else { Mode::Fifo };
        Pool { name, mode, weight: 1, min_share: 0, max_share: None }
    }

    /// N.
    fn running(&self, state: &State, name: &str) -> u64 {
        let stages = state.stages().into_iter();
        let of_pool = stages.filter(|&(job, stage)| self.name(state.setting, job, stage) == name);
        of_pool.map(|(job, stage)| state.counts[job][stage].running).sum()
    }
}

impl Policy for Spark {
    fn ranks_all(&self) -> bool {
        false
    }

    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let in_order = [state.spark_job_number(job, stage), state.ids[job][stage]].map(Whole);
        if self.mode == Mode::Fifo {
            return in_order.into();
        }
        let pool = self.pool(state.setting, job, stage);
        let n = self.running(state, &pool.name);
        let mut key = if n < pool.min_share {
            vec![Whole(0), Number(n as f64 / pool.min_share.max(1) as f64)]
        } else {
            vec![Whole(1), Number(n as f64 / pool.weight as f64)]
        };
        key.push(Text(pool.name));
        match pool.mode {
            Mode::Fifo => key.extend(in_order),
            Mode::Fair => key.extend([Whole(state.counts[job][stage].running), tie(state, job, stage)]),
        }
        key
    }

    fn room(&self, state: &State, job: usize, stage: usize) -> u64 {
        let pool = self.pool(state.setting, job, stage);
        let max_share = pool.max_share.filter(|_| self.mode == Mode::Fair);
        max_share.map_or(u64::MAX, |most| most.saturating_sub(self.running(state, &pool.name)))
    }

    fn party(&self, state: &State, job: usize, stage: usize) -> (String, f64) {
        if self.mode == Mode::Fifo {
            return user_of(state, job);
        }
        let pool = self.pool(state.setting, job, stage);
        (pool.name, pool.weight as f64)
    }

    fn capped_group(&self, state: &State, job: usize, stage: usize) -> Option<String> {
        let pool = self.pool(state.setting, job, stage);
        (self.mode == Mode::Fair && pool.max_share.is_some()).then_some(pool.name)
    }
}
