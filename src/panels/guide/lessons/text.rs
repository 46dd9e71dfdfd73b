//! The texts of a step, with the figures that the simulator computes.

use yew::prelude::*;

use crate::ui::table::{Table, columns, plain_row};
use fairlane_study::lesson::document::{StyledText, TextBlock, TextStyle};
use fairlane_study::lesson::{LessonFacts, walk};

/// Texts about a scenario; `None` if it cannot be read, which leaves figures as they are written.
#[derive(Clone, Copy)]
pub struct StepText<'a> {
    pub facts: Option<&'a LessonFacts>,
}

impl StepText<'_> {
    /// Words in their styles.
    pub fn words(self, words: &[StyledText]) -> Html {
        let piece = |piece: &StyledText| {
            let words = &piece.words;
            match &piece.style {
                TextStyle::Plain => html! { { words } },
                TextStyle::Strong => html! { <b>{ words }</b> },
                TextStyle::Emphasis => html! { <em>{ words }</em> },
                TextStyle::Code => html! { <code>{ words }</code> },
                TextStyle::Figure => self.figure(words),
                TextStyle::Link(to) if is_web(to) => {
                    html! { <a href={to.clone()} target="_blank" rel="noopener noreferrer">{ words }</a> }
                }
                TextStyle::Image(source) if source.starts_with("data:image/") => {
                    html! { <img src={source.clone()} alt={words.clone()} /> }
                }
                // Nothing is loaded unasked, and no other scheme is followed.
                TextStyle::Link(_) | TextStyle::Image(_) => html! { { words } },
            }
        };
        words.iter().map(piece).collect()
    }

    /// A figure; one that cannot be computed stays in its braces, and the card says why.
    fn figure(self, expression: &str) -> Html {
        match self.facts.and_then(|facts| facts.evaluate(expression).ok()) {
            Some(figure) => html! { <span class="figure">{ figure }</span> },
            None => html! { <span class="figure unknown">{ format!("{{{expression}}}") }</span> },
        }
    }

    /// Blocks of text.
    pub fn blocks(self, blocks: &[TextBlock]) -> Html {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(self, block: &TextBlock) -> Html {
        match block {
            TextBlock::Text(words) => html! { <p>{ self.words(words) }</p> },
            TextBlock::Code(code) => html! { <pre><code>{ code }</code></pre> },
            TextBlock::List { first, items } => {
                let items: Html = items.iter().map(|item| html! { <li>{ self.words(item) }</li> }).collect();
                match first {
                    Some(first) => html! { <ol start={first.to_string()}>{ items }</ol> },
                    None => html! { <ul>{ items }</ul> },
                }
            }
            TextBlock::Table { head, rows } => {
                let cells =
                    |cells: &[Vec<StyledText>]| cells.iter().map(|cell| self.words(cell)).collect::<Vec<_>>();
                let rows = rows.iter().filter_map(|row| row.split_first());
                let rows = rows.map(|(first, rest)| plain_row(self.words(first), cells(rest)));
                html! { <Table columns={columns(cells(head))}>{ for rows }</Table> }
            }
            TextBlock::Walk(job) => self.walk(job),
        }
    }

    /// UWFQ's Algorithm 1 line by line as a job arrives; nothing if it cannot be followed.
    fn walk(self, job: &str) -> Html {
        let Some(walk) = self.facts.and_then(|facts| walk(facts, job).ok()) else { return Html::default() };
        html! {
            <Table class="walk" caption={format!("Algorithm 1 as {} arrives at {}", walk.job, walk.at)}
                columns={columns(["line", "what happens, and the state after it"])}>
                { for walk.lines.iter().map(|line| plain_row(line.number, [html! {
                    <>{ &line.words }{ for line.state.iter().map(|state| html! { <code>{ state }</code> }) }</>
                }])) }
            </Table>
        }
    }
}

/// Whether an address is one of the web.
fn is_web(address: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme))
}
