//! Types whose schema and reader are made of one list of fields.

use serde_json::{Map, Value, json};

use super::Argument;
use super::kinds::mismatch;

/// Makes a type of arguments of its fields. What the model is told about one, and the other names that models know it by,
/// stand behind its type, where there are any: `limit: Option<u64> = "lines", or ["max"];`.
///
/// A field that is an [`Option`] need not be given. Texts are borrowed: reading copies nothing.
#[macro_export]
macro_rules! arguments {
    (
        $(#[$note:meta])* $vis:vis struct $name:ident<$life:lifetime> {
            $($field:ident: $type:ty $(= $says:literal)? $(, or [$($other:literal),+])?;)*
        }
    ) => {
        $(#[$note])*
        #[derive(Debug, Clone)]
        $vis struct $name<$life> {
            $($field: $type,)*
        }
        $crate::arguments! {
            @read [$life] [$name<$life>] $($field: $type [$($says)?] [$($($other),+)?])*
        }
    };
    (
        $(#[$note:meta])* $vis:vis struct $name:ident {
            $($field:ident: $type:ty $(= $says:literal)? $(, or [$($other:literal),+])?;)*
        }
    ) => {
        $(#[$note])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $($field: $type,)*
        }
        $crate::arguments! {
            @read ['value] [$name] $($field: $type [$($says)?] [$($($other),+)?])*
        }
    };
    (
        @read [$life:lifetime] [$($name:tt)+]
        $($field:ident: $type:ty [$($says:literal)?] [$($other:literal),*])*
    ) => {
        impl<$life> $crate::arguments::Argument<$life> for $($name)+ {
            fn schema() -> $crate::arguments::Value {
                let mut fields = $crate::arguments::Fields::default();
                $(fields.add::<$type>(stringify!($field), &[$($says)?]);)*
                fields.schema()
            }

            fn read(value: &$life $crate::arguments::Value) -> Result<Self, String> {
                let mut given = $crate::arguments::Given::of(value)?;
                $(let $field = given.field::<$type>(&[stringify!($field), $($other),*]);)*
                Ok(Self { $($field: $field.ok_or_else(|| given.problem())?,)* })
            }
        }
    };
}

/// Makes a type of arguments that is one word out of a few.
#[macro_export]
macro_rules! choices {
    ($(#[$note:meta])* $vis:vis enum $name:ident { $($variant:ident = $word:literal,)+ }) => {
        $(#[$note])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $($variant,)+
        }

        impl $crate::arguments::Argument<'_> for $name {
            fn schema() -> $crate::arguments::Value {
                $crate::arguments::one_of(&[$($word),+])
            }

            fn read(value: &$crate::arguments::Value) -> Result<Self, String> {
                match value.as_str() {
                    $(Some($word) => Ok(Self::$variant),)+
                    _ => Err($crate::arguments::none_of(value, &[$($word),+])),
                }
            }
        }
    };
}

/// A schema, field by field.
#[derive(Debug, Default)]
pub struct Fields {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl Fields {
    /// Adds a field, and what is said about it.
    pub fn add<'a, T: Argument<'a>>(&mut self, name: &'static str, says: &[&str]) {
        let mut schema = T::schema();
        if let Some(says) = says.first() {
            schema["description"] = (*says).into();
        }
        self.properties.insert(name.to_owned(), schema);
        if T::absent().is_none() {
            self.required.push(name);
        }
    }

    /// The schema of an object with these fields.
    pub fn schema(self) -> Value {
        let mut schema = json!({ "type": "object", "properties": self.properties });
        // Every request pays for each word.
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema
    }
}

/// An object as it is read, and what is wrong with it so far.
#[derive(Debug)]
pub struct Given<'a> {
    fields: &'a Map<String, Value>,
    missing: Vec<String>,
    wrong: Vec<String>,
}

impl<'a> Given<'a> {
    /// Begins to read it.
    pub fn of(value: &'a Value) -> Result<Self, String> {
        let fields = value.as_object().ok_or_else(|| mismatch(value, "object"))?;
        Ok(Self { fields, missing: Vec::new(), wrong: Vec::new() })
    }

    /// A field by the first of these names that is there. Nothing, when [`Given::problem`] has a word to say about it.
    pub fn field<T: Argument<'a>>(&mut self, names: &[&str]) -> Option<T> {
        let value = names.iter().find_map(|name| self.fields.get(*name).filter(|value| !value.is_null()));
        let name = names.first().unwrap_or(&"");
        match value.map(T::read) {
            Some(Ok(read)) => Some(read),
            Some(Err(problem)) => {
                self.wrong.push(format!("`{name}` {problem}"));
                None
            }
            None => T::absent().or_else(|| {
                self.missing.push(format!("`{name}` is missing"));
                None
            }),
        }
    }

    /// What is wrong with it, in one line.
    pub fn problem(&self) -> String {
        let problems: Vec<&str> = self.missing.iter().chain(&self.wrong).map(String::as_str).collect();
        problems.join("; ")
    }
}
