//! Lists that many scenarios share.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A list that is cloned in O(1). A change copies it first if others share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SharedVec<T>(Arc<Vec<T>>);

impl<T> From<Vec<T>> for SharedVec<T> {
    fn from(list: Vec<T>) -> Self {
        SharedVec(Arc::new(list))
    }
}

impl<T> Deref for SharedVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Clone> DerefMut for SharedVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        Arc::make_mut(&mut self.0)
    }
}

impl<'a, T> IntoIterator for &'a SharedVec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut SharedVec<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
