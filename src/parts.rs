//! Which parts of the page make up the second program.
//!
//! [`load`] is the only way into it. Whatever is reached through its table alone is left out of the first program when
//! the page is built (see `page/`).

use std::any::{Any, TypeId};

use yew::html::BaseComponent;
use yew::prelude::*;

use super::background::Background;
use super::deferred::{Part, Parts};
use super::demo::{Controls, LabLink};
use super::panels::block_tip::BlockTip;
use super::panels::charts::Charts;
use super::panels::compare::Compare;
use super::panels::differences::Differences;
use super::panels::export::ExportItems;
use super::panels::fidelity::Fidelity;
use super::panels::help::Help;
use super::panels::ideal::Ideal;
use super::panels::job::JobEditor;
use super::panels::lanes::marks::LaneMarks;
use super::panels::lessons::{LessonCard, List};
use super::panels::log::LogCard;
use super::panels::mine::Mine;
use super::panels::overview::Overview;
use super::panels::palette::Palette;
use super::panels::policies::Policies;
use super::panels::predict::PredictCard;
use super::panels::set_up::SetUp;
use super::panels::share::Share;
use super::panels::story::Story;
use super::panels::toast::Toast;
use super::panels::transport::Transport;
use super::panels::verdict::{Trust, VerdictList};
use super::panels::waiting::WaitingStages;
use super::panels::why::Why;
use super::plots::gantt::marks::Marks;
use super::plots::gantt::moving::Moving;
use super::stylesheet;

/// The style sheets of the parts.
const STYLES: &str = concat!(
    include_str!("../styles/later.css"),
    include_str!("../styles/charts.css"),
    include_str!("../styles/fidelity.css"),
    include_str!("../styles/generator.css"),
    include_str!("../styles/lessons.css"),
    include_str!("../styles/log.css"),
    include_str!("../styles/editors.css"),
    include_str!("../styles/demos.css"),
);

/// The second program, ready for use. It can be asked for again.
pub fn load() -> &'static Parts {
    thread_local! {
        static STYLED: () = stylesheet::apply(STYLES);
    }
    STYLED.with(|()| ());
    &PARTS
}

/// Makes components parts, and the table of them.
macro_rules! parts {
    ($($component:ident)*) => {
        $(impl Part for $component {})*

        /// The second program.
        static PARTS: Parts = Parts(&[$((TypeId::of::<$component>, render::<$component>)),*]);
    };
}

parts! {
    Background BlockTip Charts Compare Controls Differences ExportItems Fidelity Help Ideal JobEditor LabLink
    LaneMarks LessonCard List LogCard Marks Mine Moving Overview Palette Policies PredictCard SetUp Share Story Toast Transport Trust
    VerdictList WaitingStages Why
}

fn render<C: BaseComponent>(props: Box<dyn Any>) -> Html {
    let props = props.downcast::<C::Properties>().expect("a part is rendered with its own properties");
    html! { <C ..*props /> }
}
