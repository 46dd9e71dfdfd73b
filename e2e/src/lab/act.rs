//! What a reader does: mouse, wheel and keys.

use std::fmt::Display;
use std::future::Future;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fantoccini::Locator;
use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, WheelAction,
    WheelActions,
};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;

use super::{Lab, PATIENCE, PAUSE};

impl Lab {
    /// Clicks the first match as a mouse would, once it can be clicked.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.on_element(css, "click", |element| async move { element.click().await });
    }

    /// Types into the first match; [`Key`](crate::Key) holds the keys without a letter.
    #[track_caller]
    pub fn keys(&self, css: &str, keys: impl Display) {
        let keys = &keys.to_string();
        self.on_element(css, "type into", |element| async move { element.send_keys(keys).await });
    }

    /// Presses keys one after the other wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: impl Display) {
        let keys = keys.to_string();
        let strokes = keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let actions = strokes.fold(KeyActions::new("keyboard".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Presses keys together wherever the focus is, the first held while the others follow.
    #[track_caller]
    pub fn chord(&self, keys: impl Display) {
        let keys: Vec<char> = keys.to_string().chars().collect();
        let downs = keys.iter().map(|&value| KeyAction::Down { value });
        let ups = keys.iter().rev().map(|&value| KeyAction::Up { value });
        let actions = downs.chain(ups).fold(KeyActions::new("keyboard".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Chooses an option of a `<select>` by its value.
    #[track_caller]
    pub fn select(&self, css: &str, value: &str) {
        self.on_element(css, "choose in", |element| async move { element.select_by_value(value).await });
    }

    /// Chooses a file in an `<input type=file>`, which may be hidden.
    #[track_caller]
    pub fn upload(&self, css: &str, file: impl AsRef<Path>) {
        self.upload_all(css, [file]);
    }

    /// Chooses several files at once.
    #[track_caller]
    pub fn upload_all(&self, css: &str, files: impl IntoIterator<Item = impl AsRef<Path>>) {
        let absolute = |file: &Path| {
            let path =
                self.expect(file.canonicalize().map_err(|error| format!("{}: {error}", file.display())));
            path.display().to_string()
        };
        let paths: Vec<String> = files.into_iter().map(|file| absolute(file.as_ref())).collect();
        self.keys(css, paths.join("\n"));
    }

    /// Moves the mouse to a point of the viewport.
    #[track_caller]
    pub fn hover(&self, point: (f64, f64)) {
        self.mouse(vec![move_to(point)]);
    }

    /// Presses the left button at one point, moves to another in several steps and releases it.
    #[track_caller]
    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        self.start_drag(from, to);
        self.mouse(vec![PointerAction::Up { button: MOUSE_BUTTON_LEFT }]);
    }

    /// Presses the left button at one point, moves to another in several steps and keeps it pressed.
    #[track_caller]
    pub fn start_drag(&self, from: (f64, f64), to: (f64, f64)) {
        const STEPS: u32 = 8;
        let along = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1))
        };
        let mut actions = vec![move_to(from), PointerAction::Down { button: MOUSE_BUTTON_LEFT }];
        actions.extend((1..=STEPS).map(|step| move_to(along(step))));
        self.mouse(actions);
    }

    /// Turns the wheel over a point of the viewport, by this many pixels right and down.
    #[track_caller]
    pub fn wheel(&self, point: (f64, f64), right: i64, down: i64) {
        let (x, y) = (point.0.round() as i64, point.1.round() as i64);
        let turn = WheelAction::Scroll { duration: None, x, y, delta_x: right, delta_y: down };
        let actions = WheelActions::new("wheel".into()).then(turn);
        self.expect(self.run(self.client.perform_actions(actions)));
    }

    /// Tries until it succeeds: the page may redraw in between, or still cover the element.
    #[track_caller]
    fn on_element<F>(&self, css: &str, verb: &str, act: impl Fn(Element) -> F)
    where
        F: Future<Output = Result<(), CmdError>>,
    {
        let started = Instant::now();
        loop {
            self.unfold(css);
            let done = self.run(async { act(self.client.find(Locator::Css(css)).await?).await });
            match done {
                Ok(()) => return,
                Err(_) if started.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(error) => self.fail(format!("could not {verb} {css}: {error}")),
            }
        }
    }

    #[track_caller]
    fn mouse(&self, actions: Vec<PointerAction>) {
        let mouse = actions.into_iter().fold(MouseActions::new("mouse".into()), InputSource::then);
        self.expect(self.run(self.client.perform_actions(mouse)));
    }
}

fn move_to((x, y): (f64, f64)) -> PointerAction {
    PointerAction::MoveTo { duration: Some(Duration::from_millis(20)), x, y }
}
