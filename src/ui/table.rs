//! A table: its columns, and rows that each begin with what they are about.

use yew::prelude::*;

use crate::ui::scroll::Scroll;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: Html,
    /// What it means, where the name does not say it.
    meaning: Option<AttrValue>,
}

/// Columns whose names say what they mean.
pub fn columns<Name: Into<Html>>(names: impl IntoIterator<Item = Name>) -> Vec<Column> {
    names.into_iter().map(|name| Column { name: name.into(), meaning: None }).collect()
}

/// Columns with what they mean; empty where the name says it.
pub fn explained_columns<Name: Into<Html>, Meaning: Into<AttrValue>>(
    columns: impl IntoIterator<Item = (Name, Meaning)>,
) -> Vec<Column> {
    let column = |(name, meaning): (Name, Meaning)| Column {
        name: name.into(),
        meaning: Some(meaning.into()).filter(|meaning| !meaning.is_empty()),
    };
    columns.into_iter().map(column).collect()
}

/// A row: what it is about, and its cells.
pub fn plain_row<Cell: Into<Html>>(head: impl Into<Html>, cells: impl IntoIterator<Item = Cell>) -> Html {
    let (head, cells) = (head.into(), cells.into_iter().map(Into::<Html>::into));
    html! { <tr><th scope="row">{ head }</th>{ for cells.map(|cell| html! { <td>{ cell }</td> }) }</tr> }
}

#[derive(Properties, PartialEq)]
pub struct TableProps {
    #[prop_or_default]
    pub id: Option<AttrValue>,
    #[prop_or_default]
    pub class: Classes,
    /// Describes it, and makes it scroll sideways if it is too wide.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub caption: Option<AttrValue>,
    /// Whether more rows are under way.
    #[prop_or_default]
    pub busy: Option<bool>,
    /// None where the rows need no heads.
    #[prop_or_default]
    pub columns: Vec<Column>,
    /// The rows.
    pub children: Html,
}

#[component]
pub fn Table(props: &TableProps) -> Html {
    let TableProps { id, class, label, caption, busy, columns, children } = props;
    let head = |Column { name, meaning }: &Column| html! { <th scope="col" title={meaning}>{ name }</th> };
    let table = html! {
        <table {id} {class} aria-busy={busy.map(|busy| busy.to_string())}>
            if let Some(caption) = caption { <caption>{ caption }</caption> }
            if !columns.is_empty() { <thead><tr>{ for columns.iter().map(head) }</tr></thead> }
            <tbody>{ children }</tbody>
        </table>
    };
    match label {
        Some(label) => html! { <Scroll {label}>{ table }</Scroll> },
        None => table,
    }
}
