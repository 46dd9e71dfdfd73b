//! A user's name beside its lane, which is changed where it stands.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::store::{Action, DocumentAction};
use crate::ui::send::use_send;
use fairlane::ids::UserId;
use fairlane::scenario::edit::{Edit, ObjectPath};

#[derive(Properties, PartialEq)]
pub(super) struct UserNameProps {
    pub(super) user: UserId,
    pub(super) name: String,
    /// Whether it is being changed.
    pub(super) renaming: UseStateHandle<bool>,
}

/// The name, or a field for another one: a double press opens it, Enter or leaving it takes what is written, Escape
/// leaves the name as it was.
#[component]
pub(super) fn UserName(props: &UserNameProps) -> Html {
    let send = use_send();
    let UserNameProps { user, name, renaming } = props;
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with(**renaming, move |renaming| {
            if let Some(input) = field.cast::<HtmlInputElement>().filter(|_| *renaming) {
                // A field that cannot take the focus is left by its own buttons.
                let _ = input.focus();
                input.select();
            }
        });
    }
    if !**renaming {
        let open = renaming.clone();
        let ondblclick = Callback::from(move |_: MouseEvent| open.set(true));
        return html! { <b title={format!("{name}: press twice, or F2 at a job, for another name")} {ondblclick}>{
        name }</b> };
    }
    let take = {
        let (field, renaming, send) = (field.clone(), renaming.clone(), send.clone());
        let (user, name) = (*user, name.clone());
        move || {
            let text = field.cast::<HtmlInputElement>().map_or_else(String::new, |input| input.value());
            let text = text.trim();
            // What is refused says why, and the name is as before.
            if *renaming && !text.is_empty() && text != name {
                send.emit(Action::Document(DocumentAction::Edit(Edit::set(
                    ObjectPath::User(user),
                    "name",
                    text.to_owned(),
                ))));
            }
            renaming.set(false);
        }
    };
    let onkeydown = {
        let (take, renaming) = (take.clone(), renaming.clone());
        Callback::from(move |event: KeyboardEvent| {
            // Keys of the page, such as Delete, are those of the field meanwhile.
            event.stop_propagation();
            match event.key().as_str() {
                "Enter" => take(),
                "Escape" => renaming.set(false),
                _ => {}
            }
        })
    };
    let onblur = Callback::from(move |_: FocusEvent| take());
    let keep = Callback::from(|event: PointerEvent| event.stop_propagation());
    html! {
        <input ref={field} class="user-name" type="text" autocomplete="off" aria-label={format!("Name of {name}")}
            value={name.clone()} {onkeydown} {onblur} onpointerdown={keep} />
    }
}
