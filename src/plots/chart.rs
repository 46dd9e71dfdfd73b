//! A chart on the page: the plot, a cursor for pointer, touch and keys, and a legend that
//! shows the figures at the cursor.

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::frame::{css, draw_on_canvas, use_scale};
use crate::browser::dom::around;
use crate::plots::theme::ThemeColours;
use crate::results::shared::Shared;
use crate::ui::hooks::use_width;
use fairlane_view::chart::{
    self, Chart, ChartLayout, ChartReading, HOLLOW, Marker, PickHeading, PointIndex, SeriesInk, SeriesShape,
};

#[derive(Properties, PartialEq)]
pub struct ChartViewProps {
    pub id: AttrValue,
    pub chart: Shared<Chart>,
    pub colours: Shared<ThemeColours>,
    /// Room for the chart, in logical pixels; bars may need more.
    pub height: f64,
    /// The playhead as a figure of the x axis.
    #[prop_or_default]
    pub playhead: Option<f64>,
    /// Whether something newer than what is shown is on its way.
    #[prop_or_default]
    pub busy: bool,
}

#[component]
pub fn ChartView(props: &ChartViewProps) -> Html {
    let canvas = use_node_ref();
    let width = use_width(&canvas);
    let scale = use_scale();
    let cursor = use_state_eq(|| None::<PointIndex>);
    let chart = &props.chart;
    let height = chart::height(chart, props.height);
    let layout = use_memo((chart.clone(), width.to_bits(), height.to_bits()), move |(chart, ..)| {
        ChartLayout::new(chart, width, height)
    });
    {
        let canvas = canvas.clone();
        let parts = (chart.clone(), layout.clone(), props.colours.clone(), scale.to_bits());
        use_effect_with(parts, move |(chart, layout, colours, _)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>().filter(|_| layout.width > 0.0) {
                draw_on_canvas(&canvas, chart, layout, colours, scale);
            }
        });
    }
    // Another chart may not have the point any more.
    let spot = cursor.filter(|spot| chart.point(*spot).is_some());
    let point = {
        let (chart, layout, cursor) = (chart.clone(), layout.clone(), cursor.setter());
        Callback::from(move |event: PointerEvent| {
            if let Some(element) = event.target_dyn_into::<web_sys::Element>() {
                let area = element.get_bounding_client_rect();
                let x = f64::from(event.client_x()) - area.left();
                let y = f64::from(event.client_y()) - area.top();
                cursor.set(chart::nearest(&chart, &layout, (x, y)));
            }
        })
    };
    // A finger that is lifted leaves the cursor, so that its figures can be read.
    let leave = {
        let cursor = cursor.setter();
        Callback::from(move |event: PointerEvent| {
            if event.pointer_type() != "touch" {
                cursor.set(None);
            }
        })
    };
    let onkeydown = {
        let (chart, cursor) = (chart.clone(), cursor.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
                return;
            }
            let heading = match event.key().as_str() {
                "ArrowLeft" => PickHeading::Left,
                "ArrowRight" => PickHeading::Right,
                "ArrowUp" => PickHeading::Up,
                "ArrowDown" => PickHeading::Down,
                "Home" => PickHeading::First,
                "End" => PickHeading::Last,
                // In a dialog the key closes that.
                "Escape" if cursor.is_some() && around(&event, "dialog").is_none() => {
                    event.prevent_default();
                    cursor.set(None);
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            let now = cursor.filter(|spot| chart.point(*spot).is_some());
            cursor.set(match now {
                Some(spot) => chart::neighbour(&chart, spot, heading),
                None => chart::start(&chart),
            });
        })
    };
    let reading = spot.and_then(|spot| chart.reading(spot));
    let axes = match chart.y.name.as_str() {
        "" => chart.x.name.clone(),
        y => format!("{y} over {}", chart.x.name),
    };
    let label = format!("{}: {axes}. Arrow keys move through the points.", chart.title);
    // Always one node, as unkeyed ones are matched by index: with another number of them the canvas
    // would lose its picture.
    let cursor_mark = spot.map(|spot| overlay(chart, &layout, spot, reading.as_ref())).unwrap_or_default();
    html! {
        <figure class={classes!("figure-chart", props.busy.then_some("busy"))} id={props.id.clone()}
            aria-busy={props.busy.to_string()}>
            <div class="plane">
                <canvas ref={canvas} id={format!("{}-plot", props.id)} tabindex="0" role="application"
                    aria-roledescription="chart" aria-label={label} style={format!("height:{height}px")}
                    onpointermove={point.clone()} onpointerdown={point} onpointerleave={leave} {onkeydown}></canvas>
                { playhead(props.playhead, &layout) }
                { cursor_mark }
            </div>
            { legend(chart, spot, reading.as_ref()) }
            <p class="sr" role="status">{ reading.map(|reading| reading.words) }</p>
        </figure>
    }
}

/// The playhead, where the x axis is time.
fn playhead(at: Option<f64>, layout: &ChartLayout) -> Html {
    let Some(x) = at.map(|at| layout.x(at)).filter(|x| *x >= layout.plot.left && *x <= layout.plot.right)
    else {
        return Html::default();
    };
    let (top, height) = (layout.plot.top, layout.plot.bottom - layout.plot.top);
    html! { <i class="now-line" style={format!("left:{x}px;top:{top}px;height:{height}px")}></i> }
}

/// The cursor: a line where all series are read at once, a ring around the point, and its figures.
fn overlay(chart: &Chart, layout: &ChartLayout, spot: PointIndex, reading: Option<&ChartReading>) -> Html {
    let Some((x, y)) = chart::position(chart, layout, spot) else { return Html::default() };
    let plot = layout.plot;
    let colour = css(chart.series[spot.series].ink);
    let lined = !matches!(chart.shape, SeriesShape::Bars | SeriesShape::Dots);
    // The words stay inside the plane: left of a point at the right, below one at the top.
    let shift = -100.0 * (x / layout.width.max(1.0)).clamp(0.0, 1.0);
    let below = y < plot.top + 44.0;
    let (at, up) = if below { (y + 12.0, "0") } else { (y - 12.0, "-100%") };
    html! {
        <>
            if lined {
                <i class="cursor-line" style={format!("left:{x}px;top:{}px;height:{}px", plot.top,
                    plot.bottom - plot.top)}></i>
            }
            <i class="cursor-ring" style={format!("left:{x}px;top:{y}px;--c:{colour}")}></i>
            if let Some(reading) = reading {
                <span class="cursor-words" aria-hidden="true"
                    style={format!("left:{x}px;top:{at}px;transform:translate({shift}%,{up})")}>{ &reading.words
                    }</span>
            }
        </>
    }
}

/// A series in the legend as it is drawn in the chart: a box, a marker, or a line with its marker.
fn sign(ink: SeriesInk, kind: &'static str, colour: &str) -> Html {
    let look = ink.look();
    let dashes = look.dash.map(|[dash, gap]| format!("{dash} {gap}"));
    if kind == "box" && dashes.is_some() {
        let opacity = if look.hollow { HOLLOW } else { 1.0 };
        return html! {
            <svg class="sign" viewBox="0 0 24 12" aria-hidden="true" style={format!("stroke:{colour};fill:none")}>
                <path d="M0 6h24" stroke-width="10" stroke-opacity={opacity.to_string()} stroke-dasharray={dashes} />
                <path d="M.5 1.5h23v9h-23z" />
            </svg>
        };
    }
    if kind == "box" {
        let hollow = look.hollow.then_some("hollow");
        return html! { <i class={classes!(kind, hollow)} style={format!("--c:{colour}")}></i> };
    }
    let fill = if look.hollow { "var(--surface)" } else { colour };
    let points = look.marker.corners((12.0, 6.0), 3.5);
    let points = points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ");
    let named = kind != "key" || matches!(ink, SeriesInk::Policy(_));
    html! {
        <svg class="sign" viewBox="0 0 24 12" aria-hidden="true" style={format!("stroke:{colour};fill:{fill}")}>
            if kind == "key" {
                <path d="M0 6h24" stroke-dasharray={dashes} stroke-width={if look.hollow { "1.2" } else { "2.5" }} />
            }
            if named {
                if look.marker == Marker::Disc {
                    <circle cx="12" cy="6" r="3.5" />
                } else {
                    <polygon {points} />
                }
            }
        </svg>
    }
}

/// The series, and each one's figure at the cursor.
fn legend(chart: &Chart, spot: Option<PointIndex>, reading: Option<&ChartReading>) -> Html {
    let hint = "Point at the chart or touch it, or use the arrow keys.";
    html! {
        <>
            <p class="place">{ reading.map_or(hint, |reading| &reading.at) }</p>
            <ul class="readout">
                { for chart.series.iter().enumerate().map(|(index, series)| {
                    let colour = css(series.ink);
                    let kind = match chart.shape {
                        SeriesShape::Bars | SeriesShape::Stack => "box",
                        SeriesShape::Dots => "dot-key",
                        _ => "key",
                    };
                    let here = spot.is_some_and(|spot| spot.series == index).then_some("here");
                    let figure = reading.and_then(|reading| reading.figures[index].clone());
                    html! {
                        <li class={classes!(here)}>
                            { sign(series.ink, kind, &colour) }
                            <span>{ &series.name }</span>
                            <b>{ figure.unwrap_or_default() }</b>
                        </li>
                    }
                }) }
            </ul>
        </>
    }
}
