//! The light or dark theme, and the stylesheet's colours for what is drawn on canvases.

use gloo::events::EventListener;
use yew::prelude::*;

use crate::browser::storage;
use crate::results::shared::Shared;
use crate::store::selectors::{HUES, Hue};
use fairlane_view::gantt::Rgb;
use fairlane_view::link::embed;

/// The reader's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeMode {
    /// The system's theme.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

const KEY: &str = "fairlane.theme";

/// The modes in the order in which the button switches them, with their words for the stylesheet and the storage.
const MODES: [(ThemeMode, &str); 3] =
    [(ThemeMode::System, "system"), (ThemeMode::Light, "light"), (ThemeMode::Dark, "dark")];

impl ThemeMode {
    /// Word for people, the stylesheet and the browser's storage.
    pub fn word(self) -> &'static str {
        MODES[self as usize].1
    }

    fn stored() -> ThemeMode {
        let word = storage::get(KEY).unwrap_or_default();
        // Earlier versions stored the word in quotes.
        let known = MODES.iter().find(|(_, known)| *known == word.trim_matches('"'));
        known.map_or(ThemeMode::System, |(mode, _)| *mode)
    }

    /// The mode after this one: system, light, dark, system.
    pub fn next(self) -> ThemeMode {
        MODES[(self as usize + 1) % MODES.len()].0
    }

    pub fn show(self) {
        let root = gloo::utils::document_element();
        // An attribute can always be set on the root element.
        let _ = root.set_attribute("data-theme", self.word());
    }

    fn apply(self) {
        self.show();
        // A full storage costs the memory of the choice, not the choice.
        let _ = storage::set(KEY, self.word());
    }
}

/// How bars are told apart beside their colours. The stylesheet reads it as an attribute of the root element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// Bars differ by their colours alone.
    None,
    /// Each of eight users has a texture, as the reader has asked.
    Patterned,
    /// Bars have textures and borders, as the system's forced colours need it.
    Bordered,
}

const TEXTURE_KEY: &str = "fairlane.texture";
const FORCED: &str = "(forced-colors: active)";

impl Texture {
    fn word(self) -> &'static str {
        match self {
            Texture::None => "none",
            Texture::Patterned => "patterned",
            Texture::Bordered => "bordered",
        }
    }

    /// What the system needs, or else what the reader has chosen.
    fn wanted(chosen: bool) -> Texture {
        let forced = gloo::utils::window().match_media(FORCED).ok().flatten();
        match forced.is_some_and(|query| query.matches()) {
            true => Texture::Bordered,
            false if chosen => Texture::Patterned,
            false => Texture::None,
        }
    }

    fn show(self) {
        // An attribute can always be set on the root element.
        let _ = gloo::utils::document_element().set_attribute("data-texture", self.word());
    }

    fn shown() -> Texture {
        let word = gloo::utils::document_element().get_attribute("data-texture").unwrap_or_default();
        let all = [Texture::None, Texture::Patterned, Texture::Bordered];
        all.into_iter().find(|texture| texture.word() == word).unwrap_or(Texture::None)
    }
}

/// The theme that a demo's address asks for.
pub fn of_demo(theme: embed::DemoTheme) -> ThemeMode {
    match theme {
        embed::DemoTheme::System => ThemeMode::System,
        embed::DemoTheme::Light => ThemeMode::Light,
        embed::DemoTheme::Dark => ThemeMode::Dark,
    }
}

/// The stylesheet's colours as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ThemeColours {
    /// Background of panels.
    pub surface: Rgb,
    /// An idle core.
    pub row: Rgb,
    /// Grid lines.
    pub grid: Rgb,
    /// Main text and lines.
    pub ink: Rgb,
    /// Secondary text.
    pub dim: Rgb,
    /// Stripes over cores held while jobs ranked before their tasks wait.
    pub inversion: Rgb,
    /// Stripes over stragglers and over cores that are idle behind them.
    pub skew: Rgb,
    /// Stripes over tasks that differ between two schedules.
    pub moved: Rgb,
    /// The hues of users, each with its two shades.
    pub users: Vec<[Rgb; 2]>,
    /// What bars have beside their colours.
    pub texture: Texture,
}

impl ThemeColours {
    /// A job's colour.
    pub fn job(&self, hue: Hue) -> Rgb {
        self.users[hue.hue - 1][hue.shade]
    }

    /// The colour of text on another colour: that of text or of the surface, whichever differs more in lightness.
    pub fn readable_on(&self, colour: Rgb) -> Rgb {
        let light = |Rgb(red, green, blue): Rgb| 3 * i32::from(red) + 6 * i32::from(green) + i32::from(blue);
        let far = |ink: &Rgb| light(*ink).abs_diff(light(colour));
        [self.surface, self.ink].into_iter().max_by_key(far).unwrap_or(self.ink)
    }

    /// Reads the tokens as they are now.
    pub fn read() -> ThemeColours {
        ThemeColours::read_with(&Probe::new())
    }

    /// Reads the tokens as they are in a mode, whichever the page is in; with the system's, as they are now.
    pub fn for_mode(mode: ThemeMode) -> ThemeColours {
        let probe = Probe::new();
        if mode != ThemeMode::System {
            // Without it the colours are those of the page.
            let _ = probe.0.style().set_property("color-scheme", mode.word());
        }
        ThemeColours::read_with(&probe)
    }

    fn read_with(probe: &Probe) -> ThemeColours {
        let user = |hue| [0, 1].map(|shade| probe.colour(&hue_colour(Hue { hue, shade })));
        ThemeColours {
            surface: probe.colour("var(--surface)"),
            row: probe.colour("var(--row)"),
            grid: probe.colour("var(--grid)"),
            ink: probe.colour("var(--ink)"),
            dim: probe.colour("var(--dim)"),
            inversion: probe.colour("var(--mark-inversion)"),
            skew: probe.colour("var(--mark-skew)"),
            moved: probe.colour("var(--mark-moved)"),
            users: (1..=HUES).map(user).collect(),
            texture: Texture::shown(),
        }
    }
}

/// The colour of a hue, for the stylesheet.
pub fn hue_colour(Hue { hue, shade }: Hue) -> String {
    format!("var(--user-{hue}{})", if shade == 0 { "" } else { "-alt" })
}

/// An element that is given a colour so that the browser resolves it.
struct Probe(web_sys::HtmlElement);

impl Probe {
    fn new() -> Probe {
        use wasm_bindgen::JsCast;
        let document = gloo::utils::document();
        let element: web_sys::HtmlElement =
            document.create_element("span").expect("a span can be created").unchecked_into();
        // Forced colours would make them all the colour of text.
        let _ = element.style().set_property("forced-color-adjust", "none");
        // If the body refuses it, all colours are black; nothing else depends on it.
        let _ = gloo::utils::body().append_child(&element);
        Probe(element)
    }

    fn colour(&self, css: &str) -> Rgb {
        let _ = self.0.style().set_property("color", css);
        let computed = gloo::utils::window().get_computed_style(&self.0).ok().flatten();
        let text = computed.and_then(|style| style.get_property_value("color").ok()).unwrap_or_default();
        let mut parts = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        let mut next = || parts.next().unwrap_or(0);
        Rgb(next(), next(), next())
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// The theme in use.
#[derive(Clone, PartialEq)]
pub struct Theme {
    /// What the reader has chosen.
    pub mode: ThemeMode,
    /// The colours that result.
    pub colours: Shared<ThemeColours>,
    /// Switches to the next mode.
    pub next: Callback<()>,
    /// Whether the reader has asked for textures.
    pub textured: bool,
    /// Asks for textures, or no longer.
    pub texture: Callback<()>,
}

/// The theme: the given one or the stored choice, the system's changes, and the colours.
#[hook]
pub fn use_theme(given: Option<ThemeMode>) -> Theme {
    let mode = use_state(|| {
        let mode = given.unwrap_or_else(ThemeMode::stored);
        mode.show();
        mode
    });
    // A demo reads no storage.
    let textured = use_state(|| given.is_none() && storage::get(TEXTURE_KEY).is_some());
    let colours = use_state(|| {
        Texture::wanted(*textured).show();
        Shared::new(ThemeColours::read())
    });
    {
        let colours = colours.clone();
        use_effect_with(*textured, move |&textured| {
            let show = move || {
                Texture::wanted(textured).show();
                colours.set(Shared::new(ThemeColours::read()));
            };
            if Texture::wanted(textured) != Texture::shown() {
                show();
            }
            let listeners = ["(prefers-color-scheme: dark)", FORCED].map(|query| {
                let query = gloo::utils::window().match_media(query).ok().flatten();
                let show = show.clone();
                query.map(|query| EventListener::new(&query, "change", move |_| show()))
            });
            move || drop(listeners)
        });
    }
    {
        let (mode, colours) = (mode.clone(), colours.clone());
        use_effect_with(given, move |given| {
            if let Some(given) = given.filter(|given| *given != *mode) {
                given.show();
                mode.set(given);
                colours.set(Shared::new(ThemeColours::read()));
            }
        });
    }
    let next = {
        let (mode, colours) = (mode.clone(), colours.clone());
        Callback::from(move |()| {
            let next = mode.next();
            next.apply();
            mode.set(next);
            colours.set(Shared::new(ThemeColours::read()));
        })
    };
    let texture = {
        let textured = textured.clone();
        Callback::from(move |()| {
            if *textured {
                storage::remove(TEXTURE_KEY);
            } else {
                // A full storage costs the memory of the choice, not the choice.
                let _ = storage::set(TEXTURE_KEY, "on");
            }
            textured.set(!*textured);
        })
    };
    Theme { mode: *mode, colours: (*colours).clone(), next, textured: *textured, texture }
}
