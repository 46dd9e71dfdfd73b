//! The editors of what is simulated beside the jobs: the cluster, the users, and a generator of workloads.

use yew::prelude::*;

use super::EditorProps;
use super::cluster::ClusterEditor;
use super::generator::GeneratorPanel;
use super::users::UsersEditor;
use crate::app::stylesheet::use_stylesheet;

/// The stylesheet of the editors, which the first picture does not need.
const STYLE: &str = include_str!("../../../styles/editors.css");

#[component]
pub fn SetUp(props: &EditorProps) -> Html {
    use_stylesheet(STYLE);
    html! {
        <>
            <ClusterEditor document={props.document.clone()} send={props.send.clone()} />
            <UsersEditor document={props.document.clone()} send={props.send.clone()} />
            <GeneratorPanel document={props.document.clone()} send={props.send.clone()} />
        </>
    }
}
