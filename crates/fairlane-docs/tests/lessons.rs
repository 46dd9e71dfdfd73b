//! The guide's pages of the lessons: the documents of `lessons/` with their figures, generated.

use std::{env, fs};

use fairlane_study::lesson::document::{
    Answers, Lesson, LessonDemo, LessonStep, Question, StyledText, TextBlock, TextStyle,
};
use fairlane_study::lesson::{LessonFacts, lessons, walk};

use crate::guide::{REWRITE, wrapped};
use crate::recorded;
use crate::root;

#[test]
fn the_pages_of_the_lessons_are_their_documents() {
    let mut stale = Vec::new();
    for lesson in lessons() {
        let path = root().join(format!("docs/lessons/{}.md", lesson.id));
        let expected = page(lesson);
        if env::var_os(REWRITE).is_some() {
            fs::write(&path, &expected).expect("a writable page");
        } else if fs::read_to_string(&path).ok() != Some(expected) {
            stale.push(lesson.id.as_str());
        }
    }
    assert!(
        stale.is_empty(),
        "the pages of {} are not what lessons/*.md say: run this test with {REWRITE}=1",
        stale.join(", ")
    );
}

/// A lesson's page: its introduction, the live figure, and its steps with folded answers.
fn page(lesson: &Lesson) -> String {
    let mut text = format!("# {}\n", lesson.title);
    let first = recorded::facts(&lesson.steps[0].scene);
    let writer = PageWriter { facts: &first };
    text += &writer.blocks(&lesson.introduction);
    text += &lesson.demo.as_ref().map(|of| demo(lesson, of)).unwrap_or_default();
    for (number, step) in (1..).zip(&lesson.steps) {
        let facts = recorded::facts(&step.scene);
        text += &PageWriter { facts: &facts }.step(&format!("lesson:{}/{number}", lesson.id), step);
    }
    // Documents lead to the guide from their own folder.
    text.replace("](../docs/", "](../")
}

/// The element of the live figure, and a picture for who has no scripts.
fn demo(lesson: &Lesson, LessonDemo { step, attributes, height, label }: &LessonDemo) -> String {
    let attribute = |(name, value): &(String, String)| match value.is_empty() {
        true => format!(" {name}"),
        false => format!(" {name}=\"{value}\""),
    };
    let attributes: String = attributes.iter().map(attribute).collect();
    let tag = format!("<fairlane-demo session=\"lesson:{}/{step}\"\n {attributes}", lesson.id);
    format!(
        "\n<div class=\"demo\">\n{tag}\n  label=\"{label}\"\n  style=\"display: block; height: {height}px\">\n\
         <a href=\"../../#lesson:{0}/1\"><img src=\"../img/lesson-{0}.png\" loading=\"lazy\"\n  alt=\"{label}\"></a>\n\
         </fairlane-demo>\n</div>\n",
        lesson.id
    )
}

struct PageWriter<'a> {
    facts: &'a LessonFacts,
}

impl PageWriter<'_> {
    fn step(&self, place: &str, step: &LessonStep) -> String {
        let mut text = format!("\n## {}\n", step.title);
        text += &self.blocks(&step.text);
        if let Some(question) = &step.question {
            text += &self.question(question);
        }
        text + &format!("\n[Take this step in the lab](../../#{place})\n")
    }

    fn question(&self, question: &Question) -> String {
        let mut text = format!("\n{}", wrapped(&format!("**{}**", self.words(&question.words)), ""));
        let mut answer = String::new();
        match &question.answers {
            Answers::Options(options) => {
                text += "\n";
                for option in options {
                    text += &wrapped(&format!("- {}", self.words(&option.words)), "  ");
                    if option.is_right {
                        answer += &format!("\n{}", wrapped(&format!("*{}*", self.words(&option.words)), ""));
                    }
                }
            }
            Answers::Number { figure, .. } => {
                let figure = self.facts.evaluate(figure).unwrap_or_else(|error| panic!("{error}"));
                answer += &format!("\n*{figure}*\n");
            }
        }
        answer += &self.blocks(&question.explanation);
        text + &format!("\n<details><summary>Answer</summary>\n{answer}\n</details>\n")
    }

    fn blocks(&self, blocks: &[TextBlock]) -> String {
        blocks.iter().map(|block| format!("\n{}", self.block(block))).collect()
    }

    fn block(&self, block: &TextBlock) -> String {
        match block {
            TextBlock::Text(words) => wrapped(&self.words(words), ""),
            TextBlock::List { first, items } => {
                let item = |(index, words): (u64, &Vec<StyledText>)| {
                    let mark = first.map_or("-".to_owned(), |first| format!("{}.", first + index));
                    wrapped(&format!("{mark} {}", self.words(words)), &" ".repeat(mark.len() + 1))
                };
                (0..).zip(items).map(item).collect()
            }
            TextBlock::Table { head, rows } => {
                let row = |cells: &Vec<Vec<StyledText>>| {
                    let cells: Vec<String> = cells.iter().map(|cell| self.words(cell)).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                let lines = format!("|{}\n", "---|".repeat(head.len()));
                row(head) + &lines + &rows.iter().map(row).collect::<String>()
            }
            TextBlock::Code(code) => format!("```text\n{code}```\n"),
            TextBlock::Walk(job) => {
                let walk = walk(self.facts, job).unwrap_or_else(|error| panic!("{error}"));
                let line = |line: fairlane_study::lesson::AlgorithmLine| {
                    let state: Vec<String> = line.state.iter().map(|state| format!("`{state}`")).collect();
                    wrapped(&format!("- {}: {} {}", line.number, line.words, state.join(", ")), "  ")
                };
                let title = format!("Algorithm 1 as {} arrives at {}:\n\n", walk.job, walk.at);
                title + &walk.lines.into_iter().map(line).collect::<String>()
            }
        }
    }

    /// Words as Markdown.
    fn words(&self, words: &[StyledText]) -> String {
        let piece = |StyledText { style, words, .. }: &StyledText| match style {
            TextStyle::Plain => words.replace('<', "&lt;"),
            TextStyle::Strong => format!("**{words}**"),
            TextStyle::Emphasis => format!("*{words}*"),
            TextStyle::Code => format!("`{words}`"),
            TextStyle::Figure => self.facts.evaluate(words).unwrap_or_else(|error| panic!("{error}")),
            TextStyle::Link(to) => format!("[{words}]({to})"),
            TextStyle::Image(source) => format!("![{words}]({source})"),
        };
        words.iter().map(piece).collect()
    }
}
