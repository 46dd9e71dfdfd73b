//! Policies whose types are known only from their kinds, for programs with one engine for all of them.

use super::{Context, Policy, PolicyKind, PolicyVisitor, Ranked, RankedPolicy, RankedVisitor};

/// Creates a registered policy at the start of a simulation; `None` for one that this program does not contain.
pub type Create = fn(PolicyKind, &Context) -> Option<Box<dyn Policy>>;

/// Creates any registered policy.
pub fn create(kind: PolicyKind, context: &Context) -> Option<Box<dyn Policy>> {
    kind.visit(New(context))
}

/// Creates a registered [`RankedPolicy`]; `None` for others.
pub fn create_ranked(kind: PolicyKind, context: &Context) -> Option<Box<dyn Policy>> {
    kind.visit_ranked(New(context))
}

struct New<'a>(&'a Context<'a>);

impl PolicyVisitor for New<'_> {
    type Output = Box<dyn Policy>;

    fn visit<P: Policy + 'static>(self) -> Self::Output {
        Box::new(P::new(self.0))
    }
}

impl RankedVisitor for New<'_> {
    type Output = Box<dyn Policy>;

    fn visit<P: RankedPolicy + 'static>(self) -> Self::Output {
        Box::new(<Ranked<P> as Policy>::new(self.0))
    }
}
