use roxmltree::{Document, Node};

use super::super::{Axis, AxisUnit, ChartPoint, PointIndex, position};
use super::*;
use crate::chart::{Bars, Grouping, user_bars};

const SIZE: (f64, f64) = (800.0, 460.0);

fn drawn(chart: &Chart) -> String {
    let ink = |ink| if ink == SeriesInk::Faint { Rgb(9, 9, 9) } else { Rgb(1, 2, 3) };
    let white = Rgb(255, 255, 255);
    svg(
        chart,
        SIZE,
        &Paint { surface: white, grid: Rgb(200, 200, 200), text: Rgb(0, 0, 0), dim: white, ink: &ink },
    )
}

fn number(node: Node, name: &str) -> f64 {
    node.attribute(name)
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("{node:?} has no {name}"))
}

/// Two series of which the second lies beyond the axis.
fn chart(shape: SeriesShape, inks: [SeriesInk; 2]) -> Chart {
    let x = Axis::from_zero("time, s", AxisUnit::Seconds, 10.0);
    let y = Axis::from_zero("slowdown", AxisUnit::Ratio, 8.0);
    let points = |height| [1.0, 4.0, 9.0].map(|x| ChartPoint { item: x as u32, x, y: x * height }).to_vec();
    let series =
        vec![Series::new("ana & co", inks[0], points(0.5)), Series::new("ben", inks[1], points(20.0))];
    Chart { marks: vec![(5.0, "now".to_owned())], ..Chart::new("Slow < fast", (x, y), shape, "", series) }
}

#[test]
fn a_file_names_the_chart_its_axes_ticks_marks_and_series() {
    for shape in [
        SeriesShape::Lines,
        SeriesShape::Measured,
        SeriesShape::Shares,
        SeriesShape::Dots,
        SeriesShape::Stack,
    ] {
        let file = drawn(&chart(shape, [SeriesInk::Text, SeriesInk::Faint]));
        let document = Document::parse(&file).expect("a good file");
        let root = document.root_element();
        let child =
            |name: &str| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        assert_eq!((child("title"), child("desc")), (Some("Slow < fast"), Some("slowdown over time, s")));
        let texts = root.children().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
        let texts: Vec<&str> = texts.map(str::trim).collect();
        for text in ["Slow < fast", "time, s", "slowdown", "now", "ana & co", "ben", "0", "2", "8", "10"] {
            assert!(texts.contains(&text), "{shape:?} without {text}: {texts:?}");
        }
    }
}

#[test]
fn any_name_makes_a_good_file() {
    // Controls, what reorders text, what is no character, and markup.
    let hostile = (0..0xa1).chain(0x2028..0x2030).chain(0xfff0..0x10000).filter_map(char::from_u32);
    let hostile: Vec<char> = hostile.collect();
    for shape in [SeriesShape::Lines, SeriesShape::Bars, SeriesShape::Dots, SeriesShape::Stack] {
        let mut chart = chart(shape, [SeriesInk::Text, SeriesInk::Faint]);
        for name in hostile.chunks(32).map(|name| name.iter().collect::<String>()) {
            chart.title.clone_from(&name);
            chart.series[0].name.clone_from(&name);
            chart.marks[0].1.clone_from(&name);
            chart.x.name.clone_from(&name);
            let file = drawn(&chart);
            assert!(Document::parse(&file).is_ok(), "{name:?}: {file}");
        }
    }
}

#[test]
fn points_are_drawn_where_they_are_picked_and_those_beyond_the_axis_at_its_end() {
    let chart = chart(SeriesShape::Dots, [SeriesInk::Text, SeriesInk::Text]);
    let file = drawn(&chart);
    let document = Document::parse(&file).expect("a good file");
    let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
    let circles: Vec<_> =
        circles.map(|node| (number(node, "cx") - MARGIN, number(node, "cy") - HEADING - MARGIN)).collect();
    let layout = ChartLayout::new(&chart, SIZE.0, SIZE.1);
    for (index, &(x, y)) in circles[..6].iter().enumerate() {
        let spot = PointIndex { series: index / 3, point: index % 3 };
        let (across, down) = position(&chart, &layout, spot).expect("a position");
        let down = down.max(layout.plot.top);
        assert!(
            (x - across).abs() <= 1.5 && (y - down).abs() <= 1.5,
            "{spot:?}: {x} {y}, not {across} {down}"
        );
    }
}

#[test]
fn bars_are_as_long_as_their_figures_and_hollow_and_dashed_as_their_policies() {
    let policy = |id: &str| id.parse().expect("a policy");
    let rows = ["fifo", "fair-p"].map(|id| (policy(id), vec![Some(2.0), Some(4.0)]));
    let chart = user_bars(&Bars::RESPONSE, &rows, &["ana", "ben"].map(str::to_owned), Grouping::User);
    let file = drawn(&chart);
    let document = Document::parse(&file).expect("a good file");
    let layout = ChartLayout::new(&chart, SIZE.0, height(&chart, SIZE.1));
    let bars = document.descendants().filter(|node| node.attribute("fill") == Some("#010203"));
    let plain: Vec<_> = bars.filter(|node| node.attribute("opacity") == Some("1")).collect();
    let lengths: Vec<_> = plain.iter().take(2).map(|node| number(*node, "width")).collect();
    for (length, figure) in lengths.iter().zip([2.0, 4.0]) {
        let expected = layout.x(figure) - layout.x(0.0);
        assert!((length - expected).abs() <= 1.5, "{figure}: {length}, not {expected}");
    }
    // Two bars and the legend's have an outline.
    let outlines = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("stroke") == Some("#010203"));
    assert_eq!(outlines.count(), 3);
    assert!(document.descendants().any(|node| node.attribute("opacity") == Some("0.35")));
}

#[test]
fn a_line_is_broken_in_dashes() {
    let paths = |ink| {
        let file = drawn(&chart(SeriesShape::Lines, [ink, SeriesInk::Text]));
        file.matches("<polyline").count()
    };
    assert_eq!(paths(SeriesInk::Text), 4, "two lines and their signs");
    assert!(paths(SeriesInk::Faint) > 40);
}
