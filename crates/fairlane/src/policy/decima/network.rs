//! Decima's network (Decima, sections 5.1, 5.2 and 6.1): six transforms and two scores, each of two hidden layers.
//!
//! Everything is `f32`, added and multiplied one after the other in the order written here, so that a compiler for any
//! processor gives the same bits.

/// Numbers of an embedding.
pub const EMBEDDING: usize = 8;
/// Units of the first hidden layer.
pub const HIDDEN: usize = 32;
/// Units of the second hidden layer.
pub const NARROW: usize = 16;
/// Features of a stage (`features.rs`).
pub const STAGE_FEATURES: usize = 5;
/// Features of a job.
pub const JOB_FEATURES: usize = 6;
/// Features of the cluster.
pub const CLUSTER_FEATURES: usize = 3;
/// Features of a parallelism limit.
pub const LIMIT_FEATURES: usize = 4;

/// An embedding of a stage, a job or all jobs.
pub type Embedding = [f32; EMBEDDING];
/// The sums of the first hidden layer, before its activation.
pub type FirstLayer = [f32; HIDDEN];

/// A perceptron with two hidden layers: where its weights begin, how many inputs and outputs it has. The weights are
/// those of the first layer, input by input, its biases, then the same of the second layer and of the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perceptron {
    start: usize,
    inputs: usize,
    outputs: usize,
}

impl Perceptron {
    const fn after(before: Perceptron, inputs: usize, outputs: usize) -> Perceptron {
        Perceptron { start: before.end(), inputs, outputs }
    }

    /// Where its weights begin.
    pub const fn start(self) -> usize {
        self.start
    }

    /// Numbers that go in.
    pub const fn inputs(self) -> usize {
        self.inputs
    }

    /// Numbers that come out.
    pub const fn outputs(self) -> usize {
        self.outputs
    }

    /// Where its weights end.
    pub const fn end(self) -> usize {
        self.second() + HIDDEN * NARROW + NARROW + NARROW * self.outputs + self.outputs
    }

    /// Where the second layer's weights begin.
    const fn second(self) -> usize {
        self.start + self.inputs * HIDDEN + HIDDEN
    }
}

/// f of stages: an embedding as its parents receive it.
pub const STAGE_MESSAGE: Perceptron = Perceptron { start: 0, inputs: EMBEDDING, outputs: EMBEDDING };
/// g of stages: the sum of the children's messages.
pub const STAGE_SUM: Perceptron = Perceptron::after(STAGE_MESSAGE, EMBEDDING, EMBEDDING);
/// f of jobs: a stage as its job receives it.
pub const JOB_MESSAGE: Perceptron = Perceptron::after(STAGE_SUM, EMBEDDING, EMBEDDING);
/// g of jobs: the sum of the stages' messages.
pub const JOB_SUM: Perceptron = Perceptron::after(JOB_MESSAGE, EMBEDDING, EMBEDDING);
/// f of all jobs: a job as the global embedding receives it.
pub const GLOBAL_MESSAGE: Perceptron = Perceptron::after(JOB_SUM, EMBEDDING, EMBEDDING);
/// g of all jobs: the sum of the jobs' messages.
pub const GLOBAL_SUM: Perceptron = Perceptron::after(GLOBAL_MESSAGE, EMBEDDING, EMBEDDING);
/// q, the score of a stage: of its features and embedding; its job's embedding and features; the global embedding and
/// the cluster's features.
pub const STAGE_SCORE: Perceptron = Perceptron::after(
    GLOBAL_SUM,
    STAGE_FEATURES + EMBEDDING + EMBEDDING + JOB_FEATURES + EMBEDDING + CLUSTER_FEATURES,
    1,
);
/// w, the score of a parallelism limit: of the job's embedding and features; the global embedding and the cluster's
/// features; the limit's features.
pub const LIMIT_SCORE: Perceptron = Perceptron::after(
    STAGE_SCORE,
    EMBEDDING + JOB_FEATURES + EMBEDDING + CLUSTER_FEATURES + LIMIT_FEATURES,
    1,
);
/// The perceptrons, in the order of their weights.
pub const PERCEPTRONS: [Perceptron; 8] =
    [STAGE_MESSAGE, STAGE_SUM, JOB_MESSAGE, JOB_SUM, GLOBAL_MESSAGE, GLOBAL_SUM, STAGE_SCORE, LIMIT_SCORE];
/// All numbers of the network; the paper's has 12 736.
pub const PARAMETERS: usize = LIMIT_SCORE.end();

/// The inputs of [`STAGE_SCORE`] that are a job's, and those that are everybody's, begin here.
pub const STAGE_SCORE_PARTS: [usize; 2] =
    [STAGE_FEATURES + EMBEDDING, STAGE_FEATURES + EMBEDDING + EMBEDDING + JOB_FEATURES];
/// The inputs of [`LIMIT_SCORE`] that are everybody's, and those of the limit, begin here.
pub const LIMIT_SCORE_PARTS: [usize; 2] =
    [EMBEDDING + JOB_FEATURES, EMBEDDING + JOB_FEATURES + EMBEDDING + CLUSTER_FEATURES];

/// The slope of a unit below 0.
pub const LEAK: f32 = 0.1;

/// A unit's activation: a leaky rectifier.
#[inline]
pub fn activation(sum: f32) -> f32 {
    if sum > 0.0 { sum } else { sum * LEAK }
}

/// x / (1 + |x|).
#[inline]
pub fn squash(number: f32) -> f32 {
    number / (1.0 + number.abs())
}

/// `to += from`, one number after the other.
#[inline(always)]
pub fn add<const N: usize>(to: &mut [f32; N], from: &[f32; N]) {
    let mut index = 0;
    while index < N {
        to[index] += from[index];
        index += 1;
    }
}

/// `to += factor * from`, one number after the other: a product, then a sum.
#[inline(always)]
fn add_scaled<const N: usize>(to: &mut [f32; N], factor: f32, from: &[f32; N]) {
    let mut index = 0;
    while index < N {
        to[index] += factor * from[index];
        index += 1;
    }
}

/// The numbers of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Box<[f32]>);

/// Weights that are no network's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Their number is wrong.
    #[error("the weights are {0} numbers, the network has {PARAMETERS}; train it with this version")]
    Count(usize),
    /// One of them is infinite or not a number.
    #[error("weight {0} is not a finite number; train the network again")]
    NotFinite(usize),
}

impl Weights {
    /// Weights from their numbers.
    ///
    /// # Errors
    /// Too few, too many, or one that is not finite.
    pub fn new(numbers: Vec<f32>) -> Result<Weights, WeightsError> {
        if numbers.len() != PARAMETERS {
            return Err(WeightsError::Count(numbers.len()));
        }
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(index) => Err(WeightsError::NotFinite(index)),
            None => Ok(Weights(numbers.into())),
        }
    }

    /// Weights from a file: numbers of four bytes, the lowest first.
    ///
    /// # Errors
    /// As [`Weights::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(WeightsError::Count(numbers.len()));
        }
        Weights::new(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// The numbers.
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// The biases of a perceptron's first layer.
    #[inline]
    pub fn biases(&self, of: Perceptron) -> FirstLayer {
        let start = of.start + of.inputs * HIDDEN;
        self.0[start..start + HIDDEN].try_into().expect("as many biases as units")
    }

    /// Adds what inputs from a position on bring to the first layer.
    #[inline]
    pub fn feed(&self, of: Perceptron, from: usize, inputs: &[f32], layer: &mut FirstLayer) {
        debug_assert!(from + inputs.len() <= of.inputs);
        let rows = self.0[of.start + from * HIDDEN..].as_chunks::<HIDDEN>().0;
        for (input, row) in inputs.iter().zip(rows) {
            add_scaled(layer, *input, row);
        }
    }

    /// The sums of the second hidden layer after its activation.
    #[inline]
    fn narrow(&self, of: Perceptron, layer: &FirstLayer) -> [f32; NARROW] {
        let start = of.second();
        let biases = start + HIDDEN * NARROW;
        let mut sums: [f32; NARROW] =
            self.0[biases..biases + NARROW].try_into().expect("as many biases as units");
        let rows = self.0[start..biases].as_chunks::<NARROW>().0;
        for (input, row) in layer.iter().zip(rows) {
            add_scaled(&mut sums, activation(*input), row);
        }
        sums.map(activation)
    }

    /// The one output of a score, given the first layer's sums.
    #[inline]
    pub fn score(&self, of: Perceptron, layer: &FirstLayer) -> f32 {
        let narrow = self.narrow(of, layer);
        let weights = &self.0[of.end() - NARROW - 1..of.end()];
        narrow.iter().zip(weights).fold(weights[NARROW], |sum, (unit, weight)| sum + unit * weight)
    }

    /// The embedding that a sum of messages makes (g): each number squashed to between -1 and 1, so that long chains of
    /// stages stay within bounds.
    pub fn squashed(&self, of: Perceptron, sum: &Embedding) -> Embedding {
        self.transform(of, sum).map(squash)
    }

    /// A transform of an embedding (f).
    pub fn transform(&self, of: Perceptron, input: &Embedding) -> Embedding {
        let mut layer = self.biases(of);
        self.feed(of, 0, input, &mut layer);
        let narrow = self.narrow(of, &layer);
        let biases = of.end() - EMBEDDING;
        let mut output: Embedding = self.0[biases..of.end()].try_into().expect("as many biases as outputs");
        let rows = self.0[biases - NARROW * EMBEDDING..biases].as_chunks::<EMBEDDING>().0;
        for (input, row) in narrow.iter().zip(rows) {
            add_scaled(&mut output, *input, row);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(set: &[(usize, f32)]) -> Weights {
        let mut numbers = vec![0.0; PARAMETERS];
        set.iter().for_each(|&(index, number)| numbers[index] = number);
        Weights::new(numbers).expect("finite numbers")
    }

    /// Input 1 reaches units 0 and 1 of the first layer with weights 2 and -4, these unit 3 of the second with weights
    /// 1 and 10 and a bias of 0.5, that output 2 with a weight of 3 and a bias of 1. For an input of 1.5: sums 3 and -6,
    /// units 3 and -0.6; sum and unit -2.5 and -0.25; output 0.25.
    #[test]
    fn a_transform_by_hand() {
        let of = JOB_SUM;
        let row = of.start() + HIDDEN;
        let second = of.start() + EMBEDDING * HIDDEN + HIDDEN;
        let last = second + HIDDEN * NARROW + NARROW;
        let weights = with(&[
            (row, 2.0),
            (row + 1, -4.0),
            (second + 3, 1.0),
            (second + NARROW + 3, 10.0),
            (second + HIDDEN * NARROW + 3, 0.5),
            (last + 3 * EMBEDDING + 2, 3.0),
            (last + NARROW * EMBEDDING + 2, 1.0),
        ]);
        let mut input = [0.0; EMBEDDING];
        input[1] = 1.5;
        let output = weights.transform(of, &input);
        let expected = [0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!(
            output.iter().zip(expected).all(|(number, by_hand)| (number - by_hand).abs() < 1e-6),
            "{output:?}"
        );
        assert!((weights.squashed(of, &input)[2] - 0.2).abs() < 1e-6);
    }

    /// The last input of a limit's score and a bias of the first layer, fed in two parts.
    #[test]
    fn a_score_in_parts_by_hand() {
        let of = LIMIT_SCORE;
        let second = of.start() + of.inputs() * HIDDEN + HIDDEN;
        let weights = with(&[
            (of.start() + (of.inputs() - 1) * HIDDEN + 7, 4.0),
            (of.start() + of.inputs() * HIDDEN + 7, 1.0),
            (second + 7 * NARROW, 2.0),
            (of.end() - 1 - NARROW, 0.5),
            (of.end() - 1, -1.0),
        ]);
        let mut layer = weights.biases(of);
        weights.feed(of, 0, &[9.0; LIMIT_SCORE_PARTS[1]], &mut layer);
        weights.feed(of, LIMIT_SCORE_PARTS[1], &[0.0, 0.0, 0.0, 0.25], &mut layer);
        // (1 + 0.25 * 4) * 2 * 0.5 - 1
        assert_eq!(weights.score(of, &layer), 1.0);
    }

    #[test]
    fn the_network_is_no_larger_than_the_papers() {
        assert_eq!(PARAMETERS, 9010);
        assert_eq!(Weights::from_bytes(&[0; 8]), Err(WeightsError::Count(2)));
        let mut numbers = vec![0.0; PARAMETERS];
        numbers[5] = f32::NAN;
        assert_eq!(Weights::new(numbers), Err(WeightsError::NotFinite(5)));
    }
}
