//! Nanoseconds per task over the size of a workload, a plot for each kind of size.

use std::path::Path;

use plotters::prelude::*;

use super::native::Figures;
use super::table::SIZES;

/// More lines could not be told apart.
const POLICIES: [&str; 5] = ["fifo", "fair", "ujf", "cfq", "uwfq"];

const COLOURS: [RGBColor; 5] = [
    RGBColor(0x6b, 0x72, 0x80),
    RGBColor(0x1f, 0x77, 0xb4),
    RGBColor(0x2c, 0x8c, 0x3c),
    RGBColor(0xc7, 0x5b, 0x12),
    RGBColor(0xb0, 0x24, 0x5c),
];

/// Draws all plots into a folder.
pub fn draw(figures: &Figures, folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (what, _) in SIZES {
        plot(figures, what, &folder.join(format!("{what}.svg")))
            .map_err(|error| format!("{what}: {error}"))?;
    }
    Ok(())
}

fn plot(figures: &Figures, what: &str, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let lines = POLICIES.map(|policy| figures.sizes(what, policy));
    let points = || lines.iter().flatten();
    let (Some(least), Some(most)) =
        (points().map(|point| point.0).min(), points().map(|point| point.0).max())
    else {
        return Err("nothing was measured".into());
    };
    let highest = points().map(|point| point.1).fold(0.0, f64::max);
    let area = SVGBackend::new(path, (560, 300)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_right(40)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d((least..most).log_scale(), 0.0..highest * 1.5)?;
    chart
        .configure_mesh()
        .x_desc(what)
        .y_desc("ns per task")
        .x_labels(6)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for ((line, policy), colour) in lines.iter().zip(POLICIES).zip(COLOURS) {
        let series = LineSeries::new(line.iter().copied(), colour.stroke_width(2)).point_size(3);
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2));
        chart.draw_series(series)?.label(policy).legend(legend);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}
