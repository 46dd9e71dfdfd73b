//! The table of `docs/words.md`: the words on the page, as the page itself explains them.

use std::{env, fs};

use fairlane_view::words::WORDS;

use crate::guide::REWRITE;
use crate::root;

#[test]
fn the_words_of_the_guide_are_those_of_the_page() {
    let mut page = "# Words\n\nOne name for each thing, on the page and in this guide. On the page, the same \
                    sentences are shown where a word stands,\nand all of them by *Controls and words* (`?`). Files, \
                    commands and papers keep their own terms.\n\n| word | what it means |\n|---|---|\n"
        .to_owned();
    for word in WORDS {
        page += &format!("| **{}** | {} |\n", word.term, word.meaning);
    }
    let path = root().join("docs/words.md");
    if env::var_os(REWRITE).is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    assert_eq!(fs::read_to_string(&path).expect("docs/words.md"), page, "set {REWRITE} to write it anew");
}
