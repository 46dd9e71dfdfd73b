//! The network once more, for training: what came out of each layer is kept, and gradients go back the same way.
//!
//! A test holds the scores against those of `fairlane::policy::decima`.

use fairlane::policy::decima::features::JobCounts;
use fairlane::policy::decima::network::*;

use crate::record::{Picked, Step};

/// Most inputs of a perceptron.
const MOST_INPUTS: usize = 40;

/// What a perceptron computed.
#[derive(Clone)]
struct Pass {
    of: Perceptron,
    inputs: [f32; MOST_INPUTS],
    wide: [f32; HIDDEN],
    narrow: [f32; NARROW],
    /// Squashed if it is a sum's.
    outputs: Embedding,
    /// The derivatives of the outputs by what they were before.
    slopes: Embedding,
}

fn second(of: Perceptron) -> usize {
    of.start() + of.inputs() * HIDDEN + HIDDEN
}

fn slope(sum: f32) -> f32 {
    if sum > 0.0 { 1.0 } else { LEAK }
}

impl Pass {
    fn forward(weights: &[f32], of: Perceptron, parts: &[&[f32]]) -> Pass {
        let mut inputs = [0.0; MOST_INPUTS];
        let mut count = 0;
        for part in parts {
            inputs[count..count + part.len()].copy_from_slice(part);
            count += part.len();
        }
        debug_assert_eq!(count, of.inputs());
        let at = of.start();
        let mut wide: [f32; HIDDEN] = weights[at + count * HIDDEN..second(of)].try_into().expect("biases");
        for (input, row) in inputs[..count].iter().zip(weights[at..].as_chunks::<HIDDEN>().0) {
            wide.iter_mut().zip(row).for_each(|(sum, weight)| *sum += input * weight);
        }
        let (start, biases) = (second(of), second(of) + HIDDEN * NARROW);
        let mut narrow: [f32; NARROW] = weights[biases..biases + NARROW].try_into().expect("biases");
        for (sum, row) in wide.iter().zip(weights[start..biases].as_chunks::<NARROW>().0) {
            let unit = activation(*sum);
            narrow.iter_mut().zip(row).for_each(|(sum, weight)| *sum += unit * weight);
        }
        let outs = of.outputs();
        let last = biases + NARROW;
        let mut outputs = [0.0; EMBEDDING];
        outputs[..outs].copy_from_slice(&weights[last + NARROW * outs..of.end()]);
        for (sum, row) in narrow.iter().zip(weights[last..].chunks_exact(outs)) {
            add_product(&mut outputs, activation(*sum), row);
        }
        let mut slopes = [1.0; EMBEDDING];
        if [STAGE_SUM, JOB_SUM, GLOBAL_SUM].contains(&of) {
            slopes = outputs.map(|output| 1.0 / (1.0 + output.abs()).powi(2));
            outputs = outputs.map(squash);
        }
        Pass { of, inputs, wide, narrow, outputs, slopes }
    }

    /// Adds the gradients of the weights; returns those of the inputs.
    fn backward(&self, weights: &[f32], gradient: &mut [f32], of_outputs: &[f32]) -> [f32; MOST_INPUTS] {
        let of = self.of;
        let mut before = self.slopes;
        before.iter_mut().zip(of_outputs).for_each(|(slope, of_output)| *slope *= of_output);
        let of_outputs = &before;
        let (start, biases, outs) = (second(of), second(of) + HIDDEN * NARROW, of.outputs());
        let last = biases + NARROW;
        let of_outputs = &of_outputs[..outs];
        let mut of_narrow = [0.0; NARROW];
        for (unit, (of_unit, sum)) in of_narrow.iter_mut().zip(&self.narrow).enumerate() {
            let row = last + unit * outs..last + (unit + 1) * outs;
            add_product(&mut gradient[row.clone()], activation(*sum), of_outputs);
            *of_unit = dot(&weights[row], of_outputs) * slope(*sum);
        }
        add_to(&mut gradient[last + NARROW * outs..of.end()], of_outputs);
        add_to(&mut gradient[biases..last], &of_narrow);
        let mut of_wide = [0.0; HIDDEN];
        for (unit, (of_unit, sum)) in of_wide.iter_mut().zip(&self.wide).enumerate() {
            let row = start + unit * NARROW..start + (unit + 1) * NARROW;
            add_product(&mut gradient[row.clone()], activation(*sum), &of_narrow);
            *of_unit = dot(&weights[row], &of_narrow) * slope(*sum);
        }
        let at = of.start();
        let bias = at + of.inputs() * HIDDEN;
        add_to(&mut gradient[bias..start], &of_wide);
        let mut of_inputs = [0.0; MOST_INPUTS];
        let inputs = of_inputs.iter_mut().zip(&self.inputs).take(of.inputs());
        for (input, (of_input, value)) in inputs.enumerate() {
            let row = at + input * HIDDEN..at + (input + 1) * HIDDEN;
            add_product(&mut gradient[row.clone()], *value, &of_wide);
            *of_input = dot(&weights[row], &of_wide);
        }
        of_inputs
    }
}

/// `to += factor * from`.
fn add_product(to: &mut [f32], factor: f32, from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (one, other) in one.chunks(8).zip(other.chunks(8)) {
        sums.iter_mut().zip(one.iter().zip(other)).for_each(|(sum, (one, other))| *sum += one * other);
    }
    sums.iter().sum()
}

fn add_to(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// The scores of what a step chose among, and the way back.
pub struct Evaluation<'a> {
    weights: &'a [f32],
    step: &'a Step,
    jobs: Vec<JobPass>,
    global: Pass,
    /// By choice: the scores.
    scores: Vec<Vec<Pass>>,
}

struct JobPass {
    /// By open stage.
    embeddings: Vec<Embedding>,
    /// To the parents; `None` for a stage without any that is open.
    messages: Vec<Option<Pass>>,
    /// From the children; `None` without any.
    sums: Vec<Option<Pass>>,
    to_job: Vec<Pass>,
    job: Pass,
    to_global: Pass,
}

impl<'a> Evaluation<'a> {
    /// Evaluates the network.
    pub fn new(weights: &'a [f32], step: &'a Step) -> Evaluation<'a> {
        let mut global_sum = [0.0; EMBEDDING];
        let jobs: Vec<JobPass> = step
            .jobs
            .iter()
            .map(|job| {
                let count = job.stages.len();
                let mut embeddings = vec![[0.0; EMBEDDING]; count];
                let mut messages: Vec<Option<Pass>> = vec![None; count];
                let mut sums = vec![None; count];
                let mut to_job: Vec<Option<Pass>> = vec![None; count];
                let mut job_sum = [0.0; EMBEDDING];
                // Children come first.
                for index in 0..count {
                    let stage = &job.stages[index];
                    let mut embedding = [0.0; EMBEDDING];
                    if !stage.children.is_empty() {
                        let mut sum = [0.0; EMBEDDING];
                        for &child in &stage.children {
                            let message = messages[child].as_ref().expect("a child has a parent");
                            add_to(&mut sum, &message.outputs);
                        }
                        let pass = Pass::forward(weights, STAGE_SUM, &[&sum]);
                        embedding = pass.outputs;
                        sums[index] = Some(pass);
                    }
                    add_to(&mut embedding, &stage.features);
                    embeddings[index] = embedding;
                    if stage.has_parent {
                        messages[index] = Some(Pass::forward(weights, STAGE_MESSAGE, &[&embedding]));
                    }
                    let pass = Pass::forward(weights, JOB_MESSAGE, &[&embedding]);
                    add_to(&mut job_sum, &pass.outputs);
                    to_job[index] = Some(pass);
                }
                let pass = Pass::forward(weights, JOB_SUM, &[&job_sum]);
                let to_global = Pass::forward(weights, GLOBAL_MESSAGE, &[&pass.outputs]);
                add_to(&mut global_sum, &to_global.outputs);
                JobPass {
                    embeddings,
                    messages,
                    sums,
                    to_job: to_job.into_iter().flatten().collect(),
                    job: pass,
                    to_global,
                }
            })
            .collect();
        let global = Pass::forward(weights, GLOBAL_SUM, &[&global_sum]);
        let z = &global.outputs;
        let cluster = &step.cluster;
        let scores = step
            .choices
            .iter()
            .map(|choice| match &choice.picked {
                Picked::Stage(candidates) => candidates
                    .iter()
                    .map(|&(job, stage)| {
                        let (pass, of) = (&jobs[job], &step.jobs[job]);
                        let parts: [&[f32]; 6] = [
                            &of.stages[stage].features,
                            &pass.embeddings[stage],
                            &pass.job.outputs,
                            &of.features,
                            z,
                            cluster,
                        ];
                        Pass::forward(weights, STAGE_SCORE, &parts)
                    })
                    .collect(),
                Picked::Limit(job, limits) => limits
                    .iter()
                    .map(|&limit| {
                        let (pass, of) = (&jobs[*job], &step.jobs[*job]);
                        let of_limit = JobCounts::limit(of.counts, limit);
                        let parts: [&[f32]; 5] = [&pass.job.outputs, &of.features, z, cluster, &of_limit];
                        Pass::forward(weights, LIMIT_SCORE, &parts)
                    })
                    .collect(),
            })
            .collect();
        Evaluation { weights, step, jobs, global, scores }
    }

    /// The scores of a choice.
    pub fn scores(&self, choice: usize) -> Vec<f32> {
        self.scores[choice].iter().map(|pass| pass.outputs[0]).collect()
    }

    /// Adds the gradient of the weights, given that of each score of each choice.
    pub fn backward(&self, gradient: &mut [f32], of_scores: &[Vec<f32>]) {
        let weights = self.weights;
        let mut of_embeddings: Vec<Vec<Embedding>> =
            self.jobs.iter().map(|job| vec![[0.0; EMBEDDING]; job.embeddings.len()]).collect();
        let mut of_jobs = vec![[0.0; EMBEDDING]; self.jobs.len()];
        let mut of_global = [0.0; EMBEDDING];
        for ((choice, passes), of_passes) in self.step.choices.iter().zip(&self.scores).zip(of_scores) {
            for (index, (pass, of_score)) in passes.iter().zip(of_passes).enumerate() {
                if *of_score == 0.0 {
                    continue;
                }
                let of_inputs = pass.backward(weights, gradient, &[*of_score]);
                match &choice.picked {
                    Picked::Stage(candidates) => {
                        let (job, stage) = candidates[index];
                        let at = STAGE_FEATURES;
                        add_to(&mut of_embeddings[job][stage], &of_inputs[at..at + EMBEDDING]);
                        let [at, global] = STAGE_SCORE_PARTS;
                        add_to(&mut of_jobs[job], &of_inputs[at..at + EMBEDDING]);
                        add_to(&mut of_global, &of_inputs[global..global + EMBEDDING]);
                    }
                    Picked::Limit(job, _) => {
                        let [global, _] = LIMIT_SCORE_PARTS;
                        add_to(&mut of_jobs[*job], &of_inputs[..EMBEDDING]);
                        add_to(&mut of_global, &of_inputs[global..global + EMBEDDING]);
                    }
                }
            }
        }
        let of_sum = self.global.backward(weights, gradient, &of_global);
        for (index, job) in self.jobs.iter().enumerate() {
            let back = job.to_global.backward(weights, gradient, &of_sum[..EMBEDDING]);
            add_to(&mut of_jobs[index], &back[..EMBEDDING]);
            let of_job_sum = job.job.backward(weights, gradient, &of_jobs[index]);
            let own = &mut of_embeddings[index];
            // Parents come last, and so first on the way back.
            for stage in (0..own.len()).rev() {
                let back = job.to_job[stage].backward(weights, gradient, &of_job_sum[..EMBEDDING]);
                add_to(&mut own[stage], &back[..EMBEDDING]);
                if let Some(sum) = &job.sums[stage] {
                    let back = sum.backward(weights, gradient, &own[stage]);
                    for &child in &self.step.jobs[index].stages[stage].children {
                        let message = job.messages[child].as_ref().expect("a child has a parent");
                        let to_child = message.backward(weights, gradient, &back[..EMBEDDING]);
                        add_to(&mut own[child], &to_child[..EMBEDDING]);
                    }
                }
            }
        }
    }
}

/// The weights' first values: the smaller the more inputs a unit has (He), and scores close to each other.
pub fn initial(random: &mut crate::random::Random) -> Vec<f32> {
    let mut weights = vec![0.0; PARAMETERS];
    let all = [
        STAGE_MESSAGE,
        STAGE_SUM,
        JOB_MESSAGE,
        JOB_SUM,
        GLOBAL_MESSAGE,
        GLOBAL_SUM,
        STAGE_SCORE,
        LIMIT_SCORE,
    ];
    for of in all {
        let wide = of.start()..of.start() + of.inputs() * HIDDEN;
        let narrow = second(of)..second(of) + HIDDEN * NARROW;
        let last = narrow.end + NARROW..narrow.end + NARROW + NARROW * of.outputs();
        for (range, deviation) in [
            (wide, (2.0 / of.inputs() as f64).sqrt()),
            (narrow, (2.0 / HIDDEN as f64).sqrt()),
            // Sums of many messages, and scores, begin small.
            (last, 0.05),
        ] {
            weights[range].iter_mut().for_each(|weight| *weight = (random.normal() * deviation) as f32);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::random::Random;
    use crate::rollout::{self, Mode, log_softmax};
    use crate::workload;

    fn steps(weights: &[f32], mode: Mode) -> Vec<Step> {
        let weights = Arc::new(Weights::new(weights.to_vec()).expect("weights"));
        rollout::run(&workload::batch(3), &weights, mode, 50, 1).steps
    }

    /// What was sampled by the policy's own evaluation has the probability that this one gives it.
    #[test]
    fn the_scores_are_those_of_the_policy() {
        let weights = initial(&mut Random::new(5));
        let steps = steps(&weights, Mode::Sampled);
        assert!(steps.len() > 10);
        for step in steps {
            let evaluation = Evaluation::new(&weights, &step);
            for (index, choice) in step.choices.iter().enumerate() {
                let log = log_softmax(&evaluation.scores(index))[choice.index];
                assert!(
                    (log - choice.log_probability).abs() < 1e-3,
                    "{log} against {}",
                    choice.log_probability
                );
            }
        }
    }

    /// Along random directions, against differences. A few of them cross a kink of an activation.
    #[test]
    fn gradients_are_differences() {
        let mut random = Random::new(6);
        let weights = initial(&mut random);
        let steps = steps(&weights, Mode::Teacher);
        let mut close = 0;
        for step in steps.iter().take(10) {
            let of_scores: Vec<Vec<f32>> = (0..step.choices.len())
                .map(|choice| {
                    Evaluation::new(&weights, step)
                        .scores(choice)
                        .iter()
                        .map(|_| random.normal() as f32)
                        .collect()
                })
                .collect();
            let value = |weights: &[f32]| -> f64 {
                let evaluation = Evaluation::new(weights, step);
                of_scores
                    .iter()
                    .enumerate()
                    .flat_map(|(choice, of)| {
                        evaluation
                            .scores(choice)
                            .into_iter()
                            .zip(of)
                            .map(|(score, of)| f64::from(score) * f64::from(*of))
                            .collect::<Vec<_>>()
                    })
                    .sum()
            };
            let mut gradient = vec![0.0; weights.len()];
            Evaluation::new(&weights, step).backward(&mut gradient, &of_scores);
            let direction: Vec<f32> = weights.iter().map(|_| random.normal() as f32).collect();
            let moved = |by: f32| -> Vec<f32> {
                weights.iter().zip(&direction).map(|(weight, by_one)| weight + by * by_one).collect()
            };
            let difference = (value(&moved(1e-5)) - value(&moved(-1e-5))) / 2e-5;
            let along: f64 = gradient
                .iter()
                .zip(&direction)
                .map(|(gradient, by)| f64::from(*gradient) * f64::from(*by))
                .sum();
            close += usize::from((difference - along).abs() < 0.01 * along.abs());
        }
        assert!(close >= 8, "{close} of 10");
    }
}
