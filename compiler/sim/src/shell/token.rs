//! The tokens of a script: words, with quotes removed and split at their variables, operators and redirections.

use super::{Part, Word};

#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(Word),
    /// `;` and newline are both `;`.
    Op(&'static str),
    Redirect {
        from: u8,
        op: &'static str,
    },
}

/// Splits a script. Errors: what the shell does not support, or an unterminated quote.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        match (char, next) {
            (' ' | '\t' | '\r', _) => at += 1,
            ('#', _) => at += chars[at..].iter().take_while(|&&char| char != '\n').count(),
            ('\\', Some('\n')) => at += 2,
            // The right side may begin on the next line.
            ('\n', _) if matches!(tokens.last(), Some(Token::Op("&&" | "||"))) => at += 1,
            (';' | '\n', _) => {
                tokens.push(Token::Op(";"));
                at += 1;
            }
            ('&', Some('&')) | ('|', Some('|')) => {
                tokens.push(Token::Op(if char == '&' { "&&" } else { "||" }));
                at += 2;
            }
            ('&' | '|' | '(' | ')' | '`', _) => {
                return Err(format!("`{char}` is not supported by the simulated shell"));
            }
            ('0'..='9', Some('>')) => at = redirect(&chars, at + 1, char as u8 - b'0', &mut tokens),
            ('>', _) => at = redirect(&chars, at, 1, &mut tokens),
            ('<', _) => {
                tokens.push(Token::Redirect { from: 0, op: "<" });
                at += 1;
            }
            _ => {
                let (word, end) = word(&chars, at)?;
                tokens.push(Token::Word(word));
                at = end;
            }
        }
    }
    Ok(tokens)
}

fn redirect(chars: &[char], at: usize, from: u8, tokens: &mut Vec<Token>) -> usize {
    let (op, n_chars) = match chars.get(at + 1) {
        Some('>') => (">>", 2),
        Some('&') => (">&", 2),
        _ => (">", 1),
    };
    tokens.push(Token::Redirect { from, op });
    at + n_chars
}

fn word(chars: &[char], mut at: usize) -> Result<(Word, usize), String> {
    let mut word = Word::default();
    let mut text = String::new();
    let mut in_quotes = false;
    while let Some(&char) = chars.get(at) {
        match char {
            ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if !in_quotes => break,
            '\'' if !in_quotes => {
                let end = chars[at + 1..].iter().position(|&char| char == '\'').ok_or("unterminated quote")?;
                text.extend(&chars[at + 1..at + 1 + end]);
                word.quoted = true;
                at += end + 2;
                continue;
            }
            '"' => {
                in_quotes = !in_quotes;
                word.quoted = true;
            }
            '\\' => {
                at += 1;
                match chars.get(at) {
                    // The line continues with the next one.
                    Some('\n') => {}
                    Some(char) if in_quotes && !matches!(char, '$' | '`' | '"' | '\\') => text.extend(['\\', *char]),
                    next => {
                        text.extend(next);
                        word.quoted = true;
                    }
                }
            }
            '$' => {
                let braced = chars.get(at + 1) == Some(&'{');
                let start = at + 1 + usize::from(braced);
                let is_name = |char: &char| char.is_ascii_alphanumeric() || *char == '_';
                let n_chars = match chars.get(start) {
                    Some('?') => 1,
                    _ => chars[start..].iter().take_while(|char| is_name(char)).count(),
                };
                if chars.get(start) == Some(&'(') {
                    return Err("`$(` is not supported by the simulated shell".into());
                }
                if braced && (n_chars == 0 || chars.get(start + n_chars) != Some(&'}')) {
                    return Err("`${` with more than a name is not supported by the simulated shell".into());
                }
                if n_chars == 0 {
                    text.push('$');
                } else {
                    word.parts.push(Part::Text(std::mem::take(&mut text)));
                    word.parts.push(Part::Variable(chars[start..start + n_chars].iter().collect()));
                    at = start + n_chars - usize::from(!braced);
                }
            }
            char => text.push(char),
        }
        at += 1;
    }
    if in_quotes {
        return Err("unterminated quote".into());
    }
    if !text.is_empty() || word.parts.is_empty() {
        word.parts.push(Part::Text(text));
    }
    Ok((word, at))
}
