//! How many of something a scenario expects.

/// An inclusive range of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// The lower end.
    pub least: usize,
    /// The upper end.
    pub most: usize,
}

impl Count {
    /// One or more if `is_there`, otherwise zero.
    pub fn any(is_there: bool) -> Count {
        if is_there { Count { least: 1, most: usize::MAX } } else { Count { least: 0, most: 0 } }
    }

    /// Whether the number is in the range.
    pub fn holds(self, n: usize) -> bool {
        (self.least..=self.most).contains(&n)
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Count { least, most } if least == most => write!(f, "{least}"),
            Count { least, most: usize::MAX } => write!(f, "at least {least}"),
            Count { most, .. } => write!(f, "at most {most}"),
        }
    }
}
