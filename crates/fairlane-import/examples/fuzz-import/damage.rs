//! Damage as disks, killed processes, other programs and hands do it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::{Value, json};

use crate::stories::{Stories, text_of};

/// A number below a limit; 0 if the limit is 0.
pub(crate) fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    (random.next_u64() % limit.max(1) as u64) as usize
}

/// Damages the lines of a log.
pub(crate) fn lines(lines: &mut Vec<Vec<u8>>, stories: &Stories, random: &mut ChaCha8Rng) {
    for _ in 0..below(random, 5) {
        let (at, other) = (below(random, lines.len()), below(random, lines.len()));
        if lines.is_empty() {
            return;
        }
        match below(random, 20) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => lines.insert(at, lines[other].clone()),
            3 => {
                let until = (at + 1 + below(random, 8)).min(lines.len());
                let repeated = lines[at..until].to_vec();
                lines.splice(other..other, repeated);
            }
            4 => lines.truncate(at + 1),
            5 => {
                let spliced = stories.story(random);
                let from = below(random, spliced.len());
                lines.splice(at..at, spliced.into_iter().skip(from).take(20));
            }
            6 => bytes(&mut lines[at], random),
            7 => {
                let length = below(random, lines[at].len());
                lines[at].truncate(length);
            }
            8 if at + 1 < lines.len() => {
                let next = lines.remove(at + 1);
                lines[at].extend(next);
            }
            9 => {
                let mut digits: Vec<&mut u8> =
                    lines[at].iter_mut().filter(|byte| byte.is_ascii_digit()).collect();
                for _ in 0..4 {
                    let index = below(random, digits.len());
                    if let Some(digit) = digits.get_mut(index) {
                        **digit = b'0' + below(random, 10) as u8;
                    }
                }
            }
            _ => values(lines, at, other, random),
        }
    }
}

/// Changes values of an event and leaves it correct JSON.
fn values(lines: &mut [Vec<u8>], at: usize, other: usize, random: &mut ChaCha8Rng) {
    let parsed = |line: &[u8]| serde_json::from_slice::<Value>(line);
    let (Ok(mut value), Ok(mut donor)) = (parsed(&lines[at]), parsed(&lines[other])) else { return };
    for _ in 0..=below(random, 3) {
        let mut index = below(random, size(&value));
        let Some(place) = nth(&mut value, &mut index) else { continue };
        match below(random, 16) {
            0 => {
                let mut index = below(random, size(&donor));
                if let Some(found) = nth(&mut donor, &mut index) {
                    std::mem::swap(place, found);
                }
            }
            1 => *place = extreme(random),
            2 => match place {
                Value::Object(fields) => {
                    let name = fields.keys().nth(below(random, fields.len())).cloned();
                    name.map(|name| fields.remove(&name));
                }
                Value::Array(list) if !list.is_empty() => drop(list.remove(below(random, list.len()))),
                _ => *place = Value::Null,
            },
            3 => {
                if let Value::Array(list) = place
                    && let Some(first) = list.first().cloned()
                {
                    list.extend(vec![first; 1 + below(random, 40)]);
                }
            }
            _ => {
                // Ids and instants near those that are there.
                if let Some(number) = place.as_i64() {
                    let by = [1, 2, 5, 30, 100, 1_000, 100_000][below(random, 7)];
                    let number = if below(random, 2) == 0 {
                        number.saturating_add(by)
                    } else {
                        number.saturating_sub(by)
                    };
                    *place = if below(random, 4) == 0 { json!(below(random, 6)) } else { json!(number) };
                }
            }
        }
    }
    lines[at] = if below(random, 8) == 0 { value.to_string().into_bytes() } else { text_of(&value) };
    if below(random, 2) == 0 && at != other {
        lines[other] = text_of(&donor);
    }
}

/// Values at the ends of what JSON, Spark or a scenario can hold.
fn extreme(random: &mut ChaCha8Rng) -> Value {
    let numbers = [
        0,
        1,
        -1,
        127,
        65_535,
        100_000,
        2_147_483_647,
        4_294_967_295,
        4_294_967_296,
        9_007_199_254_740_993,
        253_402_300_799_999,
        253_402_300_800_000,
        i64::MAX,
        i64::MIN,
    ];
    match below(random, 22) {
        kind @ 0..14 => json!(numbers[kind]),
        14 => json!(u64::MAX),
        15 => json!(1e300),
        16 => Value::Null,
        17 => json!(""),
        18 => json!([]),
        19 => json!("x\u{0}\u{202e}é".repeat(1 + below(random, 2_000))),
        20 => (0..below(random, 200)).fold(json!(0), |inner, _| json!([inner])),
        _ => json!(true),
    }
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

/// A value's part by its number in the order of reading.
fn nth<'a>(value: &'a mut Value, number: &mut usize) -> Option<&'a mut Value> {
    if *number == 0 {
        return Some(value);
    }
    *number -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, number)),
        Value::Object(fields) => fields.values_mut().find_map(|value| nth(value, number)),
        _ => None,
    }
}

/// Damages bytes, whatever they mean.
pub(crate) fn bytes(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    for _ in 0..=below(random, 4) {
        let (at, length) = (below(random, bytes.len()), below(random, 30));
        let Some(&byte) = bytes.get(at) else { return };
        let until = (at + length).min(bytes.len());
        match below(random, 8) {
            0 | 1 => bytes[at] = random.next_u64() as u8,
            2 | 3 => bytes[at] = byte ^ 1 << below(random, 8),
            4 => drop(bytes.drain(at..until)),
            5 => {
                let repeated = bytes[at..until].to_vec();
                let to = below(random, bytes.len());
                bytes.splice(to..to, repeated);
            }
            6 => {
                // A length in a header, perhaps.
                let number = [0, 1, u32::MAX, 1 << 31, 1 << 25, 1 << 16][below(random, 6)].to_le_bytes();
                let count = number.len().min(bytes.len() - at);
                bytes[at..at + count].copy_from_slice(&number[..count]);
            }
            _ => bytes.truncate(at),
        }
    }
}
