//! The second pass: blocks become the steps of a lesson.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::blocks::{AnswerItem, Block, BlockKind, Blocks};
use super::challenge::ChallengeDraft;
use super::front::Front;
use super::instruction::{self, Instruction};
use super::scene::SceneText;
use super::student::Drawing;
use super::{
    Answers, Claim, Lesson, LessonFault, LessonFiles, LessonScene, LessonSeed, LessonStep, MAX_STEPS,
    Question, QuestionOption, Reveal, StepTarget, StyledText, TextBlock, TextStyle, Trial,
};

/// Most options of a question.
const MAX_OPTIONS: usize = 12;
/// What a fenced block contains that holds a scenario, or what draws one.
const SCENARIO_FORMATS: [&str; 2] = ["\"fairlane/scenario@", "\"fairlane/generator@"];

/// A step while it is put together.
struct Draft {
    step: LessonStep,
    scene: SceneText,
    scene_line: usize,
    reveal: Option<(usize, SceneText, Vec<StepTarget>)>,
    /// Whether the question has its answers: what follows explains them.
    is_answered: bool,
    challenge: ChallengeDraft,
}

/// Puts a lesson together.
pub(super) fn lesson(
    front: &Front,
    blocks: Blocks,
    files: &dyn LessonFiles,
    student: Option<&str>,
) -> Lesson {
    let mut lesson = Lesson {
        title: front.title.clone(),
        summary: front.summary.clone(),
        minutes: front.minutes,
        student: student.map(str::to_owned),
        seed: front.seed,
        due: front.due,
        own_faults: front.faults.iter().cloned().chain(blocks.faults).collect(),
        ..Lesson::default()
    };
    let scenarios = scenarios(&blocks.blocks, &mut lesson.own_faults);
    let mut drafts: Vec<Draft> = Vec::new();
    for block in blocks.blocks {
        match block.kind {
            BlockKind::Heading(1, _) => {
                let message =
                    "a lesson's title is in its front matter; write ## for a step and ### for a question";
                lesson.own_faults.push(LessonFault::new(block.line, message));
            }
            BlockKind::Heading(2, _) if drafts.len() >= MAX_STEPS => {
                let message = format!("a lesson has at most {MAX_STEPS} steps; divide it into several");
                lesson.own_faults.push(LessonFault::new(block.line, message));
                break;
            }
            BlockKind::Heading(2, title) => drafts.push(Draft::new(block.line, &title)),
            _ => match drafts.last_mut() {
                Some(draft) => draft.add(block),
                None => introduce(&mut lesson, block),
            },
        }
    }
    if drafts.is_empty() {
        let message = "the lesson has no step; begin one with a heading such as ## The straggler";
        lesson.own_faults.push(LessonFault::new(1, message));
    }
    let file = |source: &str| match source.split_once(':') {
        Some(("block", name)) => scenarios.get(name).cloned().map(Cow::Owned).ok_or_else(|| {
            format!("the document has no block {name:?}; begin one with the line ```json {name}")
        }),
        Some((_, name)) => files.text(name).map(Cow::Owned),
        None => Err(format!("{source:?} names no file")),
    };
    let drawing = Drawing::new(student.filter(|_| front.seed == LessonSeed::Student));
    let sound = |scene: &SceneText| sound(scene, file, &drawing);
    let wrong = sound(&front.scene).err();
    if let Some(message) = wrong.clone() {
        lesson.own_faults.push(LessonFault::new(front.scene_line, message));
    }
    lesson.steps = drafts.into_iter().map(|draft| draft.finish(front, wrong.as_deref(), sound)).collect();
    if front.seed == LessonSeed::Student && !drawing.has_drawn() {
        let message = "no scenario is drawn, so that all students have the same; write a scene whose source is a \
                       generator's file or block";
        lesson.own_faults.push(LessonFault::warning(front.seed_line, message));
    }
    lesson
}

/// A scene whose scenario can be read.
fn sound(
    scene: &SceneText,
    file: impl Fn(&str) -> Result<Cow<'static, str>, String>,
    drawing: &Drawing,
) -> Result<LessonScene, String> {
    let scene = drawing.drawn(scene.resolved(file)?)?;
    match scene.scenario() {
        Ok(_) => Ok(scene),
        Err(error) => Err(format!("the scenario cannot be read: {error}")),
    }
}

/// The scenarios in fenced blocks, by name.
fn scenarios(blocks: &[Block], faults: &mut Vec<LessonFault>) -> BTreeMap<String, String> {
    let mut scenarios = BTreeMap::new();
    for Block { line, kind } in blocks {
        if let BlockKind::Code { info, code } = kind
            && is_scenario(info, code)
        {
            let name = info.split_whitespace().nth(1).unwrap_or_default();
            if scenarios.insert(name.to_owned(), code.clone()).is_some() {
                let message = format!(
                    "a second scenario is called {name:?}; give each a name, such as ```json busy for block:busy"
                );
                faults.push(LessonFault::new(*line, message));
            }
        }
    }
    scenarios
}

fn is_scenario(info: &str, code: &str) -> bool {
    info.split_whitespace().next() == Some("json")
        && SCENARIO_FORMATS.iter().any(|format| code.contains(format))
}

/// Adds a block in front of the first step.
fn introduce(lesson: &mut Lesson, block: Block) {
    let fault = |message: &str| LessonFault::new(block.line, message);
    match block.kind {
        BlockKind::Text(text) => lesson.introduction.push(text),
        BlockKind::Code { info, code } if !is_scenario(&info, &code) => {
            lesson.introduction.push(TextBlock::Code(code));
        }
        BlockKind::Code { .. } => {}
        BlockKind::Heading(3, _) | BlockKind::Answers(_) => {
            lesson.own_faults.push(fault("a question belongs to a step; begin one with ## in front of it"));
        }
        BlockKind::Heading(_, words) => lesson.introduction.push(TextBlock::Text(words)),
        BlockKind::Comment(comment) => match instruction::read(&comment) {
            None => {}
            Some(Err(message)) => lesson.own_faults.push(fault(&message)),
            Some(Ok(Instruction::Demo(demo))) => lesson.demo = Some(demo),
            Some(Ok(_)) => lesson
                .own_faults
                .push(fault("an instruction belongs to a step; begin one with ## in front of it")),
        },
    }
}

impl Draft {
    fn new(line: usize, title: &[StyledText]) -> Draft {
        let is_figure = |piece: &StyledText| piece.style == TextStyle::Figure;
        let fault = title
            .iter()
            .any(is_figure)
            .then(|| LessonFault::new(line, "the title of a step has no figures; write them in its text"));
        let title = title.iter().map(|piece| piece.words.as_str()).collect();
        let step = LessonStep { line, faults: fault.into_iter().collect(), ..LessonStep::empty(title) };
        Draft {
            step,
            scene: SceneText::default(),
            scene_line: line,
            reveal: None,
            is_answered: false,
            challenge: ChallengeDraft::default(),
        }
    }

    fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.step.faults.push(LessonFault::new(line, message));
    }

    fn add(&mut self, block: Block) {
        let line = block.line;
        match block.kind {
            BlockKind::Text(text) => self.text(line, text),
            BlockKind::Code { info, code } if is_scenario(&info, &code) => {}
            BlockKind::Code { code, .. } => self.text(line, TextBlock::Code(code)),
            BlockKind::Heading(3, words) => self.ask(line, words),
            BlockKind::Heading(_, words) => self.text(line, TextBlock::Text(words)),
            BlockKind::Answers(items) => self.answer(line, items),
            BlockKind::Comment(comment) => match instruction::read(&comment) {
                None => {}
                Some(Err(message)) => self.fault(line, message),
                Some(Ok(instruction)) => self.instruct(line, instruction),
            },
        }
    }

    fn text(&mut self, line: usize, text: TextBlock) {
        match &mut self.step.question {
            Some(question) if self.is_answered => question.explanation.push(text),
            Some(_) => {
                self.fault(
                    line,
                    "this text is between a question and its answers; write it in front of the question",
                );
            }
            None => self.step.text.push(text),
        }
    }

    fn ask(&mut self, line: usize, words: Vec<StyledText>) {
        if self.step.question.is_some() {
            return self.fault(line, "a step asks one question; begin another step with ##");
        }
        self.step.question = Some(Question {
            line,
            words,
            answers: Answers::Options(Vec::new()),
            explanation: Vec::new(),
            reveal: None,
        });
    }

    fn answer(&mut self, line: usize, items: Vec<AnswerItem>) {
        let Some(question) = self.step.question.as_mut().filter(|_| !self.is_answered) else {
            return self.fault(
                line,
                "these answers belong to no question; write ### and the question in front of them",
            );
        };
        match answers(items) {
            Ok(answers) => question.answers = answers,
            Err((line, message)) => self.step.faults.push(LessonFault::new(line, message)),
        }
        self.is_answered = true;
    }

    fn instruct(&mut self, line: usize, instruction: Instruction) {
        match instruction {
            Instruction::Scene(scene, targets) => {
                self.scene = scene;
                self.scene_line = line;
                self.step.targets = targets;
            }
            Instruction::Reveal(scene, targets) => match self.step.question {
                Some(_) => self.reveal = Some((line, scene, targets)),
                None => self
                    .fault(line, "nothing is revealed without a question; write ### and the question before"),
            },
            Instruction::Claim(text) => self.step.claims.push(Claim { line, text }),
            Instruction::Try(edits, claims) => {
                let claims = claims.into_iter().map(|text| Claim { line, text }).collect();
                self.step.trials.push(Trial { line, claims, edits });
            }
            Instruction::Walk(job) => self.text(line, TextBlock::Walk(job)),
            Instruction::Challenge(part) => self.challenge.add(line, part),
            Instruction::Demo(_) => {
                self.fault(line, "a live figure is in front of the first step; move it there")
            }
        }
    }

    fn finish(
        mut self,
        front: &Front,
        wrong: Option<&str>,
        sound: impl Fn(&SceneText) -> Result<LessonScene, String>,
    ) -> LessonStep {
        if let Some(question) = self.step.question.as_ref().filter(|_| !self.is_answered) {
            let line = question.line;
            self.fault(
                line,
                "the question has no answers; write a list with - [ ] and - [x], or - [=] {a figure}",
            );
        }
        self.step.scene_line = self.scene_line;
        let scene = self.scene.over(&front.scene);
        // What is wrong with the front matter has been said.
        match sound(&scene) {
            Ok(resolved) => self.step.scene = resolved,
            Err(message) if wrong != Some(message.as_str()) => self.fault(self.scene_line, message),
            Err(_) => {}
        }
        if let Some((line, reveal, targets)) = self.reveal.take() {
            match sound(&reveal.over(&scene)) {
                Ok(revealed) => {
                    if !revealed.has_scenario_of(&self.step.scene) {
                        self.fault(line, "an answer reveals no other scenario; show it in another step");
                    }
                    let reveal = Some(Reveal { line, scene: revealed, targets });
                    self.step.question.iter_mut().for_each(|question| question.reveal.clone_from(&reveal));
                }
                Err(message) => self.fault(line, message),
            }
        }
        match std::mem::take(&mut self.challenge).finish(&self.step) {
            Ok(challenge) => self.step.challenge = challenge.map(Box::new),
            Err((line, message)) => self.fault(line, message),
        }
        self.step
    }
}

/// The answers of a list.
fn answers(items: Vec<AnswerItem>) -> Result<Answers, (usize, String)> {
    let line = items.first().map_or(1, |item| item.line);
    let is_number = |item: &&AnswerItem| item.is_ticked.is_none();
    match items.as_slice() {
        [item] if is_number(&item) => number(item).ok_or_else(|| {
            let message = "a number is asked for by - [=] {expression} ± 10 %, such as - [=] {response fair query} ± 10 %";
            (line, message.to_owned())
        }),
        _ if items.len() > MAX_OPTIONS => Err((line, format!("a question has at most {MAX_OPTIONS} answers"))),
        _ => {
            if let Some(item) = items.iter().find(is_number) {
                let message = "every answer begins with - [ ], the right ones with - [x]".to_owned();
                return Err((item.line, message));
            }
            if items.iter().all(|item| item.is_ticked == Some(false)) {
                return Err((line, "no answer is right; tick at least one by - [x]".to_owned()));
            }
            if items.len() < 2 {
                return Err((line, "there is nothing to choose; give two answers or more".to_owned()));
            }
            let option = |item: AnswerItem| QuestionOption {
                words: item.words,
                is_right: item.is_ticked == Some(true),
            };
            Ok(Answers::Options(items.into_iter().map(option).collect()))
        }
    }
}

/// `[=] {figure} ± 10 %`; without a tolerance it is one percent.
fn number(item: &AnswerItem) -> Option<Answers> {
    let [mark, figure, rest @ ..] = item.words.as_slice() else { return None };
    let plain: String = rest.iter().map(|piece| piece.words.as_str()).collect();
    let tolerance = match plain.trim() {
        "" => Some(1.0),
        words => words.strip_prefix('±').and_then(|words| words.strip_suffix('%')).and_then(|words| {
            words.trim().parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent))
        }),
    };
    let is_sound = mark.words.trim() == "[=]" && figure.style == TextStyle::Figure;
    let figure = figure.words.clone();
    let line = item.line;
    tolerance.filter(|_| is_sound).map(|tolerance_percent| Answers::Number {
        figure,
        tolerance_percent,
        line,
    })
}
