//! A workload under the points of a grid: on all cores, but for policies that are objects.

use fairlane::scenario::ScenarioError;
use fairlane_custom::request;
use fairlane_study::sweep::{Bench, Grid, ResultRow, RowLabel, Workload};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::Value;

use crate::background::on_all_cores;
use crate::input::{self, PolicyInput, ScenarioInput, requested, unplaced};
use crate::own::Objects;
use crate::{answered, json};

/// A row for each point of a grid, in its order, as `fairlane sweep` prints it. The axes are JSON. Points under policies
/// that are objects are simulated one after the other on the caller's thread, once the others are.
#[pyfunction]
pub fn sweep(
    py: Python<'_>,
    workload: ScenarioInput,
    policies: Vec<PolicyInput>,
    axes: PyBackedBytes,
) -> PyResult<String> {
    let mut objects = Objects::default();
    let requested = requested(policies, py, &mut objects)?;
    // Policies change fastest.
    let are_objects: Vec<bool> = requested.iter().map(|policy| objects.has(policy)).collect();
    let is_object = |point: usize| are_objects[point % are_objects.len()];
    let (swept, mut rows) = answered(py, |stop| {
        let swept = Swept::new(&workload, &requested, &axes)?;
        let points: Vec<usize> = (0..swept.points).filter(|&point| !is_object(point)).collect();
        let rows = on_all_cores(points.len(), stop, || {
            let (swept, points, mut bench) = (&swept, &points, Bench::default());
            move |index: usize| (points[index], swept.row(&mut bench, points[index]))
        });
        Ok((swept, rows))
    })?;
    let mut bench = Bench::default();
    for point in (0..swept.points).filter(|&point| is_object(point)) {
        rows.push((point, swept.row(&mut bench, point)));
        objects.control(py);
        objects.checked(Ok(()))?;
    }
    rows.sort_unstable_by_key(|(point, _)| *point);
    let rows: Vec<ResultRow> = rows.into_iter().map(|(_, row)| row).collect();
    Ok(py.detach(|| json(&rows)))
}

/// What is swept.
struct Swept {
    /// With the programs of the policies.
    workload: Workload,
    grid: Grid,
    points: usize,
    /// The fingerprint of the workload that was given.
    fingerprint: String,
}

impl Swept {
    fn new(given: &ScenarioInput, requested: &[Value], axes: &[u8]) -> Result<Swept, ScenarioError> {
        let given = given.workload()?;
        let fingerprint = given.fingerprint();
        let (workload, ids) = request::policies_of(given, requested, Workload::with_parameter)?;
        let grid = input::grid(ids, axes, &workload)?;
        let points = grid.points().ok_or_else(|| {
            unplaced(format!("a sweep has at most {} points; give fewer values", Grid::MAX_POINTS))
        })?;
        Ok(Swept { workload, grid, points, fingerprint })
    }

    fn row(&self, bench: &mut Bench, point: usize) -> ResultRow {
        let label = RowLabel { point: Some(point as u64), ..RowLabel::default() };
        let mut row = bench.row(label, &self.workload, &self.grid.point(point));
        if let Some(subject) = &mut row.subject {
            subject.fingerprint.clone_from(&self.fingerprint);
        }
        row
    }
}
