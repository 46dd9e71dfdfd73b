//! The first pass: paragraphs, headings, lists, tables, code and comments of a Markdown text, each with its line.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::inline::Inline;
use super::{LessonFault, StyledText, TextBlock, TextStyle};

/// A part of a document at the outermost level.
#[derive(Debug)]
pub(super) struct Block {
    /// Its first line in the document.
    pub(super) line: usize,
    pub(super) kind: BlockKind,
}

#[derive(Debug)]
pub(super) enum BlockKind {
    /// A heading of a level from 1 to 6.
    Heading(u8, Vec<StyledText>),
    /// Something to be read.
    Text(TextBlock),
    /// A list with boxes to tick, or whose items begin with `[=]`: the answers to a question.
    Answers(Vec<AnswerItem>),
    /// A fenced block of code with the words behind its fence.
    Code { info: String, code: String },
    /// What is between `<!--` and `-->`.
    Comment(String),
}

/// An item of a list of answers.
#[derive(Debug)]
pub(super) struct AnswerItem {
    pub(super) line: usize,
    /// Whether its box is ticked; `None` if it has none.
    pub(super) is_ticked: Option<bool>,
    pub(super) words: Vec<StyledText>,
}

/// The blocks of a document, and what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    pub(super) faults: Vec<LessonFault>,
}

/// Reads a text that begins at a line of the document.
pub(super) fn read(text: &str, first_line: usize) -> Blocks {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut reader = BlockReader::new(text, first_line);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.event(event, range.start);
    }
    reader.done
}

struct BlockReader<'a> {
    text: &'a str,
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
    first_line: usize,
    done: Blocks,
    inline: Inline,
    /// Where the block began whose text is under way.
    block_line: usize,
    lists: usize,
    list: ListReader,
    table: Vec<Vec<Vec<StyledText>>>,
    code: Option<(String, String)>,
    html: Option<String>,
}

#[derive(Default)]
struct ListReader {
    line: usize,
    first: Option<u64>,
    items: Vec<AnswerItem>,
    item_line: usize,
    is_ticked: Option<bool>,
}

impl<'a> BlockReader<'a> {
    fn new(text: &'a str, first_line: usize) -> BlockReader<'a> {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
        BlockReader {
            text,
            lines: ends.collect(),
            first_line,
            done: Blocks::default(),
            inline: Inline::default(),
            block_line: first_line,
            lists: 0,
            list: ListReader::default(),
            table: Vec::new(),
            code: None,
            html: None,
        }
    }

    /// The line of the document at a byte of the text.
    fn line(&self, at: usize) -> usize {
        self.first_line + self.lines.partition_point(|&start| start <= at)
    }

    fn event(&mut self, event: Event<'_>, at: usize) {
        self.inline.at_line(self.line(at));
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => match (&mut self.code, &mut self.html) {
                (Some((_, code)), _) => code.push_str(&words),
                (None, Some(html)) => html.push_str(&words),
                (None, None) => {
                    let is_escaped = self.text[..at].ends_with('\\');
                    self.inline.text(&words, is_escaped);
                }
            },
            Event::Code(words) => self.inline.styled(TextStyle::Code, &words),
            Event::Html(html) => self.html.get_or_insert_default().push_str(&html),
            Event::InlineHtml(html) => {
                let line = self.line(at);
                self.comments(&html, line);
            }
            Event::SoftBreak | Event::HardBreak => self.inline.text(" ", false),
            Event::TaskListMarker(is_ticked) => self.list.is_ticked = Some(is_ticked),
            // Extensions that are not asked for, and lines across the page.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) | Event::Rule => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        let line = self.line(at);
        if self.inline.is_empty() {
            self.block_line = line;
        }
        match tag {
            Tag::List(first) => {
                self.item();
                self.lists += 1;
                if self.lists == 1 {
                    self.list = ListReader { line, first, ..ListReader::default() };
                }
            }
            Tag::Item => {
                self.item();
                self.list.item_line = line;
            }
            // A further paragraph of an item.
            Tag::Paragraph if self.lists > 0 && !self.inline.is_empty() => self.inline.text(" ", false),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.block_line = line;
                self.code = Some((info, String::new()));
            }
            Tag::HtmlBlock => {
                self.block_line = line;
                self.html = Some(String::new());
            }
            Tag::Table(_) => self.table.clear(),
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            Tag::Strong => self.inline.strong(1),
            Tag::Emphasis => self.inline.emphasis(1),
            Tag::Link { dest_url, .. } => self.inline.link(Some(dest_url.into_string())),
            Tag::Image { dest_url, .. } => self.inline.image(Some(dest_url.into_string())),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph if self.lists == 0 => self.paragraph(),
            TagEnd::Heading(level) => {
                let words = self.inlined();
                self.push(BlockKind::Heading(number_of(level), words));
            }
            TagEnd::Item => self.item(),
            TagEnd::List(_) => {
                self.lists = self.lists.saturating_sub(1);
                if self.lists == 0 {
                    self.finish_list();
                }
            }
            TagEnd::TableCell => {
                let cell = self.inlined();
                self.table.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => {
                let mut rows = std::mem::take(&mut self.table).into_iter();
                let head = rows.next().unwrap_or_default();
                self.push(BlockKind::Text(TextBlock::Table { head, rows: rows.collect() }));
            }
            TagEnd::CodeBlock => {
                if let Some((info, code)) = self.code.take() {
                    self.push(BlockKind::Code { info, code });
                }
            }
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.comments(&html, self.block_line);
                if self.lists == 0 {
                    self.paragraph();
                }
            }
            TagEnd::Strong => self.inline.strong(-1),
            TagEnd::Emphasis => self.inline.emphasis(-1),
            TagEnd::Link => self.inline.link(None),
            TagEnd::Image => self.inline.image(None),
            _ => {}
        }
    }

    /// Divides HTML into comments, which may instruct, and anything else, which is text.
    fn comments(&mut self, html: &str, line: usize) {
        let mut rest = html;
        let mut line = line;
        while let Some((before, after)) = rest.split_once("<!--") {
            self.inline.text(before.trim(), false);
            line += before.matches('\n').count();
            let Some((comment, behind)) = after.split_once("-->") else {
                self.fault(line, "the comment does not end; write --> behind it");
                return;
            };
            let kind = BlockKind::Comment(comment.trim().to_owned());
            self.done.blocks.push(Block { line, kind });
            line += comment.matches('\n').count();
            rest = behind;
        }
        self.inline.text(rest.trim_end_matches('\n'), false);
    }

    fn paragraph(&mut self) {
        if !self.inline.is_empty() {
            let words = self.inlined();
            self.push(BlockKind::Text(TextBlock::Text(words)));
        }
    }

    /// Ends an item of a list, unless nothing has been said since the last one.
    fn item(&mut self) {
        if self.lists > 0 && (!self.inline.is_empty() || self.list.is_ticked.is_some()) {
            self.block_line = self.list.item_line;
            let words = self.inlined();
            let item = AnswerItem { line: self.list.item_line, is_ticked: self.list.is_ticked.take(), words };
            self.list.items.push(item);
        }
    }

    fn finish_list(&mut self) {
        let ListReader { line, first, items, .. } = std::mem::take(&mut self.list);
        self.block_line = line;
        let is_answer = |item: &AnswerItem| {
            item.is_ticked.is_some() || item.words.first().is_some_and(|piece| piece.words.starts_with("[=]"))
        };
        self.push(match items.iter().any(is_answer) {
            true => BlockKind::Answers(items),
            false => {
                let items = items.into_iter().map(|item| item.words).collect();
                BlockKind::Text(TextBlock::List { first, items })
            }
        });
    }

    fn inlined(&mut self) -> Vec<StyledText> {
        let (words, is_open) = self.inline.finish();
        if is_open {
            let message = "the brace of a figure is never closed; write } behind it, or \\{ for a brace";
            self.fault(self.block_line, message);
        }
        words
    }

    fn push(&mut self, kind: BlockKind) {
        self.done.blocks.push(Block { line: self.block_line, kind });
    }

    fn fault(&mut self, line: usize, message: &str) {
        self.done.faults.push(LessonFault::new(line, message));
    }
}

fn number_of(level: HeadingLevel) -> u8 {
    level as u8
}
