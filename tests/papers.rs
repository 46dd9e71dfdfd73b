//! What other papers published comes out of the catalog's scenarios, as far as their inputs are public.
#![cfg(not(target_arch = "wasm32"))]

use fairlane::catalog::{self, Entry, Section};
use fairlane::fidelity::papers::{Finding, Paper, findings};
use fairlane::{PolicyId, Scenario};

#[test]
fn every_scenario_is_sound_and_named_once() {
    for entry in catalog::papers::ENTRIES {
        assert_eq!(entry.section, Section::Papers, "{}", entry.name);
        assert_eq!(catalog::all().filter(|other| other.name == entry.name).count(), 1, "{}", entry.name);
        let scenario = entry.scenario();
        assert!(!entry.look_for.is_empty() && !entry.source.is_empty(), "{}", entry.name);
        let suggested: Vec<String> = catalog::suggested(entry).iter().map(PolicyId::to_string).collect();
        assert_eq!(suggested.join(","), entry.policies, "{}", entry.name);
        assert!(catalog::suggested(entry).is_sorted(), "{}: {}", entry.name, entry.policies);
        assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario), "{}", entry.name);
        assert!(scenario.jobs().len() < 200, "{} is small enough for the page", entry.name);
    }
}

#[test]
fn every_finding_is_of_a_scenario_of_the_catalog() {
    let names: Vec<&str> = catalog::papers::ENTRIES.iter().map(|entry: &Entry| entry.name).collect();
    for paper in Paper::ALL {
        let findings = findings(paper);
        assert!(!findings.is_empty() && !paper.remark().is_empty());
        assert!(
            findings.iter().all(|finding| names.contains(&finding.scenario) && finding.simulated.is_finite())
        );
    }
}

/// Looks up figures by scenario and the words of their quantity.
struct Figures(Vec<Finding>);

impl Figures {
    fn of(paper: Paper) -> Figures {
        Figures(findings(paper))
    }

    /// As the report shows it.
    fn text(&self, scenario: &str, quantity: &str) -> String {
        self.find(scenario, quantity).simulated_text()
    }

    fn value(&self, scenario: &str, quantity: &str) -> f64 {
        self.find(scenario, quantity).simulated
    }

    fn find(&self, scenario: &str, quantity: &str) -> &Finding {
        let found =
            self.0.iter().find(|finding| finding.scenario == scenario && finding.quantity == quantity);
        found.unwrap_or_else(|| panic!("no finding \"{quantity}\" of {scenario}"))
    }
}

#[test]
fn paf_moves_the_published_slots_and_raises_the_published_averages() {
    let figures = Figures::of(Paper::Paf);
    let texts = |scenario: &str, quantities: &[&str]| -> Vec<String> {
        quantities.iter().map(|quantity| figures.text(scenario, quantity)).collect()
    };
    let two =
        ["KMeans: with PAF, on paper", "PageRank: with PAF, on paper", "average progress, PAF, scheduled"];
    assert_eq!(texts("paf-two-jobs", &two), ["8", "24", "0.88"]);
    let three = ["slots moved at alpha 0.9, on paper", "slots moved at alpha 0.99, on paper"];
    assert_eq!(texts("paf-three-jobs", &three), ["61", "20"]);
    let averages = [
        "average progress, fair, on paper",
        "average progress at alpha 0.9, on paper",
        "average progress at alpha 0.99, on paper",
    ];
    assert_eq!(texts("paf-three-jobs", &averages), ["0.59", "0.75", "0.68"]);
    // What is scheduled is near to what is promised on paper.
    for finding in figures.0.iter().filter(|finding| finding.quantity.ends_with(", scheduled")) {
        let published: f64 = finding.published.parse().expect("a number");
        assert!((finding.simulated - published).abs() < 0.025, "{finding:?}");
    }
    // Half the slots, hardly slower.
    let [six, three] =
        ["response in 6 slots", "response in 3 slots"].map(|quantity| figures.value("paf-packing", quantity));
    assert!(six < three && three < 1.1 * six, "{six} s and {three} s");
}
