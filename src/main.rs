//! The browser's program. The page and its workers run the same one: it is loaded and compiled once.

fn main() {
    fairlane_page::main();
}
