//! The users' textures in drawings that are stretched to their place, such as the ideal. The stylesheet fills with them
//! where textures are shown.

use fairlane::ids::UserId;
use fairlane::scenario::Scenario;
use yew::prelude::*;

use crate::store::selectors;
use fairlane_view::gantt::TextureStroke;
use fairlane_view::hue;

/// The textures of the users for a drawing, by the size of its unit in logical pixels.
fn textures(drawing: &str, scenario: &Scenario, (wide, high): (f64, f64)) -> Html {
    if wide <= 0.0 || high <= 0.0 {
        return Html::default();
    }
    let side = TextureStroke::SIDE.to_string();
    let scale = format!("scale({:.5} {:.5})", 1.0 / wide, 1.0 / high);
    html! {
        <defs>
            { for (0..scenario.users().len()).map(|user| {
                let hue = selectors::user_hue(scenario, UserId(user as u32));
                let lines: String = hue::texture(hue).iter().map(|stroke| stroke.path()).collect();
                html! {
                    <pattern id={format!("{drawing}-{user}")} class={format!("hue-{hue}")} width={side.clone()} height={side.clone()}
                        patternUnits="userSpaceOnUse" patternTransform={scale.clone()}>
                        <path class="ground" d="M0 0h6v6H0z" /><path class="lines" d={lines} />
                    </pattern>
                }
            }) }
        </defs>
    }
}

/// Stacked paths of a scenario's users in a drawing of the given units, stretched to the given logical pixels, with
/// more over them.
pub fn stacked(
    drawing: &str,
    scenario: &Scenario,
    (columns, cores): (usize, u32),
    (width, height): (f64, f64),
    paths: Vec<Option<String>>,
    more: Html,
) -> Html {
    html! {
        <svg viewBox={format!("0 0 {columns} {cores}")} preserveAspectRatio="none" aria-hidden="true">
            { textures(drawing, scenario, (width / columns as f64, height / f64::from(cores))) }
            { for paths.into_iter().enumerate().filter_map(|(user, path)| path.map(|d| html! {
                <path class={format!("hue-{}", selectors::user_hue(scenario, UserId(user as u32)))}
                    style={fill(drawing, user)} {d} />
            })) }
            { more }
        </svg>
    }
}

/// What has a path of a user filled with the texture.
fn fill(drawing: &str, user: usize) -> String {
    format!("--fill:url(#{drawing}-{user})")
}
