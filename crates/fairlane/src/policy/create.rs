//! Policies whose types are known only from their kinds, for programs with one engine for all of them.

use super::{Context, Policy, PolicyKind, PolicyVisitor};

/// Creates a registered policy at the start of a simulation; `None` for one from outside.
pub fn create(kind: PolicyKind, context: &Context) -> Option<Box<dyn Policy>> {
    struct New<'a>(&'a Context<'a>);

    impl PolicyVisitor for New<'_> {
        type Output = Box<dyn Policy>;

        fn visit<P: Policy + 'static>(self) -> Self::Output {
            Box::new(P::new(self.0))
        }
    }

    kind.visit(New(context))
}
