//! From the rows of a table to jobs and stages.

use std::collections::HashMap;

use super::{NOBODY, REPORT_FORMAT, TableImport, TableReport, TableRow, TaskTable};
use crate::spark::ImportError;
use fairlane::ids::UserId;
use fairlane::scenario::{Cluster, Input, Job, Scenario, Stage, User};
use fairlane::units::{Span, Time};

impl TaskTable {
    /// Makes a scenario of the table on one executor of `cores` cores.
    ///
    /// A job is all rows of one name, from its first submission on. If rows have names of their own, each is a stage
    /// that waits for its parents; else all rows of a job are one stage. A row of c cores is c tasks.
    ///
    /// # Errors
    /// No row can be imported, or the scenario breaks a rule, such as parents that form a cycle.
    pub fn import(&self, cores: u32) -> Result<TableImport, ImportError> {
        let Some(start) = self.rows.iter().map(|row| row.submit).min() else {
            let reasons = self.report.left_out.iter().map(|(reason, count)| format!("{count} rows {reason}"));
            let reasons: Vec<String> = reasons.collect();
            let message = match reasons.is_empty() {
                true => "has no row; give a table with a row for each task".to_owned(),
                false => format!(
                    "has no row that can be imported ({}); check which column has what",
                    reasons.join(", ")
                ),
            };
            return Err(ImportError::new("table", message));
        };
        let mut report = TableReport {
            format: REPORT_FORMAT,
            columns: self.columns.to_string(),
            start_s: start as f64 / 1e6,
            rows: self.report.clone(),
            ..TableReport::default()
        };
        let mut rows: Vec<Vec<&TableRow>> = vec![Vec::new(); self.jobs.names.len()];
        for row in &self.rows {
            rows[row.job as usize].push(row);
        }
        let mut jobs = Vec::with_capacity(rows.len());
        for (name, rows) in self.jobs.names.iter().zip(&rows) {
            let mut job = self.job(rows, start, &mut report)?;
            // Rows without a job have a name that begins with a space.
            job.name = if name.starts_with(' ') { String::new() } else { name.clone() };
            jobs.push(job);
        }
        jobs.sort_by_key(|job| job.arrival);
        let user = |name: &String| User::named(if name.is_empty() { NOBODY } else { name });
        report.users = self.users.names.len();
        report.jobs = jobs.len();
        report.stages = jobs.iter().map(|job| job.stages.len()).sum();
        report.tasks = self.rows.iter().map(|row| u64::from(row.tasks)).sum();
        let scenario = Scenario::builder()
            .name("Imported table")
            .description(format!("Imported from a table of {} rows.", report.rows.in_table))
            .cluster(Cluster::new(1, cores))
            .users(self.users.names.iter().map(user))
            .jobs(jobs)
            .build()
            .map_err(|error| ImportError::new("the scenario of this table", error.to_string()))?;
        Ok(TableImport { scenario, report })
    }

    fn job(&self, rows: &[&TableRow], start: u64, report: &mut TableReport) -> Result<Job, ImportError> {
        let arrival = rows.iter().map(|row| row.submit).min().unwrap_or(start);
        let roots = rows.iter().filter(|row| row.parents.is_empty());
        report.submitted_later += roots.filter(|row| row.submit > arrival).count() as u64;
        let user = rows.first().map_or(0, |row| row.user);
        report.jobs_of_several_users += u64::from(rows.iter().any(|row| row.user != user));
        let stage = |rows: &[&TableRow]| {
            let tasks = rows.iter().flat_map(|row| (0..row.tasks).map(|_| Span(row.runtime)));
            Input::of_tasks(tasks)
                .map(Stage::with_input)
                .map_err(|error| ImportError::new("the scenario of this table", error.to_string()))
        };
        let stages = if rows.iter().all(|row| row.task.is_empty()) {
            vec![stage(rows)?]
        } else {
            // The first of several rows of one name is the one that others refer to.
            let mut places: HashMap<&str, u32> = HashMap::new();
            for (place, row) in (0..).zip(rows).filter(|(_, row)| !row.task.is_empty()) {
                places.entry(&row.task).or_insert(place);
            }
            let mut stages = Vec::with_capacity(rows.len());
            for row in rows {
                let mut stage = stage(&[row])?;
                stage.name.clone_from(&row.task);
                for parent in &row.parents {
                    match places.get(parent.as_str()) {
                        Some(&place) => stage.parents.push(place),
                        None => report.parents_unknown += 1,
                    }
                }
                stage.parents.sort_unstable();
                stage.parents.dedup();
                stages.push(stage);
            }
            stages
        };
        Ok(Job::new(UserId(user), Time(arrival - start), stages))
    }
}
