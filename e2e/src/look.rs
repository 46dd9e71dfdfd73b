//! The reader's screen and preferences.

/// The colour scheme the reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    /// The value of the media feature `prefers-color-scheme`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What the page is shown on: the size of its viewport and what the reader prefers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Width of the viewport in CSS pixels.
    pub width: u32,
    /// Height of the viewport in CSS pixels.
    pub height: u32,
    /// Device pixels per CSS pixel.
    pub scale: f64,
    /// A touch screen: the viewport tag counts, scroll bars float, `pointer: coarse` holds.
    pub touch: bool,
    pub scheme: Scheme,
    /// The reader asks for reduced motion.
    pub still: bool,
    /// The system forces its own few colours on every page.
    pub forced: bool,
}

impl Look {
    /// A laptop's window.
    pub const DESK: Self = Self {
        width: 1280,
        height: 800,
        scale: 1.0,
        touch: false,
        scheme: Scheme::Light,
        still: false,
        forced: false,
    };
    /// A telephone held upright.
    pub const PHONE: Self = Self { width: 390, height: 844, touch: true, ..Self::DESK };
    /// The same on its side.
    pub const LANDSCAPE: Self = Self { width: 844, height: 390, ..Self::PHONE };

    pub const fn sized(self, width: u32, height: u32) -> Self {
        Self { width, height, ..self }
    }

    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    pub fn in_scheme(self, scheme: Scheme) -> Self {
        Self { scheme, ..self }
    }

    pub fn dark(self) -> Self {
        self.in_scheme(Scheme::Dark)
    }

    pub fn still(self) -> Self {
        Self { still: true, ..self }
    }

    pub fn forced(self) -> Self {
        Self { forced: true, ..self }
    }
}
