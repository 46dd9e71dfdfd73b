//! The names that a program can read, with what they say of a stage at the playhead; and a word to those who name one
//! user or job of the scenario.

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::ui::table::{Table, columns, plain_row};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::replay::ReplayPoint;
use fairlane::scenario::Scenario;
use fairlane::units::Time;
use fairlane_custom::names::NAMES;

#[derive(Clone, PartialEq)]
pub struct Moment {
    /// The schedule of the program; `None` while there is none.
    pub analysis: Option<Shared<Analysis>>,
    /// The playhead; `None` while it moves.
    pub at: Option<Time>,
    /// The job that is chosen.
    pub chosen: Option<JobId>,
}

#[derive(Properties, PartialEq)]
pub struct NamesProps {
    pub moment: Moment,
}

/// A table of all names: what each is called, says now and means.
#[component]
pub fn Names(props: &NamesProps) -> Html {
    let open = use_state_eq(|| false);
    let read = {
        let of = (*open, props.moment.clone());
        use_memo(of, |(open, Moment { analysis, at, chosen })| {
            let (analysis, at) = (analysis.as_ref().filter(|_| *open)?, (*at)?);
            let (stage, values) = analysis.names_at(ReplayPoint::Instant(at), *chosen)?;
            Some((analysis.scenario.stage_label(stage.job, stage.stage), at, values))
        })
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: MouseEvent| {
            // The list is made before it is shown.
            event.prevent_default();
            open.set(!*open);
        })
    };
    let values = read.as_ref().as_ref().map(|(.., values)| values);
    let rows = NAMES.iter().enumerate().map(|(index, name)| {
        let value = values.and_then(|values| values.get(index));
        let value = value.map_or_else(|| name.unit.text().to_owned(), ToString::to_string);
        plain_row(html! { <code>{ name.path() }</code> }, [value.as_str(), name.meaning])
    });
    html! {
        <details id="program-names" open={*open}>
            <summary onclick={toggle}>{ "What a program can read, with its values" }</summary>
            <p class="hint" role="status">{ match &*read {
                Some((label, at, _)) => format!("Of {label}, at the playhead, {}.", number::instant(*at)),
                None if props.moment.at.is_none() => "Pause to see the values at the playhead.".to_owned(),
                None => "No stage waits at the playhead. Move it to where tasks queue, to see the values.".to_owned(),
            } }</p>
            <Table class="program-lines" label="Names"
                columns={columns(["name", if values.is_some() { "now" } else { "unit" }, "meaning"])}>
                { for rows }
            </Table>
        </details>
    }
}

/// What to say of a program that tells one user or job from the others by its name.
pub fn naming(program: &str, scenario: &Scenario) -> Option<String> {
    let texts = || program.lines().flat_map(|line| without_comment(line).split('"').skip(1).step_by(2));
    let users = scenario.users().iter().map(|user| user.name.as_str());
    let jobs = scenario.jobs().iter().map(|job| job.name.as_str());
    let named = users.chain(jobs).find(|name| !name.is_empty() && texts().any(|text| text == *name))?;
    Some(format!(
        "This policy knows {named} by name: it says nothing about other scenarios. What makes {named} different, such \
         as job.estimate, job.waited or weight, holds everywhere."
    ))
}

/// A line up to its comment, which does not begin within a text.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| line[..*at].matches('"').count().is_multiple_of(2);
    line.match_indices("//").find(begins).map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_names_somebody_is_told_so() {
        let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
        let user = &scenario.users()[0].name;
        let said = |program: &str| naming(program, &scenario);
        assert!(said(&format!("if user.name == \"{user}\" {{ 0 }} else {{ 1 }}")).is_some());
        assert!(said(&format!("running // \"{user}\"")).is_none());
        assert!(said(&format!("#{{ \"a//b\": 1, \"{user}\": 2 }}")).is_some());
        assert!(said("#{ \"running tasks\": user.running }").is_none());
        assert!(said(&format!("{user}.running")).is_none());
    }
}
