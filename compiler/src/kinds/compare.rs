//! The usual comparison of two resources of one kind: field by field.

use super::decl::KindDecl;
use super::kind::Want;

/// Compares every field that counts; `Err` names the first that differs.
pub fn fields(decl: &KindDecl, one: &Want, other: &Want) -> Result<(), String> {
    let pairs = one.params.values.iter().zip(&other.params.values);
    let compared = decl.fields.iter().zip(pairs).filter(|(field, _)| field.compared);
    for (field, (a, b)) in compared {
        if a != b {
            return Err(format!("the {} differs", field.printed_name));
        }
    }
    Ok(())
}
