//! [`Dice`]: a small generator of numbers. The same seed gives the same inputs on every machine.

pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        // Seeds that are near each other give other numbers from the first one on.
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        dice.below(1);
        dice
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Cuts, doubles and changes bytes, and puts in pieces and lines of another one of its kind.
    pub(crate) fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8], pieces: &[&[u8]]) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(6)).min(bytes.len());
            match self.below(9) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                2 => drop(bytes.drain(at..end)),
                3 | 4 => {
                    let lines: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
                    let line = lines.get(self.below(lines.len())).map_or(Vec::new(), |line| line.to_vec());
                    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
                    bytes.splice(start..start, line);
                }
                5 => {
                    let copy = bytes[at..(at + self.below(80)).min(bytes.len())].to_vec();
                    let to = self.below(bytes.len() + 1);
                    bytes.splice(to..to, copy);
                }
                _ => drop(bytes.splice(at..end, self.pick(pieces).iter().copied())),
            }
        }
    }
}
