//! Parameters in a word or two, for the command's options and the page: `poisson:8`,
//! `pareto:1.5:4:400`, `heavy:3`, `random:3`.

use std::str::FromStr;

use super::arrivals::spacing;
use super::{
    Arrivals, AtOnce, Bursts, Constant, Estimates, Exponential, Factor, FixedSize, HeavySkew, Pareto,
    Poisson, Random, Sizes, Skew, Zipf,
};

/// What a text should have been.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(pub(super) String);

/// A word and the numbers behind it.
fn parts(text: &str) -> Result<(&str, Vec<f64>), TextError> {
    let mut parts = text.trim().split(':').map(str::trim);
    let word = parts.next().unwrap_or_default();
    let number = |part: &str| match part.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(TextError(format!("\"{part}\" is not a number; write it as in {word}:1.5"))),
    };
    Ok((word, parts.map(number).collect::<Result<_, _>>()?))
}

fn choices<T>(forms: &str) -> Result<T, TextError> {
    Err(TextError(format!("must be {forms}")))
}

impl FromStr for Arrivals {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Arrivals, TextError> {
        let (word, numbers) = parts(text)?;
        match (word, numbers.as_slice()) {
            ("poisson", &[per_minute]) => Ok(Arrivals::Poisson(Poisson { per_minute })),
            ("bursts", &[size, every_s, ref rest @ ..])
                if rest.len() <= 1 && size.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&size) =>
            {
                let jitter_s = rest.first().copied().unwrap_or_default();
                Ok(Arrivals::Bursts(Bursts { size: size as u32, every_s, jitter_s, spacing_s: spacing() }))
            }
            ("at-once", []) => Ok(Arrivals::AtOnce(AtOnce { spacing_s: spacing() })),
            ("at-once", &[spacing_s]) => Ok(Arrivals::AtOnce(AtOnce { spacing_s })),
            ("scattered", []) => Ok(Arrivals::Scattered),
            _ => choices(
                "poisson:PER_MINUTE, bursts:JOBS:EVERY_SECONDS[:JITTER_SECONDS], at-once[:SPACING_SECONDS] or \
                    scattered, \
                 such as poisson:8",
            ),
        }
    }
}

impl FromStr for Sizes {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Sizes, TextError> {
        let (word, numbers) = parts(text)?;
        match (word, numbers.as_slice()) {
            ("fixed", &[work_s]) => Ok(Sizes::Fixed(FixedSize { work_s })),
            ("exponential", &[mean_s]) => Ok(Sizes::Exponential(Exponential { mean_s })),
            ("pareto", &[shape, least_s, ref rest @ ..]) if rest.len() <= 1 => {
                Ok(Sizes::Pareto(Pareto { shape, least_s, cap_s: rest.first().copied() }))
            }
            _ => choices(
                "fixed:SECONDS, exponential:MEAN_SECONDS or pareto:SHAPE:LEAST_SECONDS[:CAP_SECONDS], all of core \
                    time, \
                 such as exponential:24",
            ),
        }
    }
}

impl FromStr for Skew {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Skew, TextError> {
        let (word, numbers) = parts(text)?;
        match (word, numbers.as_slice()) {
            ("even", []) => Ok(Skew::Even),
            ("heavy", &[factor]) => Ok(Skew::Heavy(HeavySkew { factor })),
            ("zipf", &[exponent]) => Ok(Skew::Zipf(Zipf { exponent })),
            _ => choices("even, heavy:FACTOR or zipf:EXPONENT, such as heavy:3"),
        }
    }
}

impl FromStr for Estimates {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Estimates, TextError> {
        let (word, numbers) = parts(text)?;
        match (word, numbers.as_slice()) {
            ("true", []) => Ok(Estimates::True),
            ("constant", &[work_s]) => Ok(Estimates::Constant(Constant { work_s })),
            ("factor", &[by]) => Ok(Estimates::Factor(Factor { by })),
            ("random", &[up_to]) => Ok(Estimates::Random(Random { up_to })),
            _ => choices("true, constant:SECONDS, factor:FACTOR or random:UP_TO_FACTOR, such as random:3"),
        }
    }
}
