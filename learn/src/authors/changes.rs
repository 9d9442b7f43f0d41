//! What has changed in the checkout, as git tells it.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::checkout::Checkout;

/// What differs from the commit before the last, in files that are committed
/// and in those that are not.
pub(super) struct Changes {
    /// Paths from the root of the checkout.
    pub(super) files: Vec<String>,
    /// The commit before.
    base: String,
}

impl Changes {
    /// Asks git, which may not be there, or have nothing to say. Who pushes
    /// several commits at once names the one before them, by `RUNGRAD_SINCE`.
    pub(super) fn read(checkout: &Checkout) -> Option<Changes> {
        let root = &checkout.root;
        let since = env::var("RUNGRAD_SINCE").ok();
        // The first commit has none before it, nor has a copy of the last one.
        let known = ["HEAD^", "HEAD"].map(String::from);
        let base = since.into_iter().chain(known).find(|base| {
            let commit = format!("{base}^{{commit}}");
            git(root, &["rev-parse", "--verify", "--quiet", &commit]).is_some()
        })?;
        let changed = ["diff", "--name-only", "--relative", "-z", &base];
        let new = ["ls-files", "-z", "--others", "--exclude-standard"];
        let lists = [git(root, &changed)?, git(root, &new)?];
        // A zero ends each path, also the last.
        let files = lists.iter().flat_map(|list| list.split_terminator('\0'));
        Some(Changes { files: files.map(String::from).collect(), base })
    }

    /// Returns the text of a file as it was.
    pub(super) fn before(
        &self,
        checkout: &Checkout,
        file: &str,
    ) -> Option<String> {
        let place = format!("{}:./{file}", self.base);
        git(&checkout.root, &["show", &place])
    }
}

/// Counts the days, so that what a day leaves comes round within some. Who
/// repeats the run of another day says which, by `RUNGRAD_TODAY`.
pub(super) fn today() -> u64 {
    let said = env::var("RUNGRAD_TODAY").ok();
    if let Some(day) = said.and_then(|it| it.parse().ok()) {
        return day;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs() / (24 * 60 * 60))
}

fn git(root: &Path, words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // Where root builds what another user has checked out, git would refuse.
    git.args(["-c", "safe.directory=*"]).args(words).current_dir(root);
    let output = git.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
