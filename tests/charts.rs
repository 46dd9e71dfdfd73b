//! What the documentation says of the page's charts.

use fairlane::number;
use fairlane_page::store::ChartKind;

#[test]
fn the_page_on_demos_lists_every_chart() {
    let charts: Vec<String> = ChartKind::all().map(|kind| format!("`{}`", kind.id())).collect();
    let text = include_str!("../docs/embedding.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("Charts are {}.", number::list(&charts));
    assert!(text.contains(&expected), "docs/embedding.md says: {expected}");
}
