//! What an expression that is being written may become, each with its present value.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use fairlane_study::lesson::Completion;

/// Most expressions that are offered.
pub const MAX_OFFERED: usize = 8;

/// The beginning of an expression before the caret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What is written of it.
    pub text: String,
    /// Where it begins and where the caret is, in UTF-16 units, as browsers count.
    pub span: (u32, u32),
    /// The line, from 1.
    pub line: usize,
    /// Whether it stands in a brace that is still to be closed.
    pub is_open: bool,
}

impl Written {
    /// That before the caret of a text area; `None` where no expression is written, or something is selected.
    pub fn at_caret(area: &HtmlTextAreaElement) -> Option<Written> {
        let at = area.selection_start().ok().flatten()?;
        if area.selection_end().ok().flatten()? != at {
            return None;
        }
        Written::at(&area.value(), at)
    }

    fn at(text: &str, caret: u32) -> Option<Written> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let before = String::from_utf16(units.get(..caret as usize)?).ok()?;
        let line = 1 + before.matches('\n').count();
        let behind = String::from_utf16(&units[caret as usize..]).ok()?;
        let (behind, before) = (behind.split('\n').next().unwrap_or_default(), before.rsplit('\n').next()?);
        let in_braces = before.rsplit_once('{').map(|(_, rest)| rest).filter(|rest| !rest.contains('}'));
        let in_claim = || {
            let (_, comment) = before.rsplit_once("<!--").filter(|(_, rest)| !rest.contains("-->"))?;
            comment.rsplit_once("claim:").map(|(_, rest)| rest)
        };
        let whole = in_braces.or_else(in_claim)?;
        // The last term of a sum or a comparison.
        let term =
            OPERATORS.iter().fold(whole, |rest, operator| rest.rsplit(operator).next().unwrap_or(rest));
        let term = term.trim_start_matches(['#', ' ']);
        let is_open = in_braces.is_some() && !behind.contains('}');
        let length = term.encode_utf16().count() as u32;
        (!whole.contains('@')).then(|| Written {
            text: term.to_owned(),
            span: (caret - length, caret),
            line,
            is_open,
        })
    }

    /// Puts an expression in its place; the text as it is then.
    pub fn replace(&self, area: &HtmlTextAreaElement, completion: &Completion) -> String {
        let closes = self.is_open && completion.value.is_some();
        let more = format!("{}{}", completion.text, if closes { "}" } else { "" });
        let (from, to) = self.span;
        // It fails for no span within the text.
        let _ = area.set_range_text_with_start_and_end(&more, from, to);
        let caret = from + more.encode_utf16().count() as u32;
        let _ = area.set_selection_range(caret, caret);
        area.value()
    }
}

/// What stands between terms.
const OPERATORS: [&str; 10] = [" + ", " - ", " * ", " / ", " % ", " <= ", " >= ", " < ", " > ", " = "];

#[derive(Properties, PartialEq)]
pub struct CompletionsProps {
    pub found: std::rc::Rc<Vec<Completion>>,
    /// The one that Enter takes.
    pub chosen: usize,
    pub take: Callback<usize>,
}

/// The id of an expression that is offered.
pub fn id(index: usize) -> String {
    format!("completion-{index}")
}

/// The expressions, below the document.
#[component]
pub fn Completions(props: &CompletionsProps) -> Html {
    let option = |(index, completion): (usize, &Completion)| {
        // The document keeps the focus.
        let onpointerdown = Callback::from(|event: PointerEvent| event.prevent_default());
        let onclick = props.take.reform(move |_: MouseEvent| index);
        html! {
            <li role="option" id={id(index)} key={index} aria-selected={(index == props.chosen).to_string()}
                {onpointerdown} {onclick}>
                <code>{ &completion.text }</code>
                <b>{ completion.value.clone().unwrap_or_else(|| completion.form.to_owned()) }</b>
                <span>{ completion.meaning }</span>
            </li>
        }
    };
    html! {
        <ul class="completions" id="completions" role="listbox" aria-label="Expressions with their present values"
            hidden={props.found.is_empty()}>
            { for props.found.iter().enumerate().map(option) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(before: &str, behind: &str) -> Option<(String, bool)> {
        let caret = before.encode_utf16().count() as u32;
        let written = Written::at(&format!("{before}{behind}"), caret)?;
        assert_eq!(written.span.1, caret);
        assert_eq!(written.line, 1 + before.matches('\n').count());
        Some((written.text, written.is_open))
    }

    #[test]
    fn what_is_written_of_an_expression() {
        let open = |text: &str| Some((text.to_owned(), true));
        assert_eq!(written("# a\nIt takes {mean u", ""), open("mean u"));
        assert_eq!(written("héllo {#mean uwfq - mea", " later"), open("mea"));
        assert_eq!(written("It takes {", ""), open(""));
        assert_eq!(written("It takes {mean u", "} now"), Some(("mean u".to_owned(), false)));
        assert_eq!(written("<!-- claim: mean a <= mea", " -->"), Some(("mea".to_owned(), false)));
        assert_eq!(written("It takes {mean uwfq} and", ""), None);
        assert_eq!(written("a {mean uwfq @ at", "}"), None, "a variant is no expression");
        assert_eq!(written("{\nnothing", ""), None, "another line");
    }
}
