//! Figures as JSON, CSV, Markdown and columns of tables, charts as SVG. Pure: data in, text out.
//!
//! ```
//! use fairlane::compare;
//! use fairlane_view::export;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let comparison = compare(&scenario, ["uwfq".parse()?]);
//! assert_eq!(export::trace_hash(&comparison.evaluations[0].trace).len(), 16);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

pub mod chrome_trace;
pub mod columns;
pub mod csv;
pub mod documents;
mod figures;
pub mod markdown;
pub mod one_document;
pub mod picture;
mod properties;
pub mod svg;
mod waiting;

pub use figures::{
    Better, Figure, Figures, Format, JobFigures, RecordHeading, SelectedFigures, Selection, TableFormat,
    UserFigures, job_figures, jobs_by_user, trace_hash,
};
pub use properties::{
    PROPERTIES, PolicyProperties, PropertiesJson, PropertyCell, cells as property_cells, properties_csv,
};
pub use waiting::WaitingJson;
