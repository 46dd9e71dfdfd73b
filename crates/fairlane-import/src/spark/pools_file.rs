//! The pools file of a cluster, `fairscheduler.xml`, read as Spark reads it, and written.

use std::fmt::Write;

use roxmltree::{Document, Node};
use serde_json::json;

use super::ImportError;
use fairlane::policy::spark::{self, Pool, PoolMode};
use fairlane::scenario::edit::{Edit, ObjectPath};

/// The pools that a `fairscheduler.xml` declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolsFile {
    pools: Vec<Pool>,
    remarks: Vec<String>,
}

impl PoolsFile {
    /// Maximum length of a file, in bytes: thousands of pools.
    pub const MAX_BYTES: usize = 1 << 20;
    /// What is wrong with a longer one.
    pub const TOO_LONG: &str = "exceeds the limit of 1 MB, which is enough for thousands of pools; choose the cluster's fairscheduler.xml";

    /// The pools, in the order of the file.
    pub fn pools(&self) -> &[Pool] {
        &self.pools
    }

    /// What of the file was not understood, each a sentence with its line and with what is used instead.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The edit by which Spark's scheduler of any scenario uses the file.
    ///
    /// # Errors
    /// The file declares no pool: a sentence.
    pub fn edit(&self) -> Result<Edit, &'static str> {
        if self.pools.is_empty() {
            return Err("declares no pool; give one with elements pool, each with its name");
        }
        let set = |name, value| Edit::set(ObjectPath::Policy(spark::INFO.id.into()), name, value);
        // Where there is a file, Spark makes the pool default FIFO if the file does not declare it.
        let edits = vec![
            set("mode", json!("FAIR")),
            set("default_mode", json!("FIFO")),
            set("pools", json!(self.pools)),
        ];
        Ok(Edit::several("use fairscheduler.xml", edits))
    }

    /// Reads a file as Spark does (`FairSchedulableBuilder`): what is missing or no value of its field has Spark's
    /// default, and of the latter there is a remark. `maxShare`, which Spark ignores, is a cap.
    ///
    /// # Errors
    /// It is not XML, too long, or something else than a list of pools.
    pub fn read(name: &str, text: &str) -> Result<PoolsFile, ImportError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let error = |message: String| ImportError::new(name, message);
        if text.len() > PoolsFile::MAX_BYTES {
            return Err(error(PoolsFile::TOO_LONG.to_owned()));
        }
        if let Some(kind) = other_kind(text) {
            return Err(error(format!(
                "is {kind}, not a pools file; choose the cluster's fairscheduler.xml"
            )));
        }
        check_attributes(text).map_err(error)?;
        let document =
            Document::parse(text).map_err(|fault| error(format!("is not a pools file: {fault}")))?;
        check_root(document.root_element().tag_name().name()).map_err(error)?;
        let mut remarks = Remarks::default();
        for other in
            document.root_element().children().filter(|node| node.is_element() && !node.has_tag_name("pool"))
        {
            let name = other.tag_name().name();
            remarks.add(&other, || format!("<{}> is no pool, so it is ignored", shortened(name)));
        }
        let elements = document.descendants().filter(|node| node.has_tag_name("pool"));
        let pools = elements.map(|node| declared(&node, &mut remarks)).collect();
        Ok(PoolsFile { pools, remarks: remarks.finish() })
    }

    /// The text of a file that declares these pools; of caps, which Spark does not have, it says nothing.
    pub fn write<'a>(pools: impl IntoIterator<Item = &'a Pool>) -> String {
        let pools: String = pools.into_iter().map(element).collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{ROOT}>\n{pools}</{ROOT}>\n")
    }
}

/// The element that holds all pools.
const ROOT: &str = "allocations";

/// Attributes that an element may have, and namespaces that a file may declare: the parser compares each with all
/// others.
const MAX_ATTRIBUTES: usize = 64;

/// What a file is by its first characters, if it is no XML at all or a page that need not be.
fn other_kind(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    match text.chars().next() {
        None => Some("empty"),
        Some('{' | '[') => Some("JSON"),
        Some(_) if begins("<!doctype html") || begins("<html") => {
            Some("a web page, such as one that asks to log in")
        }
        Some(_) => None,
    }
}

/// Refuses a document that is something else by its first element.
fn check_root(root: &str) -> Result<(), String> {
    let kind = match root.to_ascii_lowercase().as_str() {
        _ if root == ROOT => return Ok(()),
        "html" => "a web page, such as one that asks to log in",
        "configuration" => "a configuration of Hadoop, such as yarn-site.xml",
        "pool" => "a single pool",
        "project" => "a project of Maven",
        "error" => "a server's error",
        _ => "something else",
    };
    Err(format!(
        "is not a pools file but {kind}: its first element is <{}> and should be <{ROOT}>, which holds the pools; \
         choose the cluster's fairscheduler.xml",
        shortened(root)
    ))
}

/// Refuses a text whose attributes are too many to be parsed quickly. An element's attributes lie between its
/// own `<` and the next, which no attribute's value contains.
fn check_attributes(text: &str) -> Result<(), String> {
    let elements = text.split('<').filter(|element| !element.starts_with('!'));
    let most = elements.map(|element| element.bytes().filter(|&byte| byte == b'=').count()).max();
    match most.unwrap_or(0).max(text.matches("xmlns").count()) > MAX_ATTRIBUTES {
        false => Ok(()),
        true => Err(format!(
            "is not a pools file: an element has more than {MAX_ATTRIBUTES} attributes, where a pool has its name"
        )),
    }
}

/// What was not understood of a file.
#[derive(Default)]
struct Remarks {
    sentences: Vec<String>,
    more: usize,
}

impl Remarks {
    /// Sentences that are kept.
    const MAX: usize = 20;

    fn add(&mut self, node: &Node<'_, '_>, sentence: impl FnOnce() -> String) {
        if self.sentences.len() == Remarks::MAX {
            self.more += 1;
            return;
        }
        let line = node.document().text_pos_at(node.range().start).row;
        self.sentences.push(format!("line {line}: {}", sentence()));
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.sentences.push(format!("and {} more like these", self.more));
        }
        self.sentences
    }
}

/// A text that is quoted in a sentence.
fn shortened(text: &str) -> String {
    const MAX_CHARACTERS: usize = 40;
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A pool as an element.
fn element(pool: &Pool) -> String {
    let mut name = String::new();
    for character in pool.name.chars() {
        match character {
            '<' | '>' | '&' | '"' | '\'' => {
                write!(name, "&#{};", u32::from(character)).expect("a string takes everything");
            }
            _ => name.push(character),
        }
    }
    let mode = match pool.mode {
        PoolMode::Fifo => "FIFO",
        PoolMode::Fair => "FAIR",
    };
    let Pool { weight, min_share, .. } = pool;
    format!(
        "  <pool name=\"{name}\">\n    <schedulingMode>{mode}</schedulingMode>\n    <weight>{weight}</weight>\n    \
         <minShare>{min_share}</minShare>\n  </pool>\n"
    )
}

/// A pool as its element declares it.
fn declared(element: &Node<'_, '_>, remarks: &mut Remarks) -> Pool {
    let name = element.attribute("name").unwrap_or_default();
    if name.is_empty() {
        remarks.add(element, || "a pool has no name, so no job is in it".to_owned());
    }
    let default = Pool::named(name);
    let shown = shortened(name);
    for child in element.children().filter(Node::is_element) {
        let field = child.tag_name().name();
        if !FIELDS.contains(&field) && field != "pool" {
            remarks.add(&child, || {
                format!("pool {shown}: a pool has no {}, so it is ignored", shortened(field))
            });
        }
    }
    let mut read = FieldReader { element, pool: &shown, remarks };
    Pool {
        mode: read.field("schedulingMode", "FIFO or FAIR", mode, "FIFO").unwrap_or(default.mode),
        weight: read.whole("weight", default.weight),
        min_share: read.whole("minShare", default.min_share),
        max_share: read.field(
            "maxShare",
            "a whole number of cores from 1",
            |text| text.parse().ok().filter(|&cores| cores > 0),
            "no cap",
        ),
        ..default
    }
}

/// What a pool's element may contain.
const FIELDS: [&str; 4] = ["schedulingMode", "weight", "minShare", "maxShare"];

/// Reads the fields of one pool.
struct FieldReader<'a, 'input> {
    element: &'a Node<'a, 'input>,
    /// Its name, for remarks.
    pool: &'a str,
    remarks: &'a mut Remarks,
}

impl FieldReader<'_, '_> {
    /// The value of a field; none, with a remark if there is a text, if it is not `expected`.
    fn field<T>(
        &mut self,
        field: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
        default: &str,
    ) -> Option<T> {
        let child = self.element.children().find(|child| child.has_tag_name(field))?;
        let text = child.text().unwrap_or_default().trim();
        let value = parse(text);
        if value.is_none() {
            let pool = self.pool;
            self.remarks.add(&child, || {
                format!("pool {pool}: {field} \"{}\" is not {expected}; {default} is used", shortened(text))
            });
        }
        value
    }

    fn whole(&mut self, field: &str, default: u32) -> u32 {
        let parse = |text: &str| text.parse().ok();
        self.field(field, "a whole number from 0", parse, &default.to_string()).unwrap_or(default)
    }
}

/// The scheduling mode of a name, in any case of letters.
pub(super) fn mode(text: &str) -> Option<PoolMode> {
    match text.to_ascii_uppercase().as_str() {
        "FIFO" => Some(PoolMode::Fifo),
        "FAIR" => Some(PoolMode::Fair),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pools_file_is_read_as_spark_reads_it() {
        let text = "<?xml version=\"1.0\"?><allocations>
            <pool name=\"etl\"><schedulingMode>fair</schedulingMode><weight> 3 </weight><minShare>4</minShare></pool>
            <pool name=\"a &quot;b&quot; &amp; &lt;c>\"><schedulingMode>LIFO</schedulingMode>
            <weight>some</weight><minShare>2</minShare></pool></allocations>";
        let etl = Pool { mode: PoolMode::Fair, weight: 3, min_share: 4, ..Pool::named("etl") };
        let pools = PoolsFile::read("pools.xml", text).expect("pools");
        assert_eq!(pools.pools(), [etl, Pool { min_share: 2, ..Pool::named("a \"b\" & <c>") }]);
        let again = PoolsFile::read("again.xml", &PoolsFile::write(pools.pools())).expect("pools");
        assert_eq!((again.pools(), again.remarks()), (pools.pools(), &[][..]));
        let capped = "<allocations><pool name=\"etl\"><maxShare>5</maxShare></pool></allocations>";
        let capped = PoolsFile::read("pools.xml", capped).expect("pools");
        assert_eq!(capped.pools()[0].max_share, Some(5), "which Spark ignores");
    }

    #[test]
    fn what_is_not_understood_is_named_with_what_is_used() {
        let text = "\u{feff}<allocations>\n<pool name=\"production\">\n<schedulingMode>LIFO</schedulingMode>
            <weight>NaN</weight><minShare>-4</minShare><maxShare>0</maxShare><wieght>2</wieght></pool>
            <pool><weight>2</weight></pool></allocations>";
        let file = PoolsFile::read("pools.xml", text).expect("pools");
        assert_eq!(file.pools()[0], Pool::named("production"));
        assert_eq!(
            file.remarks(),
            [
                "line 4: pool production: a pool has no wieght, so it is ignored",
                "line 3: pool production: schedulingMode \"LIFO\" is not FIFO or FAIR; FIFO is used",
                "line 4: pool production: weight \"NaN\" is not a whole number from 0; 1 is used",
                "line 4: pool production: minShare \"-4\" is not a whole number from 0; 0 is used",
                "line 4: pool production: maxShare \"0\" is not a whole number of cores from 1; no cap is used",
                "line 5: a pool has no name, so no job is in it",
            ]
        );
        let many =
            format!("<allocations>{}</allocations>", "<pool name=\"a\"><weight>x</weight></pool>".repeat(50));
        let many = PoolsFile::read("pools.xml", &many).expect("pools");
        assert_eq!(many.remarks().last().map(String::as_str), Some("and 30 more like these"));
    }

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let error = PoolsFile::read("pools.xml", text).expect_err(reason).to_string();
        assert!(error.starts_with("pools.xml: ") && error.contains(reason), "{error}");
    }

    #[test]
    fn something_else_is_refused_with_what_it_looks_like() {
        refused("weight=3", "is not a pools file: ");
        refused("", "is empty");
        refused("{\"pools\": []}", "is JSON");
        let login = "is a web page, such as one that asks to log in";
        refused("<html><body>Please log in</body></html>", login);
        refused("\n<!DOCTYPE html><p>Please log in", login);
        refused("<configuration><property/></configuration>", "a configuration of Hadoop");
        refused(
            "<pool name=\"etl\"/>",
            "a single pool: its first element is <pool> and should be <allocations>",
        );
        refused("<?xml version=\"1.0\"?><HTML/>", "but a web page");
        refused("<!DOCTYPE l [<!ENTITY a \"aaaa\">]><allocations>&a;</allocations>", "is not a pools file: ");
    }

    #[test]
    fn hostile_files_are_refused_at_once() {
        let attributes =
            |count: usize| (0..count).map(|index| format!("a{index}=\"x\" ")).collect::<String>();
        let pool = |attributes: &str| format!("<allocations><pool {attributes} name=\"a\"/></allocations>");
        refused(&pool(&attributes(80_000)), "more than 64 attributes");
        assert!(PoolsFile::read("pools.xml", &pool(&attributes(60))).is_ok());
        // A value may contain the sign that ends the element.
        refused(&pool(&attributes(70).replace('x', ">")), "more than 64 attributes");
        let nested = (0..30_000).map(|index| format!("<a xmlns:n{index}=\"{index}\">")).collect::<String>();
        refused(&nested, "more than 64 attributes");
        refused(&"x".repeat(PoolsFile::MAX_BYTES + 1), "exceeds the limit of 1 MB");
        let deep = format!("<allocations>{}{}</allocations>", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let deep = PoolsFile::read("pools.xml", &deep).expect("a file");
        assert_eq!(
            (deep.pools(), deep.remarks()),
            (&[][..], &["line 1: <a> is no pool, so it is ignored".to_owned()][..])
        );
        let banner = format!("<!-- {} --><allocations/>", "=".repeat(200));
        assert!(PoolsFile::read("pools.xml", &banner).is_ok());
    }
}
