use super::*;
use fairlane::ids::JobId;

fn read(query: &str) -> Result<Option<Embed>, EmbedError> {
    Embed::from_query(query)
}

#[test]
fn an_address_without_embed_is_no_demo() {
    for query in ["", "?", "?scenario=skew", "?embedded"] {
        assert_eq!(read(query), Ok(None), "{query}");
    }
}

#[test]
fn a_demo_survives_its_address() {
    let policy = |name: &str| name.parse::<PolicyId>().expect("a policy");
    let demos = [
        Embed::default(),
        Embed {
            subject: DemoSubject::Fragment("catalog:skew".to_owned()),
            policies: Some([policy("uwfq"), policy("uwfq-p")].into()),
            parts: DemoPart::WORDS.iter().map(|(part, _)| *part).collect(),
            chart: Some("responses".to_owned()),
            theme: DemoTheme::Dark,
            editable: true,
            predict: Some(policy("uwfq")),
            at: Some(Time(1_500_000)),
            host: Some("https://example.org:8080".to_owned()),
        },
        Embed {
            subject: DemoSubject::File("https://a.org/x y.json?v=ä&w=1".to_owned()), ..Embed::default()
        },
        Embed { subject: DemoSubject::Fragment("fairlane1:abc&sum=00000000".to_owned()), ..Embed::default() },
        Embed {
            subject: DemoSubject::Document("https://a.org/mine.md?v=1".to_owned()),
            parts: Embed::usual_parts(false, true),
            ..Embed::default()
        },
        Embed { subject: DemoSubject::Document("https://a.org/mine.md".to_owned()), ..Embed::default() },
    ];
    for demo in demos {
        let address = demo.to_query();
        let (query, fragment) = address.split_once('#').unwrap_or((&address, ""));
        let mut again = read(query).expect("a sound address").expect("a demo");
        if !fragment.is_empty() {
            again.subject = DemoSubject::Fragment(fragment.to_owned());
        }
        assert_eq!(again, demo, "{address}");
    }
}

#[test]
fn a_demo_is_edited_if_its_address_says_so() {
    let editable = |query: &str| read(query).expect("a sound address").is_some_and(|demo| demo.editable);
    assert!(editable("?embed&edit") && editable("?embed&edit=") && editable("?embed&edit=true"));
    assert!(!editable("?embed&edit=false") && !editable("?embed"));
}

#[test]
fn a_lesson_is_one_of_the_projects_by_name_or_a_document_at_an_address() {
    let subject = |lesson: &str| {
        let demo = read(&format!("?embed&lesson={}", escaped(lesson))).expect("a sound address");
        let demo = demo.expect("a demo");
        assert!(demo.shows(DemoPart::Lesson) && demo.shows(DemoPart::Panels), "{lesson}");
        demo.subject
    };
    for name in ["skew", "fifo-and-fair/3"] {
        assert_eq!(subject(name), DemoSubject::Fragment(format!("lesson:{name}")));
    }
    for address in ["https://a.org/skew", "mine.md", "lessons/mine", "../skew", "/skew"] {
        assert_eq!(subject(address), DemoSubject::Document(address.to_owned()));
    }
    assert!(!read("?embed&lesson=skew&show=panels").expect("sound").expect("a demo").shows(DemoPart::Lesson));
}

#[test]
fn faults_name_the_place_and_the_remedy() {
    let fault = |query: &str| read(&format!("?embed&{query}")).unwrap_err();
    assert_eq!(fault("scenari=skew"), EmbedError::UnknownKey("scenari".to_owned()));
    assert_eq!(fault("at=1&at=2"), EmbedError::Twice("at".to_owned()));
    assert_eq!(fault("scenario=skew&src=x.json"), EmbedError::TwoScenarios);
    assert_eq!(fault("lesson=skew&src=x.json"), EmbedError::TwoScenarios);
    assert!(matches!(fault("lesson=javascript:alert"), EmbedError::Address(_)));
    assert_eq!(fault("scenario=none"), EmbedError::UnknownEntry("none".to_owned()));
    assert_eq!(fault("policies=uwfq,best"), EmbedError::UnknownPolicy("best".to_owned()));
    assert_eq!(fault("show=panels,map"), EmbedError::UnknownPart("map".to_owned()));
    assert_eq!(fault("theme=blue"), EmbedError::UnknownTheme("blue".to_owned()));
    assert_eq!(fault("at=-1"), EmbedError::Instant("-1".to_owned()));
    assert_eq!(fault("scenario=%zz"), EmbedError::Escape("%zz".to_owned()));
    for src in ["", "javascript:alert(1)", "file:///etc/passwd", "data:application/json,{}", "blob:x"] {
        assert!(matches!(fault(&format!("src={}", escaped(src))), EmbedError::Address(_)), "{src}");
    }
    for src in ["https://a.org/s.json", "s.json", "../s.json", "/s.json?x=a:b"] {
        assert!(read(&format!("?embed&src={}", escaped(src))).is_ok(), "{src}");
    }
    let long = fault(&format!("show={}", "x".repeat(10_000)));
    assert!(long.to_string().len() < 300);
}

#[test]
fn a_demo_of_a_page_is_as_short_as_it_can_be() {
    let demo_of = |text: &str| {
        let session = Session::from_text(text, &LinkBounds::LINK).expect("a sound link");
        Embed::of_session(&session).expect("a short link")
    };
    let address = |text: &str| demo_of(text).to_query();
    assert_eq!(address("catalog:skew&policies=uwfq,uwfq-p"), "?embed&scenario=skew&policies=uwfq,uwfq-p");
    // What a demo does not show is not part of it, where it starts is.
    let shown = address("catalog:skew&policies=uwfq&tab=why&rows=large&at=1.5&predict=uwfq");
    assert_eq!(shown, "?embed&scenario=skew&policies=uwfq&predict=uwfq&at=1.5");
    // What is not in the keys is in the session.
    let marked = demo_of("catalog:skew&policies=uwfq&jobs=0&at=1.5");
    assert!(marked.to_query().starts_with("?embed#catalog:skew&policies=uwfq&at=1.5&jobs=0&sum="));
    let DemoSubject::Fragment(text) = &marked.subject else { panic!("a session") };
    let again = Session::from_text(text, &LinkBounds::LINK).expect("a sound link");
    assert_eq!(again.view.chosen, [JobId(0)].into());
}
