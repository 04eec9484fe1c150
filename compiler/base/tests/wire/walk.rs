//! [`Walk`]: finds the shape of every type that a value can hold, and makes a value for every variant, by being what
//! serde reads from. Nothing is listed by hand: a type that is read is a type that is found.
//!
//! A run reads one value. It takes the first variant of each enum, but along a *path* from the root it takes those that
//! the path names; an enum that was not seen before adds a path for each of its variants. So the value of a variant stays
//! the same however many variants come behind it.

use crate::shape::{Line, Shapes};
use serde::de::value::{Error, U32Deserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The variants of enums from the root to a place, each enum by its name.
type Path = Vec<(String, u32)>;

#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) shapes: Shapes,
    /// Variants that no value can have, since what they hold is an enum without any.
    never: BTreeSet<(String, u32)>,
    ahead: VecDeque<Path>,
    path: Path,
    /// Where the run is.
    at: Path,
    /// The type of the visitor that each name stands for: two types never share one.
    visitors: BTreeMap<String, &'static str>,
}

/// All that a type can hold: a value for each variant with the path to it, and the shapes.
pub(crate) fn explore<T: for<'de> Deserialize<'de>>() -> (Vec<(String, T)>, Shapes) {
    let walk = RefCell::new(Walk::default());
    let mut samples = Vec::new();
    let mut next = Some(Path::new());
    while let Some(path) = next {
        walk.borrow_mut().path.clone_from(&path);
        // Each failure finds a variant that no value can have, and the next try goes around it.
        loop {
            let n_never = walk.borrow().never.len();
            let read = T::deserialize(Reader { walk: &walk, form: &mut String::new() });
            let mut walk = walk.borrow_mut();
            walk.at.clear();
            match read {
                Ok(value) => {
                    samples.extend((!path.is_empty()).then(|| (walk.label(&path), value)));
                    break;
                }
                Err(_) if path.last().is_some_and(|last| walk.never.contains(last)) => break,
                Err(error) => assert!(walk.never.len() > n_never, "{}: {error}", walk.label(&path)),
            }
        }
        next = walk.borrow_mut().ahead.pop_front();
    }
    (samples, walk.into_inner().shapes)
}

impl Walk {
    fn label(&self, path: &Path) -> String {
        let variant =
            |(name, variant): &(String, u32)| format!("{name}::{}", self.shapes.0[name][*variant as usize].name);
        path.iter().map(variant).collect::<Vec<_>>().join(" > ")
    }

    /// The name of the type that a visitor reads: its path without what all of them have.
    fn name<V>(&mut self, given: &str) -> String {
        let visitor = std::any::type_name::<V>();
        // `…::<impl Deserialize<'_> for mclive_base::vocab::Finding>::deserialize::__Visitor<'_>`
        let of = visitor.split_once("<impl ").and_then(|(_, rest)| rest.split_once(">::deserialize"));
        let named = of.map_or(given, |(path, _)| path.rsplit(" for ").next().unwrap_or(path));
        let named = named.split('<').next().unwrap_or(named);
        let name = named.strip_prefix("mclive_base::").unwrap_or(named);
        let name = name.strip_prefix("vocab::").unwrap_or(name);
        // Serde's own types have a visitor for each use.
        let name = if named == given { format!("{name} of {visitor}") } else { name.to_owned() };
        let before = self.visitors.entry(name.clone()).or_insert(visitor);
        assert_eq!(*before, visitor, "two types are called {name}: give one of them a name of its own");
        name
    }

    /// Which variant to take of an enum; `None`: no value is of it.
    fn choose(&mut self, name: &str, variants: &[&str]) -> Option<u32> {
        if !self.shapes.0.contains_key(name) {
            let lines = variants.iter().map(|variant| Line::never(variant)).collect();
            self.shapes.0.insert(name.to_owned(), lines);
            let paths = (0..variants.len() as u32).map(|at| [&self.at[..], &[(name.to_owned(), at)]].concat());
            let paths: Vec<Path> = paths.collect();
            self.ahead.extend(paths);
        }
        let depth = self.at.len();
        let asked = self.path.get(depth).filter(|(asked, _)| asked == name && self.path[..depth] == self.at[..]);
        let first = || (0..variants.len() as u32).find(|at| !self.never.contains(&(name.to_owned(), *at)));
        let chosen = asked.map(|(_, at)| *at).or_else(first);
        if chosen.is_none() {
            self.never.extend(self.at.last().cloned());
        }
        chosen
    }

    fn found(&mut self, name: &str, at: usize, variant: &str, fields: Vec<(String, String)>) {
        let lines = self.shapes.0.entry(name.to_owned()).or_default();
        lines.resize_with(lines.len().max(at + 1), || Line::never(""));
        let line = Line { name: variant.to_owned(), fields: Some(fields) };
        assert!(
            lines[at].fields.is_none() || lines[at] == line,
            "{name} is read in two ways: {:?}, {line:?}",
            lines[at]
        );
        lines[at] = line;
    }
}

/// What one value is read from; it writes down the form of the value: `u64`, `[str]`, the name of a type.
struct Reader<'a> {
    walk: &'a RefCell<Walk>,
    form: &'a mut String,
}

/// Fields in a row: of a tuple, a struct, a variant, or the one item of a list.
struct Row<'a> {
    walk: &'a RefCell<Walk>,
    names: VecDeque<String>,
    fields: Vec<(String, String)>,
}

impl<'a> Row<'a> {
    fn new<N: ToString>(walk: &'a RefCell<Walk>, names: impl IntoIterator<Item = N>) -> Row<'a> {
        Row { walk, names: names.into_iter().map(|name| name.to_string()).collect(), fields: Vec::new() }
    }

    fn forms(&self) -> String {
        self.fields.iter().map(|(_, form)| form.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn read<'de, S: DeserializeSeed<'de>>(&mut self, name: String, seed: S) -> Result<S::Value, Error> {
        let mut form = String::new();
        let value = seed.deserialize(Reader { walk: self.walk, form: &mut form })?;
        self.fields.push((name, form));
        Ok(value)
    }
}

impl<'de> SeqAccess<'de> for &mut Row<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.names.pop_front().map(|name| self.read(name, seed)).transpose()
    }
}

impl<'de> MapAccess<'de> for &mut Row<'_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        self.read("1".into(), seed)
    }
}

macro_rules! plain {
    ($($read:ident $visit:ident $form:literal $value:expr;)*) => {
        $(
            fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                *self.form = $form.to_owned();
                visitor.$visit($value)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Error;

    /// As in postcard: what has a text for people is written otherwise there.
    fn is_human_readable(&self) -> bool {
        false
    }

    // Values that are long where they can be, so that another width has other bytes.
    plain! {
        deserialize_bool visit_bool "bool" true;
        deserialize_u8 visit_u8 "u8" 200;
        deserialize_u16 visit_u16 "u16" 50_000;
        deserialize_u32 visit_u32 "u32" 4_000_000_000;
        deserialize_u64 visit_u64 "u64" 5_000_000_000;
        deserialize_i8 visit_i8 "i8" -100;
        deserialize_i16 visit_i16 "i16" -30_000;
        deserialize_i32 visit_i32 "i32" -2_000_000_000;
        deserialize_i64 visit_i64 "i64" -5_000_000_000;
        deserialize_f32 visit_f32 "f32" 0.1;
        deserialize_f64 visit_f64 "f64" 0.1;
        deserialize_char visit_char "char" 'é';
        deserialize_str visit_str "str" "é";
        deserialize_string visit_str "str" "é";
        deserialize_bytes visit_bytes "bytes" &[0_u8, 255];
        deserialize_byte_buf visit_bytes "bytes" &[0_u8, 255];
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.form = "()".to_owned();
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut form = String::new();
        let value = visitor.visit_some(Reader { walk: self.walk, form: &mut form })?;
        *self.form = format!("{form}?");
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut row = Row::new(self.walk, ["0"]);
        let value = visitor.visit_seq(&mut row)?;
        *self.form = format!("[{}]", row.forms());
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut row = Row::new(self.walk, ["0"]);
        let value = visitor.visit_map(&mut row)?;
        *self.form = format!("{{{}}}", row.forms());
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        let mut row = Row::new(self.walk, 0..len);
        let value = visitor.visit_seq(&mut row)?;
        *self.form = format!("({})", row.forms());
        Ok(value)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        *self.form = self.walk.borrow_mut().name::<V>(name);
        self.walk.borrow_mut().found(self.form, 0, "", Vec::new());
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        *self.form = self.walk.borrow_mut().name::<V>(name);
        let mut form = String::new();
        let value = visitor.visit_newtype_struct(Reader { walk: self.walk, form: &mut form })?;
        self.walk.borrow_mut().found(self.form, 0, "", vec![("0".into(), form)]);
        Ok(value)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.form = self.walk.borrow_mut().name::<V>(name);
        let mut row = Row::new(self.walk, 0..len);
        let value = visitor.visit_seq(&mut row)?;
        self.walk.borrow_mut().found(self.form, 0, "", row.fields);
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.form = self.walk.borrow_mut().name::<V>(name);
        let mut row = Row::new(self.walk, fields);
        let value = visitor.visit_seq(&mut row)?;
        self.walk.borrow_mut().found(self.form, 0, "", row.fields);
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name = self.walk.borrow_mut().name::<V>(name);
        self.form.clone_from(&name);
        let chosen = self.walk.borrow_mut().choose(&name, variants);
        let at = chosen.ok_or_else(|| Error::custom(format!("no value is of {name}")))?;
        self.walk.borrow_mut().at.push((name.clone(), at));
        let mut row = Row::new(self.walk, [""; 0]);
        let value = visitor.visit_enum(Chosen { at, row: &mut row })?;
        let mut walk = self.walk.borrow_mut();
        walk.at.pop();
        walk.found(&name, at as usize, variants[at as usize], row.fields);
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("postcard cannot read what does not say what it is"))
    }

    forward_to_deserialize_any! { i128 u128 identifier }
}

/// A variant that was chosen, and the row that its fields are written down in.
struct Chosen<'a, 'w> {
    at: u32,
    row: &'a mut Row<'w>,
}

impl<'de> EnumAccess<'de> for Chosen<'_, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        Ok((seed.deserialize(U32Deserializer::new(self.at))?, self))
    }
}

impl<'de> VariantAccess<'de> for Chosen<'_, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.row.read("0".into(), seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.row.names = (0..len).map(|at| at.to_string()).collect();
        visitor.visit_seq(self.row)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.row.names = fields.iter().map(ToString::to_string).collect();
        visitor.visit_seq(self.row)
    }
}
