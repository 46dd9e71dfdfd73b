//! Panels that change places while one is dragged.

use std::cmp::Ordering;

/// Which way the panel at an index is to move so that it follows a pointer at `y`: up (`Less`) once the pointer is
/// above the middle of the panel before it, down (`Greater`) once it is below the middle of the panel after it.
/// `panels` are the tops and bottoms, in the order of the page.
pub fn direction(panels: &[(f64, f64)], index: usize, y: f64) -> Ordering {
    let middle = |(top, bottom): (f64, f64)| (top + bottom) / 2.0;
    let before = index.checked_sub(1).and_then(|before| panels.get(before).copied());
    let after = panels.get(index + 1).copied();
    if before.is_some_and(|panel| y < middle(panel)) {
        Ordering::Less
    } else if after.is_some_and(|panel| y > middle(panel)) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_follows_its_pointer_and_comes_to_rest() {
        let heights = [100.0, 40.0, 200.0];
        // The panel with number 0 is dragged down from its top: after each step the panels are laid out again.
        let settle = |mut order: Vec<usize>, y: f64| {
            for _ in 0..10 {
                let mut top = 0.0;
                let panels: Vec<(f64, f64)> = order
                    .iter()
                    .map(|&panel| {
                        let from = top;
                        top += heights[panel];
                        (from, top)
                    })
                    .collect();
                let index = order.iter().position(|&panel| panel == 0).expect("it is there");
                match direction(&panels, index, y) {
                    Ordering::Less => order.swap(index - 1, index),
                    Ordering::Greater => order.swap(index, index + 1),
                    Ordering::Equal => return order,
                }
            }
            panic!("it moves back and forth");
        };
        assert_eq!(settle(vec![0, 1, 2], 110.0), [0, 1, 2]);
        assert_eq!(settle(vec![0, 1, 2], 130.0), [1, 0, 2]);
        assert_eq!(settle(vec![0, 1, 2], 300.0), [1, 2, 0]);
        assert_eq!(settle(vec![1, 2, 0], 10.0), [0, 1, 2]);
    }
}
