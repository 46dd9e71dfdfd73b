//! Plotters' drawings as SVG, by the same writer as the pictures of schedules.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use crate::export::svg::{Align, Writer, colour};
use crate::view::gantt::Rgb;

/// Writes to an SVG file, which [`DrawingBackend::present`] ends.
pub struct SvgBackend<'a> {
    writer: Writer<'a>,
    size: (u32, u32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;
type Attribute = (&'static str, String);

impl<'a> SvgBackend<'a> {
    pub fn new(out: &'a mut String, size: (u32, u32), title: &str, description: &str) -> SvgBackend<'a> {
        SvgBackend { writer: Writer::new(out, size, title, description), size }
    }

    fn shape<S: BackendStyle>(
        &mut self,
        name: &str,
        geometry: impl IntoIterator<Item = Attribute>,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let BackendColor { alpha, rgb: (red, green, blue) } = style.color();
        let (ink, none) = (colour(Rgb(red, green, blue)), "none".to_owned());
        let (fill, stroke) = if fill { (ink, none) } else { (none, ink) };
        let width = style.stroke_width().to_string();
        let look =
            [("fill", fill), ("stroke", stroke), ("stroke-width", width), ("opacity", alpha.to_string())];
        let attributes: Vec<Attribute> = geometry.into_iter().chain(look).collect();
        self.writer.element(name, &attributes, "");
        Ok(())
    }
}

fn points(path: impl IntoIterator<Item = BackendCoord>) -> [Attribute; 1] {
    let points: Vec<String> = path.into_iter().map(|(x, y)| format!("{x},{y}")).collect();
    [("points", points.join(" "))]
}

impl DrawingBackend for SvgBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        self.writer.finish();
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let area = [("x", left), ("y", top), ("width", right - left), ("height", bottom - top)];
        self.shape("rect", area.map(|(key, value)| (key, value.to_string())), style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.shape("polyline", points(path), style, false)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.shape("polygon", points(path), style, true)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let circle = [("cx", x.to_string()), ("cy", y.to_string()), ("r", radius.to_string())];
        self.shape("circle", circle, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let align = match style.anchor().h_pos {
            HPos::Left => Align::Start,
            HPos::Center => Align::Middle,
            HPos::Right => Align::End,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => "0.76em",
            VPos::Center => "0.5ex",
            VPos::Bottom => "-0.5ex",
        };
        let (red, green, blue) = style.color().rgb;
        // Plotters' sizes are line heights.
        let size = style.size() / 1.24;
        self.writer.text((x.into(), y.into()), size, Rgb(red, green, blue), (align, down), text);
        Ok(())
    }
}
