//! The tasks of a simulation as columns of NumPy.

use fairlane::trace::{TaskRun, Trace};
use fairlane::units::Time;
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The tasks of a simulation in the order of launch, kept until somebody asks for their columns.
#[pyclass(frozen, module = "fairlane._native")]
pub struct Tasks {
    runs: Vec<TaskRun>,
    killed: Vec<u32>,
}

impl From<Trace> for Tasks {
    fn from(trace: Trace) -> Tasks {
        Tasks { runs: trace.tasks, killed: trace.killed }
    }
}

#[pymethods]
impl Tasks {
    /// An array for each column.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("job", self.column(py, |run| i64::from(run.job.0)))?;
        columns.set_item("stage", self.column(py, |run| i64::from(run.stage)))?;
        columns.set_item("task", self.column(py, |run| i64::from(run.task)))?;
        columns.set_item("core", self.column(py, |run| i64::from(run.core.0)))?;
        columns.set_item("start_s", self.column(py, |run| seconds(run.start)))?;
        columns.set_item("end_s", self.column(py, |run| seconds(run.end)))?;
        let mut killed = vec![false; self.runs.len()];
        for &task in &self.killed {
            killed[task as usize] = true;
        }
        columns.set_item("killed", killed.into_pyarray(py))?;
        Ok(columns)
    }
}

impl Tasks {
    /// A value of each task, in memory that NumPy takes over.
    fn column<'py, T: Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&TaskRun) -> T + Send,
    ) -> Bound<'py, PyAny> {
        let column: Vec<T> = py.detach(|| self.runs.iter().map(value).collect());
        column.into_pyarray(py).into_any()
    }
}

fn seconds(time: Time) -> f64 {
    time.0 as f64 / 1e6
}
