//! The names of parameters: each part of a module puts the name that it has
//! there in front of its own names.

use super::{Kept, Module, Parameter, ParameterMut, Tensor};

// ANCHOR: part
/// What a module is made of: parameters, what it keeps beside them, other
/// modules, and lists of these. Each puts the name that the module has given
/// it in front of its own names.
pub trait NamedParameters {
    /// Lists the parameters under a name.
    fn named(&self, name: &str) -> Vec<Parameter<'_>>;

    /// Lists the same parameters to be replaced.
    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>>;

    /// Lists what is kept beside them, under a name.
    fn named_kept(&self, _name: &str) -> Vec<(String, Kept<'_>)> {
        Vec::new()
    }
}

/// A parameter is called as its place is.
impl NamedParameters for Tensor {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        vec![(name.to_string(), self)]
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        vec![(name.to_string(), self)]
    }
}

/// Those of a module are `hidden.weight` and `hidden.bias`.
impl<M: Module> NamedParameters for M {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        let parameters = self.parameters().into_iter();
        parameters.map(|(inner, p)| (prefixed(name, &inner), p)).collect()
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        let parameters = self.parameters_mut().into_iter();
        parameters.map(|(inner, p)| (prefixed(name, &inner), p)).collect()
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        let kept = self.kept().into_iter();
        kept.map(|(inner, it)| (prefixed(name, &inner), it)).collect()
    }
}

// ANCHOR_END: part

/// Those of a list are counted: `layers.0.weight`.
impl<P: NamedParameters> NamedParameters for [P] {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        let parts = self.iter().enumerate();
        parts
            .flat_map(|(i, p)| p.named(&prefixed(name, &i.to_string())))
            .collect()
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        let parts = self.iter_mut().enumerate();
        let named =
            parts.map(|(i, p)| p.named_mut(&prefixed(name, &i.to_string())));
        named.flatten().collect()
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        let parts = self.iter().enumerate();
        parts
            .flat_map(|(i, p)| p.named_kept(&prefixed(name, &i.to_string())))
            .collect()
    }
}

/// Joins a name to the one that it stands in, as in a file system.
fn prefixed(outer: &str, inner: &str) -> String {
    match outer {
        "" => inner.to_string(),
        _ => format!("{outer}.{inner}"),
    }
}
impl NamedParameters for Box<dyn Module> {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        let parameters = (**self).parameters().into_iter();
        parameters.map(|(inner, p)| (prefixed(name, &inner), p)).collect()
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        let parameters = (**self).parameters_mut().into_iter();
        parameters.map(|(inner, p)| (prefixed(name, &inner), p)).collect()
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        let kept = (**self).kept().into_iter();
        kept.map(|(inner, it)| (prefixed(name, &inner), it)).collect()
    }
}

impl<P: NamedParameters> NamedParameters for Vec<P> {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        self[..].named(name)
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        self[..].named_mut(name)
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        self[..].named_kept(name)
    }
}

impl<P: NamedParameters, const N: usize> NamedParameters for [P; N] {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        self[..].named(name)
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        self[..].named_mut(name)
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        self[..].named_kept(name)
    }
}

/// What is not there has no parameters.
impl<P: NamedParameters> NamedParameters for Option<P> {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        self.as_ref().map_or(vec![], |part| part.named(name))
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        self.as_mut().map_or(vec![], |part| part.named_mut(name))
    }

    fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
        self.as_ref().map_or(vec![], |part| part.named_kept(name))
    }
}

/// In an `impl Module`: writes `parameters` and `parameters_mut`, which list
/// the named fields, and `kept`, which lists what these keep beside their
/// parameters. Each field has [`NamedParameters`]: it is a tensor, a module, a
/// buffer, a generator, a mode, or a `Vec`, an array or an `Option` of these.
/// A field that is left out is not learned, moved or saved, and hears of
/// neither [`train`] nor [`eval`].
///
/// [`NamedParameters`]: crate::part3_unified::nn::NamedParameters
/// [`train`]: crate::part3_unified::nn::Module::train
/// [`eval`]: crate::part3_unified::nn::Module::eval
///
/// ```
/// use rungrad::part3_unified::Tensor;
/// use rungrad::part3_unified::nn::{Linear, Module};
///
/// struct Tower {
///     layers: Vec<Linear>,
///     scale: f32,
/// }
///
/// impl Module for Tower {
///     fn forward(&self, x: &Tensor) -> Tensor {
///         let layers = self.layers.iter();
///         layers.fold(x.clone(), |x, layer| layer.forward(&x) * self.scale)
///     }
///
///     rungrad::parameters!(layers);
/// }
/// # let mut random = rungrad::rng::Random::new(0);
/// # let layers = vec![Linear::new(2, 2, &mut random)];
/// # let tower = Tower { layers, scale: 1.0 };
/// assert_eq!(tower.parameters()[0].0, "layers.0.weight");
/// ```
// ANCHOR: macro
#[macro_export]
macro_rules! parameters {
    ($($field:ident),* $(,)?) => {
        fn parameters(
            &self,
        ) -> ::std::vec::Vec<$crate::part3_unified::nn::Parameter<'_>> {
            $crate::parameters!(
                @ named $((&self.$field, stringify!($field)))*
            )
        }

        fn parameters_mut(
            &mut self,
        ) -> ::std::vec::Vec<$crate::part3_unified::nn::ParameterMut<'_>> {
            $crate::parameters!(
                @ named_mut $((&mut self.$field, stringify!($field)))*
            )
        }

        fn kept(
            &self,
        ) -> ::std::vec::Vec<(
            ::std::string::String,
            $crate::part3_unified::nn::Kept<'_>,
        )> {
            $crate::parameters!(
                @ named_kept $((&self.$field, stringify!($field)))*
            )
        }
    };
    (@ $list:ident $($part:tt)*) => {{
        let parts = ::std::iter::empty();
        $(let parts = parts.chain(
            $crate::part3_unified::nn::NamedParameters::$list $part,
        );)*
        parts.collect()
    }};
}
// ANCHOR_END: macro
