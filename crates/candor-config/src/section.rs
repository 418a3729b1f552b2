//! The macro that declares a table of settings.
//!
//! Each key is written once: its documentation, its type, its default and what a workspace may do with it. From that
//! come the struct, its defaults, its reader, and the description behind the schema and the reference page. A derive
//! macro would need a crate of its own, and serde cannot give every problem with its place at once.

/// Declares a struct whose fields are settings.
///
/// `key: Type = default;` and, for all but freely settable keys, a [`Scope`](crate::setting::Scope) in brackets:
/// `key: Type = default, [Owner];`.
macro_rules! section {
    (
        $(#[doc = $section_doc:literal])*
        pub struct $section:ident {
            $(
                $(#[doc = $doc:literal])*
                $name:ident : $type:ty = $default:expr $(, [$scope:ident])? ;
            )*
        }
    ) => {
        $(#[doc = $section_doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $section {
            $($(#[doc = $doc])* pub $name: $type,)*
        }

        impl Default for $section {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl $section {
            /// The keys of this table.
            pub(crate) const FIELDS: &'static [$crate::setting::Field] = &[
                $($crate::setting::Field {
                    name: stringify!($name),
                    doc: &[$($doc),*],
                    kind: <$type as $crate::setting::Setting>::kind,
                    default: || <$type as $crate::setting::Setting>::show(&$default),
                    scope: section!(@scope $($scope)?),
                },)*
            ];

            /// The keys whose values differ.
            pub fn changed(&self, other: &Self) -> Vec<&'static str> {
                let differ = [$((stringify!($name), self.$name != other.$name)),*];
                differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
            }
        }

        impl $crate::setting::Setting for $section {
            fn kind() -> $crate::setting::Kind {
                $crate::setting::Kind::Table(Self::FIELDS)
            }

            fn decode(
                node: &$crate::node::Node,
                decoder: &mut $crate::decode::Decoder<'_>,
            ) -> Option<Self> {
                let table = decoder.table(node, Self::FIELDS)?;
                Some(Self {
                    $($name: <$type as $crate::setting::Setting>::decode_in(table, stringify!($name), decoder)
                        .unwrap_or_else(|| $default),)*
                })
            }

            fn show(&self) -> serde_json::Value {
                let mut shown = serde_json::Map::new();
                $(shown.insert(stringify!($name).to_owned(), $crate::setting::Setting::show(&self.$name));)*
                serde_json::Value::Object(shown)
            }
        }
    };
    (@scope) => { $crate::setting::Scope::Any };
    (@scope $scope:ident) => { $crate::setting::Scope::$scope };
}

/// Declares a setting that is one of a few words.
macro_rules! word {
    (
        $(#[doc = $enum_doc:literal])*
        pub enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[doc = $enum_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $name {
            /// The words, in the order of their variants.
            pub const WORDS: &'static [&'static str] = &[$($text),*];

            /// The word for this variant.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl $crate::setting::Setting for $name {
            fn kind() -> $crate::setting::Kind {
                $crate::setting::Kind::Word(Self::WORDS)
            }

            fn decode(
                node: &$crate::node::Node,
                decoder: &mut $crate::decode::Decoder<'_>,
            ) -> Option<Self> {
                match decoder.word(node, Self::WORDS)? {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }

            fn show(&self) -> serde_json::Value {
                self.as_str().into()
            }
        }
    };
}
