//! The files of a log: compressed as Spark does, in one piece or several, whole or damaged.

use std::fmt;
use std::io::Write;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use lz4_flex::block;
use lzf_rust::encode_blocks;
use rand_chacha::ChaCha8Rng;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use snap::raw::Encoder;
use xxhash_rust::xxh32::xxh32;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::damage::{self, below};
use crate::stories::Stories;

/// An input.
pub(crate) struct Files {
    /// Names and bytes, in any order.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) story: Story,
}

/// What is known of an input.
pub(crate) enum Story {
    /// The text of each file, in the order of the log. Compressed, it is as it was.
    Text(Vec<Vec<u8>>, Packing),
    /// Damage after compression.
    Damaged(Packing),
    /// A file that grows without end, nearly.
    Bomb,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Packing {
    Text,
    Gzip,
    GzipTwice,
    Zstd,
    Lz4,
    Snappy,
    Lzf,
    Zip,
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Story::Text(files, packing) => write!(f, "a text in {} files, {packing:?}", files.len()),
            Story::Damaged(packing) => write!(f, "{packing:?}, then damaged"),
            Story::Bomb => f.write_str("a decompression bomb"),
        }
    }
}

/// An input.
pub(crate) fn input(stories: &Stories, random: &mut ChaCha8Rng) -> Files {
    if below(random, 1 << 14) == 0 {
        return Files { files: vec![("log".to_owned(), bomb(random))], story: Story::Bomb };
    }
    let mut lines = stories.story(random);
    damage::lines(&mut lines, stories, random);
    let parts = if below(random, 4) == 0 { 1 + below(random, 4) } else { 1 };
    let length = lines.len().div_ceil(parts).max(1);
    let end = if below(random, 4) == 0 { "" } else { "\n" };
    let texts: Vec<Vec<u8>> =
        lines.chunks(length).map(|lines| [&lines.join(&b'\n'), end.as_bytes()].concat()).collect();
    let packings = [
        Packing::Text,
        Packing::Gzip,
        Packing::GzipTwice,
        Packing::Zstd,
        Packing::Lz4,
        Packing::Snappy,
        Packing::Lzf,
        Packing::Zip,
    ];
    // Compression takes longer than anything else here.
    let packing = packings[below(random, 16).saturating_sub(8)];
    let mut files: Vec<(String, Vec<u8>)> = (1..)
        .zip(&texts)
        .map(|(number, text)| (format!("events_{number}_app-1"), packed(text, packing, random)))
        .collect();
    let (file, is_damaged) = (below(random, files.len()), below(random, 5) == 0);
    if let (Some((_, bytes)), true) = (files.get_mut(file), is_damaged) {
        damage::bytes(bytes, random);
    }
    let rotation = below(random, files.len());
    files.rotate_left(rotation);
    let story = if is_damaged { Story::Damaged(packing) } else { Story::Text(texts, packing) };
    Files { files, story }
}

fn packed(text: &[u8], packing: Packing, random: &mut ChaCha8Rng) -> Vec<u8> {
    // Spark ends a frame when it flushes, which may be after any line.
    let frames = 1 + below(random, 2) * below(random, 3);
    let frames = text.chunks(text.len().div_ceil(frames).max(1));
    match packing {
        Packing::Text => text.to_vec(),
        Packing::Gzip => frames.flat_map(gzip).collect(),
        Packing::GzipTwice => gzip(&gzip(text)),
        Packing::Zstd => frames.flat_map(|frame| compress_to_vec(frame, CompressionLevel::Fastest)).collect(),
        Packing::Lz4 => frames.flat_map(lz4).collect(),
        Packing::Snappy => frames.flat_map(snappy).collect(),
        Packing::Lzf => frames.flat_map(|frame| encode_blocks(frame, 4_096).expect("memory")).collect(),
        Packing::Zip => zip(text),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The blocks of lz4-java's `LZ4BlockOutputStream`, and the end of the stream.
fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in bytes.chunks(4_096).chain([&[][..]]) {
        let compressed = block::compress(part);
        let (method, stored) =
            if compressed.len() < part.len() { (0x26, compressed.as_slice()) } else { (0x16, part) };
        let checksum = if part.is_empty() { 0 } else { xxh32(part, 0x9747_b28c) & 0x0fff_ffff };
        let lengths = [stored.len() as u32, part.len() as u32, checksum].map(u32::to_le_bytes);
        out.extend([b"LZ4Block".as_slice(), &[method], &lengths.concat(), stored].concat());
    }
    out
}

/// The blocks of snappy-java's `SnappyOutputStream`.
fn snappy(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01".to_vec();
    for part in bytes.chunks(4_096) {
        let compressed = Encoder::new().compress_vec(part).expect("memory");
        out.extend((compressed.len() as u32).to_be_bytes());
        out.extend(compressed);
    }
    out
}

/// An archive of one file, as Java writes it.
fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new_stream(Vec::new());
    archive.start_file("app-1", SimpleFileOptions::default()).expect("memory");
    archive.write_all(bytes).expect("memory");
    archive.finish().expect("memory").into_inner()
}

/// Little that decompresses to much: 100 MB and more, in one of several ways.
fn bomb(random: &mut ChaCha8Rng) -> Vec<u8> {
    static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();
    let byte = [0, b' ', b'\n', b'{', b'['][below(random, 5)];
    // A window of 1 MB; then blocks of one byte repeated 128 K times.
    let repeated = || {
        let block = |last: u32| [&((128 << 10) << 3 | 1 << 1 | last).to_le_bytes()[..3], &[byte]].concat();
        let mut frame = b"\x28\xb5\x2f\xfd\x00\x50".to_vec();
        (0..1_000).for_each(|_| frame.extend(block(0)));
        frame.extend(block(1));
        frame
    };
    match below(random, 4) {
        0 => repeated(),
        1 => gzip(&repeated()),
        2 => lz4_of(byte),
        _ => ZEROS.get_or_init(|| gzip(&vec![0; 100 << 20])).clone(),
    }
}

/// Blocks of 32 MB of one byte each, compressed.
fn lz4_of(byte: u8) -> Vec<u8> {
    const LENGTH: usize = 1 << 25;
    let part = vec![byte; LENGTH];
    let compressed = block::compress(&part);
    let checksum = xxh32(&part, 0x9747_b28c) & 0x0fff_ffff;
    let lengths = [compressed.len() as u32, LENGTH as u32, checksum].map(u32::to_le_bytes);
    // 32 MB from 128 KB are 256 times as much; in gzip it is more than any log grows.
    gzip(&[b"LZ4Block".as_slice(), &[0x2f], &lengths.concat(), &compressed].concat().repeat(4))
}
