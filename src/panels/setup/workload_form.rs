//! The form that describes a generated workload: its fields, what was typed into them, and the generator they describe.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::store::Document;
use fairlane::scenario::generate::preset::PresetParameter;
use fairlane::scenario::generate::{Arrivals, Paper, StageTemplate, TextError, UserGroup};
use fairlane::scenario::{Generator, Scenario, field};
use fairlane_view::link::Origin;

/// A field for a text; `unit` may be empty, and so may `empty`, what an empty field means in a word.
pub struct Text {
    pub id: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
    pub usual: &'static str,
    pub empty: &'static str,
}

/// A field for a kind.
pub struct KindChoice {
    pub id: &'static str,
    pub label: &'static str,
    /// The id of the field for the figure that most kinds ask for.
    pub figure: &'static str,
    /// The usual kind, by index.
    usual: usize,
    pub kinds: &'static [WorkloadKind],
}

/// A kind: as the command's option names it, with `{}` for the figure that it asks for, if it does; its name; and the
/// figure's label, unit and usual value.
pub struct WorkloadKind(&'static str, pub &'static str, pub [&'static str; 3]);

impl WorkloadKind {
    pub fn asks(&self) -> bool {
        self.0.contains("{}")
    }

    pub fn word(&self) -> &'static str {
        self.0.split(':').next().unwrap_or_default()
    }
}

pub const SEED: Text = Text { id: "gen-seed", label: "Seed", unit: "", usual: "0", empty: "" };
pub const USERS: Text = Text { id: "gen-users", label: "Users", unit: "", usual: "4", empty: "" };
pub const DURATION: Text = Text { id: "gen-duration", label: "Duration", unit: "s", usual: "120", empty: "" };
pub const JOBS: Text = Text { id: "gen-jobs", label: "Jobs each", unit: "", usual: "", empty: "no limit" };
pub const LOAD: Text = Text { id: "gen-load", label: "Load", unit: "", usual: "0.8", empty: "as drawn" };
pub const EXECUTORS: Text = Text { id: "gen-executors", label: "Executors", unit: "", usual: "", empty: "" };
pub const CORES: Text = Text { id: "gen-cores", label: "Cores each", unit: "", usual: "", empty: "" };

pub const ARRIVALS: KindChoice = KindChoice {
    id: "gen-arrivals",
    label: "Arrivals",
    figure: "gen-arrivals-figure",
    usual: 0,
    kinds: &[
        WorkloadKind("poisson:{}", "Poisson", ["Rate", "/min", "8"]),
        WorkloadKind("bursts:10:{}", "bursts of ten", ["Every", "s", "30"]),
        WorkloadKind("at-once", "all at once", [""; 3]),
        WorkloadKind("scattered", "scattered", [""; 3]),
    ],
};
pub const SIZES: KindChoice = KindChoice {
    id: "gen-sizes",
    label: "Sizes",
    figure: "gen-sizes-figure",
    usual: 1,
    kinds: &[
        WorkloadKind("fixed:{}", "fixed", ["Work", "core-s", "24"]),
        WorkloadKind("exponential:{}", "exponential", ["Mean work", "core-s", "24"]),
        // From 4 to 1000 core-seconds.
        WorkloadKind("pareto:{}:4:1000", "Pareto", ["Shape", "", "1.1"]),
    ],
};
pub const SKEW: KindChoice = KindChoice {
    id: "gen-skew",
    label: "Skew",
    figure: "gen-skew-figure",
    usual: 0,
    kinds: &[
        WorkloadKind("even", "none", [""; 3]),
        WorkloadKind("heavy:{}", "heavy slice", ["Factor", "×", "5"]),
        WorkloadKind("zipf:{}", "Zipf", ["Exponent", "", "1"]),
    ],
};
pub const ESTIMATES: KindChoice = KindChoice {
    id: "gen-estimates",
    label: "Estimates",
    figure: "gen-estimates-figure",
    usual: 0,
    kinds: &[
        WorkloadKind("true", "true", [""; 3]),
        WorkloadKind("constant:{}", "constant", ["Estimate", "core-s", "5"]),
        WorkloadKind("factor:{}", "all off by", ["Factor", "×", "3"]),
        WorkloadKind("random:{}", "random", ["Up to", "×", "3"]),
    ],
};

/// The field for whose workload it is: one of users who are described here, or one of a paper.
pub const WORKLOAD: &str = "gen-workload";

/// What the ids of the fields for a preset's parameters begin with.
const PRESET: &str = "gen-preset-";

/// The id of the field for a preset's parameter.
pub fn parameter_id(parameter: &PresetParameter) -> String {
    format!("{PRESET}{}", parameter.name)
}

/// Jobs of each user where a number is needed and none is given.
const FIXED_JOBS: u32 = 10;

/// A fault: the id of the field it is about, and what is wrong.
pub type FormError = (String, String);

/// What was typed and chosen, by the fields' ids; other fields have their usual values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadForm(BTreeMap<String, String>);

impl WorkloadForm {
    /// What a field shows.
    pub fn typed(&self, text: &Text) -> &str {
        self.0.get(text.id).map_or(text.usual, String::as_str)
    }

    fn text(&self, text: &Text) -> &str {
        self.typed(text).trim()
    }

    /// The paper's workload that is chosen, if one is.
    pub fn preset(&self) -> Option<Paper> {
        self.0.get(WORKLOAD)?.parse().ok()
    }

    /// What the field of a preset's parameter shows.
    pub fn parameter(&self, parameter: &PresetParameter) -> String {
        self.0.get(&parameter_id(parameter)).cloned().unwrap_or_else(|| parameter.usual.to_string())
    }

    /// A workload is chosen: a paper's fills the fields with what the paper has.
    pub fn with_workload(&self, word: &str) -> WorkloadForm {
        let mut fields = self.0.clone();
        // Parameters of different papers may have the same name.
        fields.retain(|id, _| !id.starts_with(PRESET));
        fields.insert(WORKLOAD.to_owned(), word.to_owned());
        if let Ok(kind) = word.parse::<Paper>() {
            let cluster = kind.cluster();
            fields.insert(SEED.id.to_owned(), "1".to_owned());
            fields.insert(EXECUTORS.id.to_owned(), cluster.executors.to_string());
            fields.insert(CORES.id.to_owned(), cluster.cores_per_executor.to_string());
        }
        WorkloadForm(fields)
    }

    fn count(&self, text: &Text) -> Result<u32, FormError> {
        field::count(self.text(text)).map_err(|error| (text.id.to_owned(), error.to_string()))
    }

    fn seed(&self) -> Result<u64, FormError> {
        let wrong = "must be a whole number from 0 to 18446744073709551615";
        self.text(&SEED).parse().map_err(|_| (SEED.id.to_owned(), wrong.to_owned()))
    }

    /// The document that the fields describe. A paper's workload brings its own cluster, of the size that is given.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn document(&self, scenario: &Scenario) -> Result<Document, FormError> {
        let generator = match self.preset() {
            Some(kind) => self.of_preset(kind)?,
            None => self.of_groups(scenario)?,
        };
        let made = generator.scenario().map_err(|error| (field_of(&error.path), error.message))?;
        Ok(Document::new(made, Origin::Generated(Box::new(generator))))
    }

    pub fn kind(&self, choice: &KindChoice) -> &'static WorkloadKind {
        let chosen = |kind: &&WorkloadKind| self.0.get(choice.id).is_some_and(|word| word == kind.word());
        choice.kinds.iter().find(chosen).unwrap_or(&choice.kinds[choice.usual])
    }

    pub fn figure(&self, choice: &KindChoice) -> &str {
        self.0.get(choice.figure).map_or(self.kind(choice).2[2], String::as_str)
    }

    /// A field's text has changed.
    pub fn changed(&self, id: String, text: String) -> WorkloadForm {
        let mut fields = self.0.clone();
        // Another kind asks for another figure.
        fields.remove(&format!("{id}-figure"));
        fields.insert(id, text);
        WorkloadForm(fields)
    }

    /// What is chosen, read as the command reads its option.
    fn parsed<T: FromStr<Err = TextError>>(&self, choice: &KindChoice) -> Result<T, FormError> {
        let kind = self.kind(choice);
        let figure = self.figure(choice);
        if kind.asks() {
            number(figure, choice.figure)?;
        }
        let parsed = kind.0.replace("{}", figure.trim()).parse();
        parsed.map_err(|error: TextError| (choice.id.to_owned(), error.to_string()))
    }

    /// The generator of a paper's workload.
    fn of_preset(&self, kind: Paper) -> Result<Generator, FormError> {
        let mut preset = kind.preset();
        for parameter in kind.parameters() {
            let id = parameter_id(parameter);
            let value = number(&self.parameter(parameter), &id)?;
            preset = preset.with(parameter.name, value).map_err(|error| (id, error.message))?;
        }
        let mut generator = Generator { seed: self.seed()?, ..preset.into() };
        generator.cluster.executors = self.count(&EXECUTORS)?;
        generator.cluster.cores_per_executor = self.count(&CORES)?;
        Ok(generator)
    }

    /// The generator of users like those described, on the scenario's own cluster.
    fn of_groups(&self, scenario: &Scenario) -> Result<Generator, FormError> {
        let seed = self.seed()?;
        let arrivals = self.parsed(&ARRIVALS)?;
        let (sizes, skew, estimates) = (self.parsed(&SIZES)?, self.parsed(&SKEW)?, self.parsed(&ESTIMATES)?);
        let users = self.count(&USERS)?;
        let jobs = match self.text(&JOBS) {
            "" => matches!(arrivals, Arrivals::AtOnce(_) | Arrivals::Scattered).then_some(FIXED_JOBS),
            _ => Some(self.count(&JOBS)?),
        };
        let load = match self.text(&LOAD) {
            "" => None,
            text => Some(number(text, LOAD.id)?),
        };
        let mut stages = StageTemplate::chain();
        for stage in stages.iter_mut().filter(|stage| stage.share.is_some()) {
            stage.skew = skew;
        }
        let group = UserGroup { users, jobs, arrivals, sizes, stages, estimates, ..UserGroup::default() };
        Ok(Generator {
            seed,
            duration_s: Some(number(self.text(&DURATION), DURATION.id)?),
            load,
            cluster: scenario.cluster().clone(),
            partitioning: scenario.partitioning().clone(),
            parameters: scenario.parameters().clone(),
            groups: vec![group],
            ..Generator::default()
        })
    }

    /// The time in which jobs of the groups arrive, in seconds; a paper's workload has its own.
    pub fn duration_s(&self) -> Option<f64> {
        let groups = self.preset().is_none();
        self.text(&DURATION).parse().ok().filter(|_| groups)
    }
}

fn number(text: &str, id: &str) -> Result<f64, FormError> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err((id.to_owned(), "is not a number; write it with digits, such as 1.5".to_owned())),
    }
}

/// The id of the field that a parameter's JSON path is about.
fn field_of(path: &str) -> String {
    let parts = [
        ("cluster.cores", CORES.id),
        ("cluster", EXECUTORS.id),
        ("duration_s", DURATION.id),
        ("load", LOAD.id),
        (".users", USERS.id),
        (".jobs", JOBS.id),
        (".arrivals", ARRIVALS.figure),
        (".sizes", SIZES.figure),
        (".skew", SKEW.figure),
        (".estimates", ESTIMATES.figure),
    ];
    parts.iter().find(|(part, _)| path.contains(part)).map_or("", |(_, id)| id).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_view::link::{LinkBounds, Session};
    use fairlane_view::view::View;

    fn scenario() -> Scenario {
        Generator::default().scenario().expect("the usual settings")
    }

    fn typed(form: &WorkloadForm, id: &str, text: &str) -> WorkloadForm {
        form.changed(id.to_owned(), text.to_owned())
    }

    /// Every preset, each parameter changed: what the page opens travels as seed and settings, and a generator file of
    /// these makes the same bytes.
    #[test]
    fn a_papers_workload_travels_as_its_seed_and_parameters() {
        for kind in Paper::ALL {
            let mut form = typed(&WorkloadForm::default().with_workload(kind.id()), SEED.id, "41");
            for parameter in kind.parameters() {
                let other =
                    if parameter.usual < parameter.most { parameter.usual + 1.0 } else { parameter.least };
                form = typed(&form, &parameter_id(parameter), &other.min(parameter.most).to_string());
            }
            let document = form.document(&scenario()).expect("values in range");
            let Origin::Generated(generator) = &document.origin else { panic!("it is generated") };
            assert!(generator.preset.as_ref().is_some_and(|preset| {
                preset.paper() == kind && preset.values().all(|(parameter, value)| value != parameter.usual)
            }));
            let session =
                Session::new((*document.scenario).clone(), document.origin.clone(), View::default());
            let text = session.to_text(&LinkBounds::LINK).expect("a short link");
            assert!(text.starts_with("generator1:") && text.len() < 700, "{kind:?}: {text}");
            assert_eq!(Session::from_text(&text, &LinkBounds::LINK), Ok(session), "{kind:?}");
            let again = Generator::from_json(&generator.to_json()).and_then(|generator| generator.scenario());
            assert_eq!(again.map(|made| made.to_json()), Ok(document.scenario.to_json()), "{kind:?}");
            // Another seed is another workload of this kind, for sweeps over seeds.
            let other = Generator { seed: 42, ..document.generator().expect("it is unchanged").clone() };
            assert_ne!(other.scenario().as_ref(), Ok(&*document.scenario), "{kind:?}");
        }
    }

    #[test]
    fn a_parameter_out_of_range_is_named_at_its_field() {
        let form = WorkloadForm::default().with_workload("justice");
        let fault = |id: &str, text: &str| typed(&form, id, text).document(&scenario()).err();
        let of = |id: &str, message: &str| Some((id.to_owned(), message.to_owned()));
        assert_eq!(
            fault("gen-preset-jobs", "2.5"),
            of("gen-preset-jobs", "must be a whole number from 1 to 5000")
        );
        assert_eq!(
            fault("gen-preset-load", "many"),
            of("gen-preset-load", "is not a number; write it with digits, such as 1.5")
        );
        assert_eq!(fault(CORES.id, "0").map(|(id, _)| id), Some(CORES.id.to_owned()));
        // Another workload begins with its own figures.
        let paf = typed(&form, "gen-preset-jobs", "7").with_workload("paf");
        assert_eq!(paf.parameter(&Paper::Paf.parameters()[0]), "60");
    }
}
