//! Share links: what is sent arrives, and what did not arrive whole is told as that.

#[path = "../../fairlane/tests/common/mod.rs"]
mod common;

use common::Random;
use fairlane::catalog;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::ReplayError;
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::{Edit, Generator};
use fairlane::units::Time;
use fairlane::{PolicyId, Scenario};
use fairlane_view::TimeAxis;
use fairlane_view::link::{LinkBounds, LinkError, LinkedLog, LinkedSimulation, Origin, Session, is_link};
use fairlane_view::view::{Colouring, DisplayMode, Drawing, Heights, InspectorPart, Mark, Tab, View};
use proptest::prelude::*;

fn of_catalog(name: &str) -> Session {
    let entry = catalog::find(name).expect("an entry");
    Session::new(entry.scenario(), Origin::Catalog(entry.name), View::suiting(entry))
}

fn renamed(mut session: Session, name: &str) -> Session {
    session.scenario =
        session.scenario.with(&Edit::set(ObjectPath::Scenario, "name", name)).expect("a sound edit");
    session
}

fn random(seed: u64) -> Session {
    let mut random = Random::new(!seed);
    let scenario =
        Scenario::from_json(&common::random_scenario(seed)).expect("the generator makes sound files");
    let origin = match random.below(3) {
        0 => Origin::Catalog("skew"),
        1 => Origin::File("mine & yours #1 %41 – naïve.json".into()),
        _ => Origin::File(String::new()),
    };
    let window = random.percent(50).then(|| {
        let from = random.below(1 << 40);
        TimeAxis { from: Time(from), to: Time(from + random.between(1, 1 << 40)) }
    });
    let view = View {
        policies: PolicyId::all().filter(|_| random.percent(50)).collect(),
        playhead: Time(random.below(1 << 45)),
        window,
        chosen: (0..scenario.jobs().len() as u32).filter(|_| random.percent(20)).map(JobId).collect(),
        marks: random
            .percent(50)
            .then(|| [Mark::Inversion, Mark::Skew].into_iter().filter(|_| random.percent(50)).collect()),
        colouring: if random.percent(50) { Colouring::Job } else { Colouring::User },
        ..View::default()
    };
    Session::new(scenario, origin, view)
}

#[test]
fn a_generated_workload_travels_as_its_seed_and_settings() {
    let generator = Generator { seed: 41, ..Generator::default() };
    let scenario = generator.scenario().expect("usual settings");
    let session = Session { scenario, origin: Origin::Generated(Box::new(generator)), ..of_catalog("skew") };
    let text = link(&session);
    assert!(text.starts_with("generator1:") && text.len() < 700, "{} characters: {text}", text.len());
    assert_eq!(read(&text), Ok(session.clone()));
    // An edited one is a scenario like any other.
    let edited = renamed(session, "mine");
    let text = link(&edited);
    assert!(text.starts_with("fairlane1:"), "{text}");
    assert_eq!(read(&text), Ok(Session { origin: Origin::File("mine".into()), ..edited }));
}

#[test]
fn a_link_carries_what_is_chosen_and_how_it_is_shown() {
    let policies =
        |names: &[&str]| names.iter().map(|name| name.parse().expect("a policy")).collect::<Vec<_>>();
    let text = "catalog:two-users&policies=fair&jobs=3,12&marks=skew&colour=stage&tab=why&mode=present";
    let view = View {
        policies: policies(&["fair"]).into_iter().collect(),
        chosen: [JobId(3), JobId(12)].into(),
        marks: Some([Mark::Skew].into()),
        colouring: Colouring::Stage,
        tab: Tab::Inspector(InspectorPart::Why),
        mode: DisplayMode::Present,
        ..View::default()
    };
    let session = read(text).expect("a link");
    assert_eq!(session.view, view);
    assert_eq!(read(&link(&session)), Ok(session));
    // Links made before these could be carried are those without them.
    let text = format!(
        "{text}&rows=fit&order=uwfq,fair&collapsed=fair&apart=cfq,ujf&virtual=uwfq&challenge=ten-times&draw=shares"
    );
    let view = View {
        heights: Heights::Fit,
        order: policies(&["uwfq", "fair"]),
        collapsed: policies(&["fair"]).into_iter().collect(),
        unmerged: policies(&["cfq", "ujf"]).into_iter().collect(),
        virtual_time: policies(&["uwfq"]).pop(),
        drawing: Drawing::Shares,
        ..view
    };
    let session = read(&text).expect("a link");
    assert_eq!((&session.view, session.challenge.as_deref()), (&view, Some("ten-times")));
    assert_eq!(read(&link(&session)), Ok(session));
    // A policy that this version lacks has no panel to be moved.
    assert_eq!(
        read("catalog:skew&order=lottery,fair").map(|session| session.view.order),
        Ok(policies(&["fair"]))
    );
    // Jobs that the scenario does not have are left out; words that do not exist are a fault.
    assert_eq!(read("catalog:skew&jobs=0,99").map(|session| session.view.chosen), Ok([JobId(0)].into()));
    assert_eq!(read("catalog:skew&tab=nothing"), Err(LinkError::Damaged));
}

/// Before the inspector there were two tabs, whose words open it at what they showed.
#[test]
fn the_words_of_two_earlier_tabs_open_the_inspector() {
    for (word, part) in [("job", InspectorPart::Edit), ("why", InspectorPart::Why)] {
        let text = format!("catalog:skew&tab={word}");
        let session = read(&text).expect("a link");
        assert_eq!(session.view.tab, Tab::Inspector(part));
        assert!(link(&session).contains(&format!("tab={word}")));
    }
}

fn link(session: &Session) -> String {
    session.to_text(&LinkBounds::LINK).expect("a small scenario")
}

fn read(text: &str) -> Result<Session, LinkError> {
    Session::from_text(text, &LinkBounds::LINK)
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_sent_arrives(seed in any::<u64>()) {
        let session = random(seed);
        let text = link(&session);
        prop_assert!(is_link(&text) && text == link(&session));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=&".contains(c);
        prop_assert!(text.chars().all(plain), "{}", text);
        let fragment = format!("#{text}");
        prop_assert!(read(&fragment) == Ok(session.clone()));
        // As some mail programs pass it on, and with the full stop of the sentence.
        let escaped = text.replace(':', "%3A").replace(',', "%2C").replace('=', "%3d") + ".\n";
        prop_assert!(read(&escaped) == Ok(session.clone()));
        let kept = session.to_text(&LinkBounds::STORAGE).expect("a small scenario");
        prop_assert!(Session::from_text(&kept, &LinkBounds::STORAGE) == Ok(session));
    }

    #[test]
    fn any_text_is_refused_with_a_reason(text in "(#?(catalog|fairlane1?):?)?[ -~]{0,60}") {
        if let Err(error) = read(&text) {
            prop_assert!(!error.to_string().is_empty() && !error.remedy().is_empty());
        }
    }
}

#[test]
fn every_damaged_character_is_noticed() {
    for session in [random(1), of_catalog("skew"), renamed(of_catalog("two-users"), "mine")] {
        let text = link(&session);
        for place in 0..text.len() {
            for other in [b'A', b'0', b'&', b'=', b'%', b':', b'-', 0x7f, text.as_bytes()[place] ^ 1] {
                let mut bytes = text.clone().into_bytes();
                if std::mem::replace(&mut bytes[place], other) == other {
                    continue;
                }
                let damaged = String::from_utf8(bytes).expect("plain characters");
                let error = read(&damaged).expect_err(&damaged);
                // At the tag and at the sum's own name it may look like something else.
                let known = matches!(
                    error,
                    LinkError::Damaged
                        | LinkError::Truncated
                        | LinkError::Foreign
                        | LinkError::OtherVersion(_)
                        | LinkError::UnknownPolicy(_)
                        | LinkError::UnknownEntry(_)
                );
                assert!(known, "{damaged}: {error}");
            }
        }
    }
}

#[test]
fn a_link_cut_short_is_told_as_that() {
    let text = link(&random(1));
    let data = text.find(':').expect("a tag") + 1;
    for end in data..text.len() {
        assert_eq!(read(&text[..end]), Err(LinkError::Truncated), "{end}");
    }
    // A catalog's scenario is still found from its name on.
    let text = link(&of_catalog("skew"));
    assert!(read(&text[.."catalog:skew".len()]).is_ok());
    assert_eq!(read(&text[..text.len() - 1]), Err(LinkError::Truncated));
}

#[test]
fn an_unchanged_catalog_scenario_is_a_short_link() {
    let mut session = of_catalog("paper-scenario-1");
    session.view.playhead = Time(12_500_000);
    session.view.window = Some(TimeAxis { from: Time(0), to: Time(40_000_000) });
    let text = link(&session);
    assert_eq!(
        text,
        "catalog:paper-scenario-1&policies=fair,ujf,cfq,uwfq&at=12.5&from=0&to=40&sum=SUM"
            .replace("SUM", &text[text.len() - 8..])
    );
    assert_eq!(read(&text).as_ref(), Ok(&session));
    // Edited, it carries its scenario and still knows where it came from.
    let edited = renamed(session.clone(), "mine");
    let text = link(&edited);
    assert!(text.starts_with("fairlane1:") && text.len() < 6_000, "{} characters", text.len());
    assert_eq!(read(&text), Ok(edited));
}

#[test]
fn links_can_be_written_by_hand() {
    let suggested = of_catalog("skew");
    assert_eq!(read("#catalog:skew").as_ref(), Ok(&suggested));
    let asked = read("#catalog:skew&policies=fair&at=1.5").expect("a sound link");
    assert_eq!((asked.view.policies, asked.view.playhead), ([policy("fair")].into(), Time(1_500_000)));
    assert_eq!(
        read("#catalog:skew&policies="),
        Ok(Session::new(suggested.scenario, suggested.origin, View::default()))
    );
}

fn policy(name: &str) -> PolicyId {
    name.parse().expect("a policy")
}

#[test]
fn faults_are_told_apart() {
    let error = |text: &str| read(text).expect_err(text);
    assert_eq!(error(""), LinkError::Foreign);
    assert_eq!(error("#main"), LinkError::Foreign);
    assert_eq!(error("#fairlane2:abc&sum=00000000"), LinkError::OtherVersion("fairlane2".into()));
    assert_eq!(error("#catalog:nothing"), LinkError::UnknownEntry("nothing".into()));
    assert_eq!(error("#catalog:skew&policies=best"), LinkError::UnknownPolicy("best".into()));
    for damaged in ["at=x", "at=1&at=1", "from=1", "from=2&to=1", "colour=red", "at", ""] {
        assert_eq!(error(&format!("#catalog:skew&{damaged}")), LinkError::Damaged, "{damaged}");
    }
    assert!(matches!(error(&"x".repeat(100_001)), LinkError::TooLong { .. }));
    assert!(!is_link("#main") && !is_link("") && is_link("#catalog:skew"));
}

/// A link with a right sum around any data, as a stranger could make it.
fn forged(file: &str) -> String {
    use base64::Engine;
    let data = miniz_oxide::deflate::compress_to_vec(file.as_bytes(), 9);
    let data = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(data);
    let body = format!("fairlane1:{data}&origin=file:&policies=fair");
    format!("{body}&sum={:08x}", xxhash_rust::xxh3::xxh3_64(body.as_bytes()) as u32)
}

#[test]
fn forged_links_cost_little_and_are_checked_like_files() {
    let bomb = forged(&" ".repeat(40 << 20));
    assert!(bomb.len() < 100_000, "{} characters", bomb.len());
    assert_eq!(read(&bomb), Err(LinkError::TooLarge { most: 4 << 20 }));
    let faulty = r#"{"format":"fairlane/scenario@1","jobs":[]}"#;
    let error = read(&forged(faulty)).expect_err("no job");
    assert_eq!(
        error.to_string(),
        "contains an invalid scenario: jobs: there is no job; a scenario needs at least one"
    );
}

#[test]
fn what_is_too_long_for_a_link_says_what_to_do() {
    let mut session = of_catalog("skew");
    let noise: String = {
        let mut random = Random::new(1);
        (0..200_000).map(|_| char::from(random.between(97, 122) as u8)).collect()
    };
    let edit = Edit::set(ObjectPath::Scenario, "description", noise);
    session.scenario = session.scenario.edited(&edit).expect("a long description").scenario;
    let error = session.to_text(&LinkBounds::LINK).expect_err("too long");
    assert!(matches!(error, LinkError::TooLong { .. }), "{error}");
    assert_eq!(error.remedy(), "Save the scenario as a file and send that instead.");
    let kept = session.to_text(&LinkBounds::STORAGE).expect("storage takes it");
    assert_eq!(Session::from_text(&kept, &LinkBounds::STORAGE), Ok(session));
}

/// What a log says of each user travels; a link that says it of other users is none.
#[test]
fn a_link_carries_what_a_log_says() {
    let error = ReplayError { mean: 0.05, median: 0.04, bias: -0.01 };
    let known = LinkedLog {
        ran_with: "spark".parse().expect("a policy"),
        observed: vec![Some(1.25), None],
        simulation: Some(LinkedSimulation { error, means: vec![Some(1.5), None] }),
        nobody: vec![UserId(1)],
        changed: true,
    };
    let session = |known: &LinkedLog| Session { log: Some(known.clone()), ..of_catalog("two-users") };
    let users = session(&known).scenario.users().len();
    assert_eq!(users, 2, "as many as the log names");
    assert_eq!(read(&link(&session(&known))), Ok(session(&known)));
    let forged = [
        LinkedLog { observed: vec![None; 3], ..known.clone() },
        LinkedLog { observed: vec![Some(-1.0), None], ..known.clone() },
        LinkedLog { nobody: vec![UserId(2)], ..known.clone() },
        LinkedLog { simulation: Some(LinkedSimulation { error, means: Vec::new() }), ..known.clone() },
    ];
    for known in forged {
        assert_eq!(read(&link(&session(&known))), Err(LinkError::Damaged), "{known:?}");
    }
}
