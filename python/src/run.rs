//! A simulation that stays with the simulator until somebody asks for its tasks or its picture.

use fairlane::ids::JobId;
use fairlane::metrics::{self, Evaluation};
use fairlane::trace::TaskRun;
use fairlane::units::Time;
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::drawn;

/// A simulation, or what was observed.
#[pyclass(frozen, module = "fairlane._native")]
pub struct Run(Evaluation);

impl From<Evaluation> for Run {
    fn from(evaluation: Evaluation) -> Run {
        Run(Evaluation { causes: None, ..evaluation })
    }
}

#[pymethods]
impl Run {
    /// An array for each column of its tasks, in the order of launch.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("job", self.column(py, |run| i64::from(run.job.0)))?;
        columns.set_item("stage", self.column(py, |run| i64::from(run.stage)))?;
        columns.set_item("task", self.column(py, |run| i64::from(run.task)))?;
        columns.set_item("core", self.column(py, |run| i64::from(run.core.0)))?;
        columns.set_item("start_s", self.column(py, |run| seconds(run.start)))?;
        columns.set_item("end_s", self.column(py, |run| seconds(run.end)))?;
        let trace = &self.0.trace;
        let mut killed = vec![false; trace.tasks.len()];
        for &task in &trace.killed {
            killed[task as usize] = true;
        }
        columns.set_item("killed", killed.into_pyarray(py))?;
        Ok(columns)
    }

    /// The core-seconds that each user held while some task of a job waited. `None` of a job that there is not.
    fn holders(&self, py: Python<'_>, job: u32) -> Option<Vec<(String, f64)>> {
        py.detach(|| {
            let Evaluation { scenario, trace, .. } = &self.0;
            trace.jobs.get(job as usize)?;
            let waits = metrics::job_waits(scenario, trace, JobId(job)).pending;
            let held = metrics::holders(scenario, trace, &waits);
            let of_user = scenario.users().iter().zip(&held.by_user);
            let held_by = of_user.map(|(user, time)| (user.name.clone(), time.seconds()));
            Some(held_by.filter(|(_, seconds)| *seconds > 0.0).collect())
        })
    }

    /// The schedule as an SVG picture, with the width of the plot in pixels.
    fn picture(&self, py: Python<'_>, width: u32) -> String {
        py.detach(|| drawn(&self.0.scenario, std::slice::from_ref(&self.0), width))
    }
}

impl Run {
    /// A value of each task, in memory that NumPy takes over.
    fn column<'py, T: Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&TaskRun) -> T + Send,
    ) -> Bound<'py, PyAny> {
        let column: Vec<T> = py.detach(|| self.0.trace.tasks.iter().map(value).collect());
        column.into_pyarray(py).into_any()
    }
}

fn seconds(time: Time) -> f64 {
    time.0 as f64 / 1e6
}
