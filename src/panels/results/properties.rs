//! What policies guarantee, as a table: computed in workers, on request.

use yew::prelude::*;

use crate::panels::measurements::use_properties;
use crate::panels::share::export::{save, saving};
use crate::store::{ChartChoice, State, ViewAction};
use crate::ui::scroll::Scroll;
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, explained_columns};
use crate::workers::pool::Pool;
use fairlane_view::export::{PROPERTIES, PropertyCell, properties_csv, property_cells};

#[derive(Properties, PartialEq)]
pub struct PropertiesTableProps {
    pub state: State,
    pub pool: Pool,
}

/// A row for each ticked policy, and the button that has them computed.
#[component]
pub fn PropertiesTable(props: &PropertiesTableProps) -> Html {
    let send = use_send();
    let PropertiesTableProps { state, pool } = props;
    use_properties(state, pool);
    let choice = state.chart;
    if state.view.policies.is_empty() {
        return html! { <p class="hint">{ "No policy is ticked. Tick one to see what it guarantees." }</p> };
    }
    let rows: Vec<_> =
        state.view.policies.iter().map(|policy| (policy, state.properties.get(policy))).collect();
    let left = rows.iter().filter(|(_, row)| row.is_none()).count();
    let waits = choice.checking && left > 0;
    let check = send.press(ViewAction::Chart(ChartChoice { checking: !choice.checking, ..choice }));
    let body = rows.iter().map(|(policy, row)| {
        html! {
            <tr key={policy.to_string()}>
                <th scope="row">{ policy.title() }</th>
                { match row {
                    None => html! { <td colspan="4">{ if waits { "…" } else { "not checked yet" } }</td> },
                    Some(Err(why)) => html! { <td colspan="4">{ why }</td> },
                    Some(Ok(checked)) => property_cells(checked.properties(),
                        str::to_owned).iter().map(cell).collect(),
                } }
            </tr>
        }
    });
    let save_csv = {
        let (state, empty) = (state.clone(), left == rows.len());
        let onclick = saving(&send, move || save("properties.csv", "text/csv", &csv(&state)));
        html! { <button type="button" class="small" id="properties-csv" {onclick} disabled={empty}
        aria-label="Save as CSV" title="Save as CSV">{ "CSV" }</button> }
    };
    html! {
        <>
            <Scroll class="numbers" label="What policies guarantee">
                <Table id="properties" class="properties" busy={waits}
                    columns={explained_columns([("policy", "")].into_iter().chain(PROPERTIES))}>
                    { for body }
                </Table>
            </Scroll>
            <div class="buttons">
                if left > 0 {
                    <button type="button" id="properties-check"
                        onclick={check}>{ if choice.checking { "Stop" } else { "Check" } }</button>
                }
                <span class="space"></span>
                { save_csv }
            </div>
            if waits {
                <p class="hint sweeping" role="status"><progress id="properties-progress"
                    max={rows.len().to_string()} value={(rows.len() - left).to_string()}
                    aria-label="Policies checked"></progress>{ format!(" {} of {} checked", rows.len() - left,
                    rows.len()) }</p>
            }
            <details class="meanings">
                <summary>{ "What the columns ask" }</summary>
                <dl>{ for PROPERTIES.iter().map(|(name, asks)| html! { <><dt>{ *name }</dt><dd>{ *asks }</dd></> })
                    }</dl>
            </details>
        </>
    }
}

fn cell(cell: &PropertyCell) -> Html {
    html! { <td class={classes!((cell.holds == Some(false)).then_some("broken"))}><b>{ cell.word()
    }</b><span>{ &cell.text }</span></td> }
}

fn csv(state: &State) -> String {
    let known = state
        .view
        .policies
        .iter()
        .filter_map(|policy| Some(state.properties.get(policy)?.as_ref().ok()?.properties()));
    properties_csv(&known.collect::<Vec<_>>())
}
