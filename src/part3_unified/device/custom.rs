//! User-defined devices, and the registry that finds them by name.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::Backend;
use crate::error::{Error, Result};

/// A registered backend and its name, created by
/// [`Device::register`](super::Device::register).
#[derive(Clone, Copy)]
pub struct Custom(&'static Registered);

/// A registry entry. Entries are never freed, so a device can be a plain
/// reference.
struct Registered {
    name: String,
    /// The backend's type. A zero-sized backend has no unique address, so the
    /// type is needed to tell two of them apart.
    kind: TypeId,
    backend: &'static dyn Backend,
}

impl Custom {
    pub(super) fn name(self) -> &'static str {
        &self.0.name
    }

    pub(super) fn backend(self) -> &'static dyn Backend {
        self.0.backend
    }
}

static REGISTERED: Mutex<Vec<Custom>> = Mutex::new(Vec::new());

fn registered() -> MutexGuard<'static, Vec<Custom>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn register<B: Backend>(backend: &'static B) -> Result<Custom> {
    let (name, kind) = (backend.name(), TypeId::of::<B>());
    let mut all = registered();
    let is_same = |Custom(known): &&Custom| {
        let place = ptr::from_ref(known.backend).cast::<B>();
        let same = size_of::<B>() == 0 || ptr::eq(place, backend);
        known.name == name && known.kind == kind && same
    };
    if let Some(known) = all.iter().find(is_same) {
        return Ok(*known);
    }
    let refused = |why: &str| {
        Error::Mistake(format!(
            "cannot register device `{name}`: {why}; return a different name \
             from `Backend::name`"
        ))
    };
    if name.is_empty() {
        return Err(refused("the name is empty"));
    }
    let (first, _) = name.split_once(':').unwrap_or((&name, ""));
    if name == "cpu" || ["gpu", "fused", "plain"].contains(&first) {
        return Err(refused("the name is reserved"));
    }
    if all.iter().any(|Custom(known)| known.name == name) {
        return Err(refused("the name is taken"));
    }
    let custom =
        Custom(Box::leak(Box::new(Registered { name, kind, backend })));
    all.push(custom);
    Ok(custom)
}

pub(super) fn find(name: &str) -> Option<Custom> {
    all().into_iter().find(|custom| custom.name() == name)
}

/// Lists all custom devices, oldest first.
pub(super) fn all() -> Vec<Custom> {
    registered().clone()
}

impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for Custom {}

impl Hash for Custom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}
