//! [`Tree`]: the files of a program by the sums of their contents, and the pieces that the contents are stored in.

use super::{Filed, OperatorKey, Sum};
use crate::embed::contract::{Program, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// The size of a piece; the last one of a content may be smaller. Units: bytes.
const PIECE: usize = 512 << 10;

/// Each content once.
pub(crate) type Contents = BTreeMap<Sum, Vec<u8>>;

/// The files of a program.
pub(crate) struct Tree {
    pub(crate) entry: String,
    /// By path.
    pub(crate) files: Vec<Filed>,
    pub(crate) contents: Contents,
}

/// A piece of a content. Shape: an empty content has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) of: Sum,
    number: u64,
    /// Units: bytes.
    pub(crate) size: usize,
}

impl Tree {
    pub(crate) fn of(program: Program) -> Tree {
        let Program { files, entry, environment: _ } = program;
        let by_path: BTreeMap<String, Vec<u8>> =
            files.into_iter().map(|SourceFile { path, content }| (path, content)).collect();
        let mut contents = Contents::new();
        let filed = |(path, content): (String, Vec<u8>)| {
            let (sha256, size) = (Sum::of(&content), content.len() as u64);
            contents.insert(sha256, content);
            Filed { path, sha256, size }
        };
        let files = by_path.into_iter().map(filed).collect();
        Tree { entry, files, contents }
    }

    /// The first file that is a private key of an operator.
    pub(crate) fn private_key(&self) -> Option<&str> {
        let is_key = |content: &Vec<u8>| std::str::from_utf8(content).ok().and_then(OperatorKey::read).is_some();
        let file = self.files.iter().find(|file| self.contents.get(&file.sha256).is_some_and(is_key));
        file.map(|file| file.path.as_str())
    }

    /// The size of all files. Units: bytes.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

impl Piece {
    /// The pieces of these files, each content once.
    pub(crate) fn all<'a>(files: impl IntoIterator<Item = &'a Filed>) -> Vec<Piece> {
        let contents: BTreeSet<(Sum, u64)> = files.into_iter().map(|file| (file.sha256, file.size)).collect();
        let pieces = |(of, size): (Sum, u64)| {
            (0..size.div_ceil(PIECE as u64)).map(move |number| {
                let rest = size - number * PIECE as u64;
                Piece { of, number, size: usize::try_from(rest).map_or(PIECE, |rest| rest.min(PIECE)) }
            })
        };
        contents.into_iter().flat_map(pieces).collect()
    }

    pub(crate) fn key(&self) -> String {
        format!("blob/{}/{}", self.of, self.number)
    }

    /// Its part of the content.
    pub(crate) fn part<'a>(&self, content: &'a [u8]) -> &'a [u8] {
        let begin = usize::try_from(self.number).unwrap_or(usize::MAX).saturating_mul(PIECE).min(content.len());
        &content[begin..content.len().min(begin.saturating_add(self.size))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_the_content() {
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let content: Vec<u8> = (0..size).map(|n| n as u8).collect();
            let file = Filed { path: "/a".into(), sha256: Sum::of(&content), size: size as u64 };
            let pieces = Piece::all([&file, &file]);
            assert_eq!(pieces.len(), size.div_ceil(PIECE));
            assert_eq!(pieces.iter().flat_map(|piece| piece.part(&content).to_vec()).collect::<Vec<_>>(), content);
            assert!(pieces.iter().all(|piece| piece.part(&content).len() == piece.size));
        }
    }

    #[test]
    fn equal_files_have_one_content() {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), content: text.into() };
        let files = vec![file("/b", "x"), file("/a", "x"), file("/c", "")];
        let tree = Tree::of(Program { files, entry: "/b".into(), environment: Vec::new() });
        let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((paths, tree.contents.len(), tree.size()), (vec!["/a", "/b", "/c"], 2, 2));
    }
}
