use super::*;

fn around(session: &str) -> SnippetContext {
    SnippetContext {
        lab: "https://lab.example/fairlane/".to_owned(),
        title: "Skew & \"stragglers\"".to_owned(),
        session: session.to_owned(),
        height: 380,
    }
}

fn demo(query: &str) -> Embed {
    Embed::from_query(query).expect("a sound address").expect("a demo")
}

#[test]
fn the_element_has_the_attributes_of_the_address() {
    let demo = demo("?embed&scenario=skew&policies=uwfq,uwfq-p&theme=dark&edit&at=1.5");
    assert_eq!(
        element(&demo, &around("catalog:skew&policies=uwfq,uwfq-p&at=1.5")),
        "<script defer src=\"https://lab.example/fairlane/fairlane-demo.js\"></script>\n\
         <fairlane-demo scenario=\"skew\" policies=\"uwfq,uwfq-p\" theme=\"dark\" edit at=\"1.5\" label=\"Skew \
         &amp; &quot;stragglers&quot;\"\n    \
         style=\"display: block; height: 380px\">\n  \
         <a href=\"https://lab.example/fairlane/#catalog:skew&amp;policies=uwfq,uwfq-p&amp;at=1.5\">Skew &amp; \
         &quot;stragglers&quot;, in the lab</a>\n\
         </fairlane-demo>\n"
    );
}

#[test]
fn a_session_is_an_attribute_of_its_own_and_the_fragment_of_a_frame() {
    let session = "fairlane1:abc&policies=uwfq&sum=00000000";
    let demo = Embed { subject: DemoSubject::Fragment(session.to_owned()), ..Embed::default() };
    let text = element(&demo, &around(session));
    assert!(
        text.contains("<fairlane-demo session=\"fairlane1:abc&amp;policies=uwfq&amp;sum=00000000\""),
        "{text}"
    );
    let text = frame(&demo, &around(session));
    let address = "https://lab.example/fairlane/?embed#fairlane1:abc&amp;policies=uwfq&amp;sum=00000000";
    assert!(text.starts_with(&format!("<iframe src=\"{address}\"")), "{text}");
    assert!(text.contains("height=\"380\"") && text.contains("title=\"Skew &amp; &quot;stragglers&quot;\""));
}

#[test]
fn the_start_of_a_session_can_be_set_to_zero() {
    let catalog = demo("?embed&scenario=skew").from_instant(Time::ZERO);
    assert_eq!(catalog.at, None);
    let session = Embed { subject: DemoSubject::Fragment("fairlane1:abc".to_owned()), ..Embed::default() };
    assert_eq!(session.from_instant(Time::ZERO).at, Some(Time::ZERO));
}

#[test]
fn a_picture_is_part_of_the_snippet_unless_it_is_long() {
    let still =
        |svg: String| StillPicture { svg, file: "skew.svg".to_owned(), description: "Two charts".to_owned() };
    let short = still("<svg width=\"5\">\n<title>50 %, ä</title></svg>\n".to_owned());
    assert_eq!(
        picture(&short, &around("")),
        "<a href=\"https://lab.example/fairlane/\"><img src=\"data:image/svg+xml,%3Csvg \
            width=%225%22%3E%3Ctitle%3E50 %25, %C3%A4%3C/title%3E%3C/svg%3E\"\n    \
         alt=\"Two charts\" style=\"max-width: 100%; height: auto\"></a>\n"
    );
    assert!(!needs_file(&short));
    let long = still("<svg>".repeat(20_000));
    assert!(needs_file(&long) && picture(&long, &around("")).contains("<img src=\"skew.svg\""));
}
