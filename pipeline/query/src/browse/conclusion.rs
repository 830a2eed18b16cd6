//! What a score says of an answer.

/// What was concluded from a score row of metric `correct`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conclusion {
    /// The answer is right.
    Right,
    /// An answer was read, and it is wrong.
    Wrong,
    /// No answer could be read, which counts as wrong.
    Unread,
    /// There is no value, or no row.
    Missing,
}

impl Conclusion {
    /// Every conclusion, in report order.
    pub const ALL: [Self; 4] = [Self::Right, Self::Wrong, Self::Unread, Self::Missing];

    /// The conclusion of a value, and of whether it comes with a reason.
    pub fn of(value: Option<f64>, has_reason: bool) -> Self {
        match value {
            None => Self::Missing,
            Some(value) if value >= 1.0 => Self::Right,
            Some(_) if has_reason => Self::Unread,
            Some(_) => Self::Wrong,
        }
    }
}
