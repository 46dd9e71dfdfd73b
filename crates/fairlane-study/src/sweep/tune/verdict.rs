//! What a tuning has shown, in words.

use super::{Curve, Tuning};
use fairlane::number::{self, counted};

impl Tuning {
    /// The best value in a sentence or two.
    pub fn verdict(&self, curve: &Curve) -> String {
        let (name, metric) = (self.knob.name(), self.metric);
        let with_unit = |figure: f64| {
            format!("{} {}", number::trimmed(figure, 3), metric.figure().shown.unit).trim_end().to_owned()
        };
        let Some(best) = curve.best.map(|best| &curve.points[best]) else {
            return format!(
                "No value has a {}: it does not exist in this scenario under {}. Choose another metric.",
                metric.title,
                self.policy()
            );
        };
        let mean = best.mean.unwrap_or_default();
        let mut text = format!(
            "{name} {} is best under {}: {} {}",
            best.value,
            self.policy(),
            metric.title,
            with_unit(mean)
        );
        if let Some(deviation) = best.deviation {
            text += &format!(
                " on average over {}, standard deviation {}",
                counted(self.grid.seeds.len(), "seed"),
                with_unit(deviation)
            );
        }
        text += &match curve.own.mean {
            Some(own) if own == mean => {
                format!(", the same as with the scenario's own {}.", curve.own.value)
            }
            Some(own) if own != 0.0 => format!(
                ", {} against {} with the scenario's own {}.",
                number::signed_percent((mean - own) / own, 1),
                with_unit(own),
                curve.own.value
            ),
            _ => ".".to_owned(),
        };
        let known: Vec<f64> = curve.best_by_seed.iter().copied().flatten().collect();
        if known.len() > 1 {
            let least = known.iter().copied().fold(f64::INFINITY, f64::min);
            let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            text += &match least == most {
                true => " It is the best of every seed.".to_owned(),
                false => format!(" The best of single seeds lies between {} and {}.", least, most),
            };
        }
        text
    }
}
