//! The figures of all policies side by side, the best of each column marked.

use yew::prelude::*;

use crate::app::plots::ecdf::Ecdf;
use crate::app::selectors::{self, Rating, Table};
use crate::app::shared::Shared;
use crate::app::store::State;
use crate::app::theme::Colours;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: State,
    pub colours: Shared<Colours>,
}

#[component]
pub fn Results(props: &Props) -> Html {
    let outcomes: Vec<_> =
        props.state.outcomes().map(|(policy, outcome)| (policy, outcome.clone())).collect();
    html! {
        <>
            <section>
                <h2>{ "Response time, s" }</h2>
                <TableView id="overview" label="Response times and makespan by policy" table={selectors::overview(&props.state)} />
            </section>
            <section>
                <h2>{ "Mean response time by user, s" }</h2>
                <TableView id="by-user" label="Mean response time by policy and user" table={selectors::by_user(&props.state)} />
                <p class="hint">{ "Smallest of each column in bold. Slowdown is response time over response time alone on the idle cluster." }</p>
            </section>
            <section>
                <h2>{ "Jobs answered within a time" }</h2>
                <Ecdf {outcomes} still={props.state.drag.is_some()} colours={props.colours.clone()} />
            </section>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct TableProps {
    id: AttrValue,
    label: AttrValue,
    table: Table,
}

#[component]
fn TableView(props: &TableProps) -> Html {
    let table = &props.table;
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={&props.label}>
            <table id={&props.id}>
                <thead>
                    <tr>
                        <th scope="col">{ "policy" }</th>
                        { for table.columns.iter().map(|column| html! { <th scope="col" title={column.meaning.clone()}>{ &column.name }</th> }) }
                    </tr>
                </thead>
                <tbody>
                    { for table.rows.iter().enumerate().map(|(row, policy)| html! {
                        <tr key={policy.to_string()}>
                            <th scope="row">{ policy.title() }</th>
                            { for table.columns.iter().map(|column| match column.figures[row] {
                                None => html! { <td>{ "–" }</td> },
                                Some(figure) if figure.rating == Rating::Best => html! {
                                    <td class="best"><b>{ selectors::seconds(figure.value) }</b><span class="sr">{ " best" }</span></td>
                                },
                                Some(figure) => html! { <td>{ selectors::seconds(figure.value) }</td> },
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
