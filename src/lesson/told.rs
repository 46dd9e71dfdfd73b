//! A step as it is told: its texts with the figures in them.

use super::{Block, FactError, Facts, Piece, Step, Walk, pieces, walk};

/// A piece of a text with its figure told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Plain words.
    Plain(String),
    /// Words that stand out.
    Strong(String),
    /// Words with emphasis.
    Emphasis(String),
    /// Something in the policy's own terms.
    Code(String),
    /// A figure.
    Figure(String),
}

/// A block as it is told.
#[derive(Clone, Debug, PartialEq)]
pub enum ToldBlock {
    /// A paragraph.
    Text(Vec<Told>),
    /// A list.
    Points(Vec<Vec<Told>>),
    /// A table.
    Table {
        /// The headings.
        head: Vec<Vec<Told>>,
        /// The rows.
        rows: Vec<Vec<Vec<Told>>>,
    },
    /// An algorithm line by line.
    Walk(Walk),
}

/// A question as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldGuess {
    /// The question.
    pub question: Vec<Told>,
    /// The answers to choose from.
    pub options: Vec<Vec<Told>>,
    /// The place of the right one.
    pub right: usize,
    /// Why.
    pub answer: Vec<ToldBlock>,
}

/// Tells a step: its text, and its question if it asks one.
///
/// # Errors
/// The first figure that cannot be told; a test tells every step.
pub fn tell(step: &Step, facts: &Facts) -> Result<(Vec<ToldBlock>, Option<ToldGuess>), FactError> {
    let text = blocks(step.text, facts)?;
    let guess = match &step.guess {
        Some(guess) => Some(ToldGuess {
            question: line(guess.question, facts)?,
            options: lines(guess.options, facts)?,
            right: guess.right,
            answer: blocks(guess.answer, facts)?,
        }),
        None => None,
    };
    Ok((text, guess))
}

fn blocks(blocks: &[Block], facts: &Facts) -> Result<Vec<ToldBlock>, FactError> {
    let told = |block: &Block| {
        Ok(match *block {
            Block::Text(text) => ToldBlock::Text(line(text, facts)?),
            Block::Points(points) => ToldBlock::Points(lines(points, facts)?),
            Block::Table { head, rows } => ToldBlock::Table {
                head: lines(head, facts)?,
                rows: rows.iter().map(|row| lines(row, facts)).collect::<Result<_, _>>()?,
            },
            Block::Walk(job) => ToldBlock::Walk(walk(facts, job)?),
        })
    };
    blocks.iter().map(told).collect()
}

fn lines(texts: &[&str], facts: &Facts) -> Result<Vec<Vec<Told>>, FactError> {
    texts.iter().map(|text| line(text, facts)).collect()
}

fn line(text: &str, facts: &Facts) -> Result<Vec<Told>, FactError> {
    let told = |piece: Piece<'_>| {
        Ok(match piece {
            Piece::Plain(words) => Told::Plain(words.to_owned()),
            Piece::Strong(words) => Told::Strong(words.to_owned()),
            Piece::Emphasis(words) => Told::Emphasis(words.to_owned()),
            Piece::Code(words) => Told::Code(words.to_owned()),
            Piece::Figure(figure) => Told::Figure(facts.tell(figure)?),
        })
    };
    pieces(text).into_iter().map(told).collect()
}

impl Told {
    /// The words alone.
    pub fn words(&self) -> &str {
        match self {
            Told::Plain(words)
            | Told::Strong(words)
            | Told::Emphasis(words)
            | Told::Code(words)
            | Told::Figure(words) => words,
        }
    }
}
