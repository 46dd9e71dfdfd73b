//! The tokens of the stylesheet: users told apart without their hues, borders that are seen, text that is read.

use std::collections::BTreeMap;
use std::fs;

use fairlane_view::gantt::TextureStroke;
use fairlane_view::hue::{self, HUES};

/// Red, green and blue as light, from 0 to 1.
type Light = [f64; 3];

/// The colours of a theme by token, without its two hyphens.
type Tokens = BTreeMap<String, Light>;

fn sheet(name: &str) -> String {
    let path = format!("{}/styles/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("a style sheet")
}

/// The names of all style sheets.
fn sheets() -> Vec<String> {
    let files =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/styles")).expect("the folder of style sheets");
    files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect()
}

/// The tokens that have a light and a dark colour, in both themes.
fn themes() -> [(&'static str, Tokens); 2] {
    let sheet = sheet("fairlane.css");
    let pairs: Vec<(&str, [Light; 2])> = sheet
        .split("--")
        .filter_map(|rest| {
            let (name, value) = rest.split_once(": light-dark(#")?;
            let (light, rest) = value.split_once(", #")?;
            let dark = rest.split_once(')')?.0;
            Some((name, [light_of(light)?, light_of(dark)?]))
        })
        .collect();
    let theme = |index: usize| pairs.iter().map(|(name, pair)| ((*name).to_owned(), pair[index])).collect();
    [("light", theme(0)), ("dark", theme(1))]
}

/// The light of a colour of six hexadecimal digits (sRGB, IEC 61966-2-1).
fn light_of(hex: &str) -> Option<Light> {
    let channel = |at: usize| {
        let byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
        let part = f64::from(byte) / 255.0;
        Some(if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
    };
    (hex.len() == 6).then_some(())?;
    Some([channel(0)?, channel(2)?, channel(4)?])
}

fn luminance([red, green, blue]: Light) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast of two colours, from 1 to 21 (WCAG 2.2).
fn contrast(one: Light, other: Light) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// What is seen of a colour.
type Sight = fn(Light) -> Light;

/// How colours are seen.
const SIGHTS: [(&str, Sight); 5] = [
    ("by most", |light| light),
    ("under protanopia", |light| times(PROTANOPIA, light)),
    ("under deuteranopia", |light| times(DEUTERANOPIA, light)),
    ("under tritanopia", |light| times(TRITANOPIA, light)),
    ("in grey", |light| [luminance(light); 3]),
];

/// Machado, Oliveira and Fernandes, *A Physiologically-based Model for Simulation of Color Vision Deficiency* (2009), at
/// severity 1.
const PROTANOPIA: [[f64; 3]; 3] =
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
const DEUTERANOPIA: [[f64; 3]; 3] =
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
const TRITANOPIA: [[f64; 3]; 3] =
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]];

fn times(matrix: [[f64; 3]; 3], light: Light) -> Light {
    matrix.map(|row| row.iter().zip(light).map(|(part, channel)| part * channel).sum::<f64>().clamp(0.0, 1.0))
}

/// CIELAB under D65, from lightness 0 to 100.
fn lab(light: Light) -> Light {
    const TO_XYZ: [[f64; 3]; 3] = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    const WHITE: Light = [0.95047, 1.0, 1.08883];
    let xyz = TO_XYZ.map(|row| row.iter().zip(light).map(|(part, channel)| part * channel).sum::<f64>());
    let curve = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let [x, y, z] = [0, 1, 2].map(|axis| curve(xyz[axis] / WHITE[axis]));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The distance of two colours in CIELAB (CIE 1976); about 2.3 is the least that is noticed side by side.
fn distance(one: Light, other: Light) -> f64 {
    lab(one).iter().zip(lab(other)).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
}

/// Users that are told apart however colours are seen.
const USERS: usize = 8;
/// The least distance of two of them: eight steps of lightness leave no more between the darkest colour that differs
/// from black text and the lightest that differs from the row.
const MIN_DISTANCE: f64 = 7.9;

#[test]
fn eight_users_are_told_apart_however_colours_are_seen() {
    for (theme, tokens) in themes() {
        let users: Vec<Light> = (1..=USERS).map(|user| tokens[&format!("user-{user}")]).collect();
        for (sight, seen) in SIGHTS {
            let pairs = (0..USERS).flat_map(|one| (0..one).map(move |other| (one, other)));
            let near = pairs
                .map(|(one, other)| (distance(seen(users[one]), seen(users[other])), one + 1, other + 1));
            let (least, one, other) =
                near.min_by(|one, other| one.0.total_cmp(&other.0)).expect("some pairs");
            println!("{theme}, {sight}: {least:.1} (users {one} and {other})");
            assert!(least >= MIN_DISTANCE, "{theme}, {sight}: users {one} and {other} differ by {least:.1}");
        }
    }
}

/// Blocks and dots have the strokes that images and drawings have.
#[test]
fn textures_of_the_stylesheet_are_those_of_the_charts() {
    let sheet = sheet("fairlane.css");
    let stroke = |stroke: &TextureStroke| match stroke {
        TextureStroke::Rising => "var(--rises)",
        TextureStroke::Falling => "var(--falls)",
        TextureStroke::Level => "var(--level)",
        TextureStroke::Upright => "var(--upright)",
        // Squares of a chequered pattern.
        TextureStroke::Dot => "repeating-conic-gradient(var(--lines) 0 25%, transparent 0 100%)",
    };
    for hue in 1..=HUES {
        let rules = sheet.lines().filter(|rule| rule.starts_with(":root[data-texture]") && names(rule, hue));
        let textures: Vec<&str> =
            rules.filter_map(|rule| rule.split_once("--texture: ")?.1.split(';').next()).collect();
        let expected: Vec<&str> = hue::texture(hue).iter().map(stroke).collect();
        assert_eq!(textures.join(" and "), expected.join(", "), "hue {hue}");
    }
}

/// Whether a rule is about a hue.
fn names(rule: &str, hue: usize) -> bool {
    let class = format!(".hue-{hue}");
    rule.match_indices(&class)
        .any(|(at, _)| !rule[at + class.len()..].starts_with(|next: char| next.is_ascii_digit()))
}

/// Hues of jobs, stages and policies, as `selectors::cycling_hue` has them with up to ten users.
const JOBS: std::ops::RangeInclusive<usize> = 11..=20;

#[test]
fn colours_of_jobs_and_policies_are_no_users_and_no_greys() {
    for (theme, tokens) in themes() {
        for hue in JOBS {
            let colour = tokens[&format!("user-{hue}")];
            for user in 1..=USERS {
                let least = ["", "-alt"]
                    .map(|shade| distance(colour, tokens[&format!("user-{user}{shade}")]))
                    .into_iter()
                    .fold(f64::INFINITY, f64::min);
                assert!(least >= 15.0, "{theme}: hue {hue} and user {user} differ by {least:.1}");
            }
            let [_, a, b] = lab(colour);
            assert!(a.hypot(b) >= 14.0, "{theme}: hue {hue} is grey: {:.1}", a.hypot(b));
        }
    }
}

#[test]
fn names_are_read_on_every_user() {
    for (theme, tokens) in themes() {
        // As the stylesheet's --on; on the second shade it is the other way round.
        let (dark, light) = (light_of(if theme == "light" { "16202b" } else { "0f151c" }).unwrap(), [1.0; 3]);
        for user in 1..=USERS {
            let first = contrast(tokens[&format!("user-{user}")], on(theme, user, dark, light));
            let second = if theme == "light" { dark } else { light };
            let second = contrast(tokens[&format!("user-{user}-alt")], second);
            assert!(first >= 4.5 && second >= 4.5, "{theme}, user {user}: {first:.2}, {second:.2}");
        }
    }
}

/// The ink on a user's first shade, from the rules of the stylesheet.
fn on(theme: &str, user: usize, dark: Light, light: Light) -> Light {
    let sheet = sheet("fairlane.css");
    let is_in = |rule: &str| {
        let line = sheet.lines().find(|line| line.ends_with(rule)).expect("a rule for --on");
        line.contains(&format!(".hue-{user},")) || line.contains(&format!(".hue-{user})"))
    };
    let exceptions = [is_in("{ --on: light-dark(#16202b, #0f151c); }"), is_in("{ --on: #ffffff; }")];
    match (theme, exceptions) {
        (_, [_, true]) | ("light", [false, _]) => light,
        _ => dark,
    }
}

#[test]
fn borders_of_controls_are_seen_and_text_is_read() {
    for (theme, tokens) in themes() {
        for ground in ["bg", "surface", "raised", "row"] {
            for (token, least) in
                [("edges", 3.0), ("accent", 3.0), ("head", 3.0), ("ink", 7.0), ("dim", 4.5), ("bad", 4.5)]
            {
                let seen = contrast(tokens[token], tokens[ground]);
                assert!(seen >= least, "{theme}: --{token} on --{ground} has {seen:.2} to 1");
            }
        }
    }
}

/// Whatever can be pressed or filled in has a border of `--edges`, of its own colour, or none at all.
#[test]
fn fields_and_buttons_have_that_border() {
    for name in sheets() {
        for line in sheet(&name).lines().filter(|line| line.contains("border: 1px solid var(--line)")) {
            let selector = line.split('{').next().unwrap_or_default();
            let control = ["button", "select", "input", "textarea", "summary", ".pick", ".chip"];
            let is_control = control.iter().any(|control| selector.trim().ends_with(control));
            assert!(!is_control, "{name}: {selector}");
        }
    }
}

/// The reader's size of text holds: no size of it is in pixels.
#[test]
fn sizes_of_text_follow_the_readers() {
    for name in sheets() {
        for declaration in sheet(&name).split([';', '{']) {
            let Some((property, value)) = declaration.split_once(':') else { continue };
            let size = match property.trim() {
                "font-size" => value,
                "font" => value.split('/').next().unwrap_or_default(),
                _ => continue,
            };
            assert!(!size.contains("px"), "{name}: {}", declaration.trim());
        }
        let sheet = sheet(&name);
        let media = sheet.split("@media ").skip(1).filter_map(|rest| rest.split('{').next());
        let pixels = media.filter(|query| query.contains("px")).collect::<Vec<_>>();
        assert!(pixels.is_empty(), "{name}: layouts that do not follow the size of text: {pixels:?}");
    }
}
