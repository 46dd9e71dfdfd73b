//! The generator's file, `"format": "fairlane/generator@1"`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cluster::{ClusterFile, PartitioningFile, Policies, parameters, policies, policies_to_file};
use crate::scenario::check;
use crate::scenario::error::ensure;
use crate::scenario::generate::{FORMAT, Paper, Preset, UserGroup};
use crate::scenario::json::{self, DocumentKind, Keyed, Object};
use crate::scenario::{Generator, Limits, ScenarioError};

const KIND: DocumentKind = DocumentKind { noun: "a generator", format: FORMAT };

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct GeneratorFile {
    format: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    duration_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::given")]
    load: Option<f64>,
    #[serde(default)]
    cluster: Object<ClusterFile>,
    #[serde(default)]
    partitioning: Object<PartitioningFile>,
    #[serde(default, skip_serializing_if = "Policies::is_empty", deserialize_with = "policies")]
    policies: Policies,
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::objects")]
    groups: Vec<UserGroup>,
    /// A paper's workload and its parameters.
    #[serde(default, skip_serializing_if = "Policies::is_empty")]
    preset: Policies,
}

/// The preset of a file: an object with one key, which names it.
fn preset(Keyed(file): Policies) -> Result<Option<Preset>, ScenarioError> {
    ensure!(file.len() <= 1, "preset", "has {} workloads; keep one of them", file.len());
    let Some((id, Keyed(values))) = file.into_iter().next() else { return Ok(None) };
    let kind: Paper = id.parse().map_err(|error| ScenarioError::at("preset", format!("{error}")))?;
    let mut preset = kind.preset();
    for (name, value) in values {
        let value = value.as_f64();
        let value =
            value.ok_or_else(|| ScenarioError::at(format!("preset.{id}.{name}"), "must be a number"))?;
        preset = preset.with(&name, value)?;
    }
    Ok(Some(preset))
}

/// A preset as a file has it, whole numbers without a point.
fn preset_to_file(preset: &Preset) -> Policies {
    let value =
        |value: f64| if value.fract() == 0.0 { Value::from(value as i64) } else { Value::from(value) };
    let values = preset.values().map(|(parameter, given)| (parameter.name.to_owned(), value(given)));
    std::iter::once((preset.paper().id().to_owned(), values.collect())).collect()
}

impl Generator {
    /// Reads a generator's file. Parameters are checked when a scenario is made, by
    /// [`Generator::scenario`].
    ///
    /// # Errors
    /// The first error in the form of the file, with its JSON path and the remedy.
    pub fn from_json(text: &str) -> Result<Generator, ScenarioError> {
        let limits = Limits::default();
        json::check_length(text, &limits)?;
        let file: GeneratorFile = KIND.read(text)?;
        let partitioning = file.partitioning.0.partitioning()?;
        check::check_partitioning(&partitioning)?;
        Ok(Generator {
            name: file.name,
            description: file.description,
            seed: file.seed,
            duration_s: file.duration_s,
            load: file.load,
            parameters: parameters(&file.cluster.0, file.policies)?,
            cluster: file.cluster.0.cluster(&limits)?,
            partitioning,
            groups: file.groups,
            preset: preset(file.preset)?,
        })
    }

    /// The generator as a file: the same generator again when read.
    pub fn to_json(&self) -> String {
        let file = GeneratorFile {
            format: FORMAT.to_owned(),
            name: self.name.clone(),
            description: self.description.clone(),
            seed: self.seed,
            duration_s: self.duration_s,
            load: self.load,
            cluster: Object(ClusterFile::from_cluster(&self.cluster, &self.parameters)),
            partitioning: Object((&self.partitioning).into()),
            policies: policies_to_file(&self.parameters),
            groups: self.groups.clone(),
            preset: self.preset.as_ref().map(preset_to_file).unwrap_or_default(),
        };
        serde_json::to_string_pretty(&file).expect("a generator has only keys that are text")
    }
}
