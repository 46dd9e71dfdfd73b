//! Names for people, of what Spark writes for its own pages: without HTML, without ids, and the plan of a Spark Connect
//! query as the words that distinguish it.

use std::borrow::Cow;

/// What the description of every query of Spark Connect begins with.
const CONNECT: &str = "Spark Connect - ";
/// What a batch of a streaming query without a name is called.
const UNNAMED_STREAM: &str = "streaming";

/// A text of Spark's without HTML and ids.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    if let Some(plan) = connect_plan(text) {
        return Cow::Owned(connect_name(plan));
    }
    // Most names need nothing.
    if !text.contains(['<', '&', '-']) {
        return Cow::Borrowed(text);
    }
    let text = without_html(text);
    if let Some(Batch { query, number }) = Batch::of(&text) {
        return Cow::Owned(format!("{query}, batch {number}"));
    }
    Cow::Owned(without_ids(&text))
}

/// Whether a text is the plan of a query of Spark Connect.
pub(super) fn is_connect_plan(text: &str) -> bool {
    connect_plan(text).is_some()
}

/// Whether a text is only Spark Connect's and says nothing of the query.
pub(super) fn is_plan_without_name(text: &str) -> bool {
    connect_plan(text).is_some_and(|plan| connect_name(plan).is_empty())
}

/// What the batches of a streaming query have in common; the name itself if it is none of a batch.
pub(super) fn without_batch(name: &str) -> &str {
    let is_batch = |number: &str| number == "init" || number.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once(", batch ").filter(|(_, number)| is_batch(number)).map_or(name, |(query, _)| query)
}

/// A batch of a streaming query, as `MicroBatchExecution` describes it: the query's name, its id, that of its run and
/// the batch, a line each.
struct Batch<'a> {
    query: &'a str,
    number: &'a str,
}

impl Batch<'_> {
    fn of(text: &str) -> Option<Batch<'_>> {
        let lines = || text.lines().map(str::trim);
        let number = lines().find_map(|line| line.strip_prefix("batch = "))?;
        lines().find(|line| line.starts_with("runId = "))?;
        let is_other =
            |line: &&str| !["id = ", "runId = ", "batch = "].iter().any(|key| line.starts_with(key));
        let query = lines().filter(is_other).find(|line| !line.is_empty()).unwrap_or(UNNAMED_STREAM);
        Some(Batch { query, number })
    }
}

/// A text without tags, a line break for each that is one, and with entities as the characters that they are.
fn without_html(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (replacement, length) = tag(rest).or_else(|| entity(rest)).unwrap_or((&rest[..1], 1));
        plain.push_str(replacement);
        rest = &rest[length..];
    }
    plain + rest
}

/// What replaces the tag at the beginning of a text, and its length. Comparisons of SQL are no tags.
fn tag(text: &str) -> Option<(&'static str, usize)> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find('>')?;
    let name = inside[..end].trim_start_matches('/').trim_end_matches('/').trim();
    let (name, attributes) = name.split_once(char::is_whitespace).unwrap_or((name, ""));
    let is_tag = attributes.is_empty() || attributes.contains('=');
    let replacement = match name.to_ascii_lowercase().as_str() {
        "br" | "p" | "div" | "li" | "tr" => "\n",
        "a" | "b" | "i" | "u" | "em" | "strong" | "span" | "code" | "pre" | "ul" | "ol" | "td" | "table"
        | "font" => "",
        _ => return None,
    };
    is_tag.then_some((replacement, end + 2))
}

fn entity(text: &str) -> Option<(&'static str, usize)> {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")];
    let known = entities.into_iter().find(|(entity, _)| text.starts_with(entity))?;
    Some((known.1, known.0.len()))
}

/// A text without UUIDs and what introduces them, unless nothing else would be left.
fn without_ids(text: &str) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, length)) = uuid(rest) {
        let mut before = rest[..at].trim_end();
        let mut after = &rest[at + length..];
        // "(runId …)", "id = …", "id: …"
        let introduction = ["runId", "id", "="];
        before = before.trim_end_matches([':', '=']).trim_end();
        for word in introduction {
            before = before.strip_suffix(word).map_or(before, str::trim_end);
        }
        if let (Some(open), Some(close)) = (before.strip_suffix('('), after.trim_start().strip_prefix(')')) {
            (before, after) = (open.trim_end(), close);
        }
        named.push_str(before);
        rest = after;
    }
    named.push_str(rest);
    if named.chars().any(char::is_alphanumeric) { named } else { text.to_owned() }
}

/// Where the first UUID of a text is that is a word of its own, and its length.
fn uuid(text: &str) -> Option<(usize, usize)> {
    const DIGITS: [usize; 5] = [8, 4, 4, 4, 12];
    const LENGTH: usize = 36;
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    (0..(bytes.len() + 1).saturating_sub(LENGTH)).find_map(|at| {
        let candidate = &bytes[at..at + LENGTH];
        // Most positions have no hyphen there.
        if candidate[DIGITS[0]] != b'-' {
            return None;
        }
        let mut parts = candidate.split(|&byte| byte == b'-');
        let is_id = DIGITS.into_iter().all(|digits| {
            parts.next().is_some_and(|part| part.len() == digits && part.iter().all(u8::is_ascii_hexdigit))
        });
        let is_alone =
            !is_word(at.checked_sub(1).map(|before| &bytes[before])) && !is_word(bytes.get(at + LENGTH));
        (is_id && is_alone).then_some((at, LENGTH))
    })
}

/// The plan of a query of Spark Connect, if a text is one: a protocol buffer as text.
fn connect_plan(text: &str) -> Option<&str> {
    let plan = text.strip_prefix(CONNECT);
    let is_plan = |text: &&str| text.contains("user_context {") || text.trim_start().starts_with("plan {");
    plan.or_else(|| Some(text).filter(is_plan))
}

/// The words of a plan that distinguish the query: its SQL, or its operators and the tables and functions that they
/// name. Two queries of the same words have the same name, whoever asks and whatever number the plan has.
fn connect_name(plan: &str) -> String {
    /// What every plan has, or what differs between equal queries.
    const SKIPPED: [&str; 9] = [
        "user_context",
        "common",
        "origin",
        "python_origin",
        "jvm_origin",
        "request_options",
        "extensions",
        "client_type",
        "source_info",
    ];
    const SHAPE: [&str; 6] = ["plan", "root", "command", "input", "left", "right"];
    const NAMES: [&str; 9] = [
        "query",
        "sql",
        "unparsed_identifier",
        "function_name",
        "table_name",
        "paths",
        "path",
        "format",
        "view_name",
    ];
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0_u32;
    // The depth at which a block began whose words are skipped.
    let mut skipped: Option<u32> = None;
    let mut key = "";
    let mut rest = plan;
    while let Some(first) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        match first {
            '{' => {
                depth += 1;
                if skipped.is_none() {
                    if SKIPPED.contains(&key) {
                        skipped = Some(depth);
                    } else if !key.is_empty() && !SHAPE.contains(&key) {
                        words.push(key.to_owned());
                    }
                }
                (key, rest) = ("", &rest[1..]);
            }
            '}' => {
                if skipped == Some(depth) {
                    skipped = None;
                }
                depth = depth.saturating_sub(1);
                (key, rest) = ("", &rest[1..]);
            }
            '"' => {
                let (value, length) = quoted(&rest[1..]);
                if skipped.is_none() && matches!(key, "query" | "sql") {
                    return value;
                }
                if skipped.is_none() && NAMES.contains(&key) {
                    words.push(value);
                }
                (key, rest) = ("", &rest[1 + length..]);
            }
            _ => {
                let end = rest
                    .find([' ', '\n', '\t', '\r', '{', '}', '"', ':'])
                    .unwrap_or(rest.len())
                    .max(first.len_utf8());
                let word = &rest[..end];
                rest = rest[end..].strip_prefix(':').unwrap_or(&rest[end..]);
                key = if word == ":" { key } else { word };
            }
        }
    }
    words.dedup();
    words.join(" ")
}

/// A quoted text after its first quotation mark, and how many bytes it takes with the last one.
fn quoted(text: &str) -> (String, usize) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, at + 1),
            '\\' => match characters.next() {
                Some((_, 'n' | 't' | 'r')) => value.push(' '),
                Some((_, escaped)) => value.push(escaped),
                None => {}
            },
            _ => value.push(character),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "11111111-2222-4333-8444-555555555500";

    #[test]
    fn names_have_no_html() {
        for (text, name) in [
            ("Listing 2 paths:<br/>s3://b/t, ...", "Listing 2 paths:\ns3://b/t, ..."),
            ("select 1 where a <b and c> d", "select 1 where a <b and c> d"),
            ("a < b", "a < b"),
            ("<a href='x'>ETL</a> &amp; more &lt;1", "ETL & more <1"),
            ("load", "load"),
            ("x <", "x <"),
        ] {
            assert_eq!(readable(text), name);
        }
    }

    #[test]
    fn a_batch_is_named_by_its_query() {
        let batch = |name: &str| format!("{name}id = {ID}<br/>runId = {ID}<br/>batch = 17");
        assert_eq!(readable(&batch("clicks<br/>")), "clicks, batch 17");
        assert_eq!(readable(&batch("")), "streaming, batch 17");
        assert_eq!(without_batch("clicks, batch 17"), "clicks");
        assert_eq!(without_batch("clicks, batch of ana"), "clicks, batch of ana");
    }

    #[test]
    fn ids_go_where_a_name_is_left() {
        for (text, name) in [
            (format!("broadcast exchange (runId {ID})"), "broadcast exchange"),
            (format!("load id = {ID} into t"), "load into t"),
            (ID.to_owned(), ID),
            (format!("drop tmp_{ID}"), &format!("drop tmp_{ID}")),
        ] {
            assert_eq!(readable(&text), name);
        }
    }

    #[test]
    fn plans_of_spark_connect_are_named_by_their_words() {
        let plan = |user: &str, id: u32, inside: &str| {
            format!(
                "session_id: \"{ID}\"\nuser_context {{\n  user_id: \"{user}\"\n}}\nplan {{\n  root {{\n    common {{\n      \
                 plan_id: {id}\n    }}\n    {inside}\n  }}\n}}\nclient_type: \"_SPARK_CONNECT_PYTHON\""
            )
        };
        let read = "aggregate {\n input {\n common {\n plan_id: 3\n }\n read {\n named_table {\n \
                    unparsed_identifier: \"sales\"\n }\n }\n }\n }";
        assert_eq!(readable(&plan("ana", 1, read)), "aggregate read named_table sales");
        assert_eq!(readable(&plan("ana", 1, read)), readable(&plan("ben", 7, read)));
        let sql = "sql {\n query: \"select \\\"a\\\"\\nfrom t\"\n }";
        assert_eq!(readable(&plan("ana", 1, sql)), "select \"a\" from t");
        assert_eq!(readable(&format!("{CONNECT}{}", plan("ana", 1, "limit {"))), "limit");
        assert!(is_plan_without_name("Spark Connect - session_id: \"x\"\nuser_context {\n  user_id: \"a"));
        for cut in ["", "plan {", "plan { a: \"", "plan { a: \"\\", "}}}}", ":::"] {
            connect_name(cut);
        }
    }
}
