//! Output for other programs: figures as JSON and CSV, charts as SVG. Pure: data in, text out.

pub mod csv;
mod figures;
pub mod svg;

pub use figures::{Figures, JobFigures, Measured, UserFigures, job_figures, jobs_by_user, trace_hash};
