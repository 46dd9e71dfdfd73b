//! Which programs may run. A program is approved by a digest of its text, so that the answer is the same wherever the
//! text comes from: a link, a file, undo, the reader's own scenarios, another tab.

use std::collections::VecDeque;
use std::mem;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::{Document, State};
use fairlane::policy::{PolicyKind, custom};

/// Why a program has not run, before it is known which one.
pub const UNAPPROVED: &str =
    "its program has not run in this browser yet; read it in its panel or under Program, then press Run it";

/// Most approvals that are remembered. The oldest is forgotten first, and its program asks again.
const MAX_APPROVALS: usize = 1000;

/// SHA-256 of a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramDigest([u8; 32]);

impl ProgramDigest {
    /// The digest of a text.
    pub fn of(text: &str) -> ProgramDigest {
        ProgramDigest(hmac_sha256::Hash::hash(text.as_bytes()))
    }
}

/// The programs that may run.
#[derive(Clone, Debug, PartialEq)]
pub enum Approvals {
    /// Those with these digests, the oldest approval first.
    Digests(Rc<VecDeque<ProgramDigest>>),
    /// All: the page around a demo is of the guide and stands for what it shows.
    All,
}

impl Default for Approvals {
    fn default() -> Self {
        Approvals::Digests(Rc::default())
    }
}

impl Approvals {
    /// Whether a policy may run on a document: it is no program, or its text is approved.
    pub fn permit(&self, document: &Document, policy: PolicyKind) -> bool {
        // A program that the scenario does not have fails before it starts.
        document.digest(policy).is_none_or(|digest| self.contains(digest))
    }

    fn contains(&self, digest: ProgramDigest) -> bool {
        match self {
            Approvals::Digests(digests) => digests.contains(&digest),
            Approvals::All => true,
        }
    }

    fn insert(&mut self, digest: ProgramDigest) {
        if self.contains(digest) {
            return;
        }
        if let Approvals::Digests(digests) = self {
            let digests = Rc::make_mut(digests);
            digests.push_back(digest);
            digests.drain(..digests.len().saturating_sub(MAX_APPROVALS));
        }
    }

    /// These approvals after those of a text that [`Approvals::to_text`] has made. What is no digest is passed over.
    #[must_use]
    pub fn after(&self, text: &str) -> Approvals {
        let mut all = Approvals::default();
        let stored = text.split(',').filter_map(|word| STANDARD_NO_PAD.decode(word).ok()?.try_into().ok());
        stored.map(ProgramDigest).for_each(|digest| all.insert(digest));
        match self {
            Approvals::Digests(digests) => digests.iter().for_each(|digest| all.insert(*digest)),
            Approvals::All => return Approvals::All,
        }
        all
    }

    /// The digests in base64 with commas between, to be stored.
    pub fn to_text(&self) -> String {
        match self {
            Approvals::Digests(digests) => {
                digests.iter().map(|digest| STANDARD_NO_PAD.encode(digest.0)).collect::<Vec<_>>().join(",")
            }
            Approvals::All => String::new(),
        }
    }
}

impl State {
    /// The text of a program that waits for the reader's approval; `None` of any other policy.
    pub fn unapproved(&self, policy: PolicyKind) -> Option<&str> {
        if self.approvals.permit(&self.document, policy) {
            return None;
        }
        custom::text(&self.document.scenario, policy)
    }

    /// The reader has read a program of the scenario and lets it run.
    pub(super) fn approve(&mut self, policy: PolicyKind) {
        let Some(digest) = self.document.digest(policy) else { return };
        self.approvals.insert(digest);
        self.measure_anew(policy);
    }

    /// Takes over what the reader has let run in another tab, so that nobody is asked twice about one text.
    pub(super) fn approve_as_elsewhere(&mut self, stored: &str) {
        let approvals = self.approvals.after(stored);
        let before = mem::replace(&mut self.approvals, approvals);
        let document = self.document.clone();
        for (kind, digest) in document.digests() {
            if !before.contains(*digest) && self.approvals.contains(*digest) {
                self.measure_anew(*kind);
            }
        }
    }

    /// Forgets that a program was refused, so that it is measured now.
    fn measure_anew(&mut self, policy: PolicyKind) {
        self.means.retain(|point, _| point.policy.kind != policy);
        self.properties.retain(|checked, _| checked.kind != policy);
    }

    /// Approves what the reader has written into a document: programs that are new in it, and those that have replaced an
    /// approved one. A change of somebody else's program that was not read yet is not read either.
    pub(super) fn approve_written(&mut self, before: &Document) {
        let after = self.document.clone();
        for (kind, digest) in after.digests() {
            if self.approvals.permit(before, *kind) {
                self.approvals.insert(*digest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
