//! The editors of what is simulated beside the jobs: the cluster, the users, and a generator of workloads.

use yew::prelude::*;

use super::cluster::ClusterEditor;
use super::generator::GeneratorPanel;
use super::users::UsersEditor;
use crate::panels::EditorProps;

#[component]
pub fn SetUp(props: &EditorProps) -> Html {
    html! {
        <>
            <ClusterEditor document={props.document.clone()} />
            <UsersEditor document={props.document.clone()} />
            <GeneratorPanel document={props.document.clone()} />
        </>
    }
}
