//! The editor of the users: names, weights, queues, order.

use yew::prelude::*;

use super::queue::queue_section;
use crate::panels::EditorProps;
use crate::panels::editors::field::EditorFields;
use crate::store::{DocumentAction, selectors};
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::UserId;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::units::Weight;

#[component]
pub fn UsersEditor(props: &EditorProps) -> Html {
    let send = use_send();
    let scenario = &props.document.scenario;
    let add = Edit::AddUser { name: scenario.free_user_name(), weight: Weight::ONE };
    let last = scenario.users().len().saturating_sub(1);
    let fields = EditorFields { document: &props.document, send: &send };
    html! {
        <section class="editor" aria-label="Users">
            <details>
                <summary id="users">{ format!("Users ({})", scenario.users().len()) }</summary>
                { for scenario.users().iter().enumerate().map(|(index, user)| {
                    let id = UserId(index as u32);
                    let button = |label: &str, icon: &'static str, disabled: bool, edit: Edit| {
                        let onclick = send.press(DocumentAction::Edit(edit));
                        let label = format!("{label} {}", user.name);
                        html! { <button type="button" class="small" {onclick} {disabled} aria-label={label.clone()}
                            title={label}>{ icon }</button> }
                    };
                    let of = ObjectPath::User(id);
                    html! {
                        <div class={classes!("user-editor", format!("hue-{}", selectors::user_hue(scenario, id)))} key={index}>
                            { fields.object_field(format!("user-{index}-name"), &of, "name") }
                            { fields.object_field(format!("user-{index}-weight"), &of, "weight") }
                            { queue_section(&fields, index) }
                            <div class="buttons">
                                { button("Move up", "↑", index == 0, Edit::ReorderUser
                                    { user: id, index: index.saturating_sub(1) }) }
                                { button("Move down", "↓", index == last, Edit::ReorderUser
                                    { user: id, index: index + 1 }) }
                                { button("Remove", "Remove", false, Edit::RemoveUser(id)) }
                            </div>
                        </div>
                    }
                }) }
                <button type="button" id="add-user" onclick={send.press(DocumentAction::Edit(add))}>{ "Add a user" }</button>
            </details>
        </section>
    }
}
