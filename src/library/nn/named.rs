//! Names of parameters: each module prefixes the names of its parts with the
//! name of the field that holds them.

use super::{Kept, Layer, Parameter, ParameterMut, Parameters, Tensor};

/// A part of a module: a parameter, other state, a module, or a list of these.
/// Its names begin with the name of the field that holds it.
pub trait NamedParameters {
    /// Lists the parameters, with names that begin with `name`.
    fn named(&self, name: &str) -> Vec<Parameter<'_>>;

    /// Lists the same parameters, mutably and in the same order.
    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>>;

    /// Lists the state besides the parameters, with names that begin with
    /// `name`.
    fn named_kept(&self, _name: &str) -> Vec<(String, Kept<'_>)> {
        Vec::new()
    }
}

/// A parameter has the name of its field.
impl NamedParameters for Tensor {
    fn named(&self, name: &str) -> Vec<Parameter<'_>> {
        vec![(name.to_string(), self)]
    }

    fn named_mut(&mut self, name: &str) -> Vec<ParameterMut<'_>> {
        vec![(name.to_string(), self)]
    }
}

/// The parameters of a module are named like `hidden.weight` and
/// `hidden.bias`.
impl<M: Parameters> NamedParameters for M {
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

/// The parameters of a list are numbered: `layers.0.weight`.
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

/// Joins two names with a dot, unless the outer one is empty.
fn prefixed(outer: &str, inner: &str) -> String {
    match outer {
        "" => inner.to_string(),
        _ => format!("{outer}.{inner}"),
    }
}
impl NamedParameters for Box<dyn Layer> {
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

/// `None` has no parameters.
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

/// Implements the methods of [`Parameters`] from a list of fields:
/// `parameters`, `parameters_mut`, and `kept`, the state besides the
/// parameters. Use it inside `impl Parameters`. Each field must implement
/// [`NamedParameters`]: it is a tensor, a module, a buffer, a generator, a
/// mode, or a `Vec`, an array or an `Option` of these. Fields that are not
/// listed are not trained, moved or saved, and are not switched by [`train`]
/// and [`eval`].
///
/// [`NamedParameters`]: super::NamedParameters
/// [`train`]: super::Parameters::train
/// [`eval`]: super::Parameters::eval
///
/// ```
/// use rungrad::part3_unified::Tensor;
/// use rungrad::nn::{Linear, Module, Parameters};
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
/// }
///
/// impl Parameters for Tower {
///     rungrad::parameters!(layers);
/// }
/// # let mut random = rungrad::rng::Random::new(0);
/// # let layers = vec![Linear::new(2, 2, &mut random)];
/// # let tower = Tower { layers, scale: 1.0 };
/// assert_eq!(tower.parameters()[0].0, "layers.0.weight");
/// ```
#[macro_export]
macro_rules! parameters {
    ($($field:ident),* $(,)?) => {
        fn parameters(
            &self,
        ) -> ::std::vec::Vec<$crate::nn::Parameter<'_>> {
            $crate::parameters!(
                @ named $((&self.$field, stringify!($field)))*
            )
        }

        fn parameters_mut(
            &mut self,
        ) -> ::std::vec::Vec<$crate::nn::ParameterMut<'_>> {
            $crate::parameters!(
                @ named_mut $((&mut self.$field, stringify!($field)))*
            )
        }

        fn kept(
            &self,
        ) -> ::std::vec::Vec<(
            ::std::string::String,
            $crate::nn::Kept<'_>,
        )> {
            $crate::parameters!(
                @ named_kept $((&self.$field, stringify!($field)))*
            )
        }
    };
    (@ $list:ident $($part:tt)*) => {{
        let parts = ::std::iter::empty();
        $(let parts = parts.chain(
            $crate::nn::NamedParameters::$list $part,
        );)*
        parts.collect()
    }};
}
