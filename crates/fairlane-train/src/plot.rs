//! Pictures of a training and of what it reaches, as SVG.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::evaluate::Row;
use crate::train::CurvePoint;

const COLOURS: [RGBColor; 5] = [
    RGBColor(0xb0, 0x24, 0x5c),
    RGBColor(0x1f, 0x77, 0xb4),
    RGBColor(0x2c, 0x8c, 0x3c),
    RGBColor(0xc7, 0x5b, 0x12),
    RGBColor(0x6b, 0x72, 0x80),
];

/// A named polyline.
type Line = (String, Vec<(f64, f64)>);

/// The completion times of the checks by round.
///
/// # Errors
/// No points; a file that cannot be written.
pub fn learning_curve(points: &[CurvePoint], path: &Path) -> Result<(), Box<dyn Error>> {
    let line = |name: &str, of: fn(&CurvePoint) -> f64| {
        (name.to_owned(), points.iter().map(|point| (f64::from(point.round), of(point))).collect())
    };
    let lines = [line("batches", |point| point.batch_s), line("streams", |point| point.stream_s)];
    draw(&lines, ["round", "mean completion time, s"], path)
}

/// For each policy the part of the workloads with at most some average completion time (the paper's Fig. 9a).
///
/// # Errors
/// No rows; a file that cannot be written.
pub fn ecdf(rows: &[&Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let lines: Vec<Line> = rows
        .iter()
        .map(|row| {
            let count = row.ascending_s.len() as f64;
            let steps = row.ascending_s.iter().enumerate();
            let points = steps.flat_map(|(index, &time)| {
                [(time, index as f64 / count), (time, (index + 1) as f64 / count)]
            });
            (row.policy.clone(), points.collect())
        })
        .collect();
    draw(&lines, ["average completion time, s", "part of the batches"], path)
}

fn draw(lines: &[Line], axes: [&str; 2], path: &Path) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let [right, top] = [|point: &(f64, f64)| point.0, |point: &(f64, f64)| point.1]
        .map(|of| points().map(of).fold(0.0, f64::max));
    if right <= 0.0 {
        return Err("there is nothing to plot".into());
    }
    let area = SVGBackend::new(path, (640, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..right, 0.0..top * 1.05)?;
    chart.configure_mesh().x_desc(axes[0]).y_desc(axes[1]).light_line_style(TRANSPARENT).draw()?;
    for ((name, points), colour) in lines.iter().zip(COLOURS.into_iter().cycle()) {
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2));
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(name)
            .legend(legend);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}
