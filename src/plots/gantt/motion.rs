//! Tasks that move from the schedule shown before to the new one, on a canvas over the chart, which has the new one
//! already: whatever reads the chart need not wait.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::paint::{PaintStyle, numbering, show, task_colours};
use crate::browser::dom::prefers_reduced_motion;
use crate::plots::scale;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::trace::TaskRun;
use fairlane_view::TimeAxis;
use fairlane_view::gantt::{ChartRows, Image, Rgb};
use fairlane_view::motion::{Coloured, MOTION_MS, Movement, eased};

#[derive(Clone, Properties, PartialEq)]
pub struct MovingProps {
    pub analysis: Shared<Analysis>,
    /// The schedule from which the tasks of a policy come that has just been ticked: another policy's.
    pub origin: Option<Shared<Analysis>>,
    /// Whether jobs are being dragged, so that each schedule replaces the one before at once.
    pub still: bool,
    pub axis: TimeAxis,
    /// The chart's rows, in logical pixels.
    pub rows: ChartRows,
    pub style: PaintStyle,
}

/// The movement that is shown.
#[derive(Default)]
struct ShownMotion {
    scene: Option<Rc<MotionScene>>,
    /// How much of its time is over.
    part: f64,
    frame: Option<AnimationFrame>,
}

#[component]
pub fn Moving(props: &MovingProps) -> Html {
    let canvas = use_node_ref();
    let last = use_mut_ref(|| props.origin.clone());
    let shown: Rc<RefCell<ShownMotion>> = use_mut_ref(ShownMotion::default);
    {
        let (canvas, props) = (canvas.clone(), props.clone());
        use_effect_with((props.analysis.clone(), props.still), move |(analysis, still)| {
            let before = last.replace(Some(analysis.clone()));
            let under_way = shown.take();
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
            let _ = canvas.set_attribute("hidden", "");
            let before = before.filter(|before| before != analysis && !still && !prefers_reduced_motion());
            if let Some(scene) =
                before.and_then(|before| MotionScene::new(canvas, &before, &under_way, &props))
            {
                scene.show(0.0);
                shown.borrow_mut().scene = Some(Rc::new(scene));
                next_frame(&shown, None);
            }
        });
    }
    html! { <canvas ref={canvas} class="moving" aria-hidden="true" hidden=true
    style={format!("height:{}px", props.rows.height)}></canvas> }
}

/// A movement and the canvas that shows it.
struct MotionScene {
    canvas: HtmlCanvasElement,
    movement: Movement,
    axis: TimeAxis,
    rows: ChartRows,
    width: u32,
    surface: Rgb,
    idle: Rgb,
    image: RefCell<Image>,
}

impl MotionScene {
    /// Tasks that set out from a schedule, or from where they are if they move already.
    fn new(
        canvas: HtmlCanvasElement,
        before: &Analysis,
        under_way: &ShownMotion,
        props: &MovingProps,
    ) -> Option<MotionScene> {
        let MovingProps { analysis, style, axis, .. } = props;
        let area = canvas.parent_element()?.get_bounding_client_rect();
        let width = (area.width() * scale()).round() as u32;
        let rows = props.rows.at_scale(scale());
        let colour_of = |analysis: &Analysis| {
            let (number, colours) =
                (numbering(analysis, style.colouring, &style.chosen), task_colours(analysis, style));
            move |run: &TaskRun| colours.get(usize::from(number(run))).copied().unwrap_or_default()
        };
        let (earlier, now) = (colour_of(before), colour_of(analysis));
        let now: Coloured = (&analysis.trace, &now);
        let same = |scene: &&Rc<MotionScene>| (scene.axis, &scene.rows, scene.width) == (*axis, &rows, width);
        let movement = match under_way.scene.as_ref().filter(same) {
            Some(scene) => scene.movement.redirected(eased(under_way.part), now, *axis, &rows, width)?,
            None => Movement::between((&before.trace, &earlier), now, *axis, &rows, width)?,
        };
        let (surface, idle) = (style.colours.surface, style.colours.row);
        Some(MotionScene {
            canvas,
            movement,
            axis: *axis,
            rows,
            width,
            surface,
            idle,
            image: RefCell::default(),
        })
    }

    /// Shows the tasks after a part of the time.
    fn show(&self, part: f64) {
        let mut image = self.image.borrow_mut();
        self.movement.draw(&mut image, &self.rows, self.width, eased(part), self.surface, self.idle);
        // The chart below shows the schedule in any case.
        if show(&self.canvas, &image).is_ok() {
            let _ = self.canvas.remove_attribute("hidden");
        }
    }
}

fn next_frame(shown: &Rc<RefCell<ShownMotion>>, started: Option<f64>) {
    let again = Rc::downgrade(shown);
    let frame = request_animation_frame(move |now| {
        let Some(shown) = again.upgrade() else { return };
        let started = started.unwrap_or(now);
        let part = (now - started) / MOTION_MS;
        let scene = shown.borrow().scene.clone();
        let Some(scene) = scene else { return };
        if part >= 1.0 {
            let _ = scene.canvas.set_attribute("hidden", "");
            shown.borrow_mut().scene = None;
        } else {
            scene.show(part);
            shown.borrow_mut().part = part;
            next_frame(&shown, Some(started));
        }
    });
    shown.borrow_mut().frame = Some(frame);
}
