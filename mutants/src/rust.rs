//! Where a fault can be planted in a file of Rust.

use std::ops::Range;

use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Stmt, UnOp};

use crate::mutant::{Form, Mutant};

/// Every mutant of a file of Rust, in the order of the text.
pub(crate) fn mutants(file: &str, text: &str) -> Result<Vec<Mutant>, String> {
    let syntax = syn::parse_file(text).map_err(|error| {
        let line = error.span().start().line;
        format!("{file}:{line}: {error}")
    })?;
    let (found, within) = (Vec::new(), Vec::new());
    let mut finder = Finder { file, text, found, bool: false, within };
    finder.visit_file(&syntax);
    finder.found.sort_by_key(|mutant| mutant.at);
    Ok(finder.found)
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    found: Vec<Mutant>,
    /// Whether the function around gives a `bool`.
    bool: bool,
    /// The names of the functions around.
    within: Vec<String>,
}

/// What an operator is mistaken for.
fn other(operator: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        BinOp::Lt(_) => ("<", "<="),
        BinOp::Le(_) => ("<=", "<"),
        BinOp::Gt(_) => (">", ">="),
        BinOp::Ge(_) => (">=", ">"),
        BinOp::Eq(_) => ("==", "!="),
        BinOp::Ne(_) => ("!=", "=="),
        BinOp::Add(_) => ("+", "-"),
        BinOp::Sub(_) => ("-", "+"),
        BinOp::Mul(_) => ("*", "/"),
        BinOp::Div(_) => ("/", "*"),
        BinOp::Rem(_) => ("%", "/"),
        BinOp::And(_) => ("&&", "||"),
        BinOp::Or(_) => ("||", "&&"),
        BinOp::BitAnd(_) => ("&", "|"),
        BinOp::BitOr(_) => ("|", "&"),
        BinOp::BitXor(_) => ("^", "|"),
        BinOp::Shl(_) => ("<<", ">>"),
        BinOp::Shr(_) => (">>", "<<"),
        BinOp::AddAssign(_) => ("+=", "-="),
        BinOp::SubAssign(_) => ("-=", "+="),
        BinOp::MulAssign(_) => ("*=", "/="),
        BinOp::DivAssign(_) => ("/=", "*="),
        _ => return None,
    })
}

/// What a method is mistaken for.
const METHODS: [(&str, &str); 6] = [
    ("min", "max"),
    ("any", "all"),
    ("first", "last"),
    ("is_some", "is_none"),
    ("is_ok", "is_err"),
    ("saturating_sub", "saturating_add"),
];

impl Finder<'_> {
    fn slice(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }

    fn add(
        &mut self,
        form: Form,
        range: Range<usize>,
        after: String,
        at: usize,
        change: String,
    ) {
        let source = (self.file, self.text);
        let mutant = Mutant::new(source, form, range, after, at, change);
        self.found.push(Mutant { within: self.within.clone(), ..mutant });
    }

    /// `whole` with other words in the place of `part`.
    fn replace(
        &mut self,
        whole: Range<usize>,
        part: Range<usize>,
        words: &str,
    ) {
        let head = self.slice(whole.start..part.start);
        let after = [head, words, self.slice(part.end..whole.end)].concat();
        let change = format!("{} to {words}", self.slice(part.clone()));
        self.add(Form::Expression, whole, after, part.start, change);
    }

    fn negate(&mut self, condition: &Expr) {
        // Their own operator is mutated already.
        let own = match condition {
            Expr::Binary(it) => other(&it.op).is_some(),
            Expr::Unary(_) | Expr::Lit(_) | Expr::Let(_) => true,
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => true,
            Expr::Unsafe(_) | Expr::Macro(_) => true,
            _ => false,
        };
        if !own {
            let range = condition.span().byte_range();
            let after = format!("!({})", self.slice(range.clone()));
            let at = range.start;
            self.add(Form::Expression, range, after, at, "negated".into());
        }
    }

    fn literal(&mut self, literal: &Lit) {
        let range = literal.span().byte_range();
        let words = match literal {
            Lit::Int(it) => {
                let Ok(number) = it.base10_parse::<u128>() else { return };
                format!("{}{}", number + 1, it.suffix())
            }
            Lit::Float(it) => {
                let Ok(number) = it.base10_parse::<f64>() else { return };
                format!("{:?}{}", number + 1.0, it.suffix())
            }
            Lit::Bool(it) => (!it.value).to_string(),
            _ => return,
        };
        self.replace(range.clone(), range, &words);
    }

    /// A function's body, whose last expression is what it gives.
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        // A constant cannot ask which mutant is on.
        if signature.constness.is_some() {
            return;
        }
        let gives = match &signature.output {
            syn::ReturnType::Type(_, kind) => kind.span().byte_range(),
            syn::ReturnType::Default => 0..0,
        };
        let bool = self.slice(gives) == "bool";
        let outer = std::mem::replace(&mut self.bool, bool);
        self.within.push(signature.ident.to_string());
        if let Some(Stmt::Expr(last, None)) = block.stmts.last()
            && bool
        {
            self.negate(last);
        }
        self.visit_block(block);
        self.bool = outer;
        self.within.pop();
    }
}

/// Whether a chain of `&&` binds a name.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(it) => binds(&it.left) || binds(&it.right),
        _ => false,
    }
}

/// `vec![VALUE; LENGTH]`, whose length is no constant.
fn repeated(input: ParseStream) -> syn::Result<[Expr; 2]> {
    let value = input.parse()?;
    input.parse::<syn::Token![;]>()?;
    Ok([value, input.parse()?])
}

fn only_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            let words = list.tokens.to_string();
            list.path.is_ident("cfg") && words == "test"
        }
        meta => meta.path().is_ident("test"),
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, it: &'ast syn::ItemFn) {
        if !only_for_tests(&it.attrs) {
            self.body(&it.sig, &it.block);
        }
    }

    fn visit_impl_item_fn(&mut self, it: &'ast syn::ImplItemFn) {
        if !only_for_tests(&it.attrs) {
            self.body(&it.sig, &it.block);
        }
    }

    fn visit_trait_item_fn(&mut self, it: &'ast syn::TraitItemFn) {
        if let Some(block) = &it.default {
            self.body(&it.sig, block);
        }
    }

    fn visit_item_mod(&mut self, it: &'ast syn::ItemMod) {
        if !only_for_tests(&it.attrs) {
            visit::visit_item_mod(self, it);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(it, Some(_)) = statement {
            let goes = match it {
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
                Expr::Return(_) | Expr::Continue(_) | Expr::Try(_) => true,
                Expr::Binary(it) => other(&it.op).is_some(),
                _ => false,
            };
            if goes {
                let range = statement.span().byte_range();
                let (at, none) = (range.start, String::new());
                self.add(Form::Statement, range, none, at, "deleted".into());
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        let whole = expression.span().byte_range();
        match expression {
            Expr::Binary(it) if !binds(expression) => {
                if let Some((_, words)) = other(&it.op) {
                    self.replace(whole, it.op.span().byte_range(), words);
                }
            }
            Expr::Unary(it) if !matches!(it.op, UnOp::Deref(_)) => {
                let sign = it.op.span().byte_range();
                let after = self.slice(sign.end..whole.end).to_owned();
                let change = format!("{} dropped", self.slice(sign.clone()));
                self.add(Form::Expression, whole, after, sign.start, change);
            }
            Expr::Lit(it) => self.literal(&it.lit),
            Expr::MethodCall(it) => {
                let name = it.method.span().byte_range();
                for (one, two) in METHODS {
                    if it.method == one {
                        self.replace(whole.clone(), name.clone(), two);
                    } else if it.method == two {
                        self.replace(whole.clone(), name.clone(), one);
                    }
                }
            }
            Expr::Call(it) => {
                let some = it.func.span().byte_range();
                if self.slice(some.clone()) == "Some" {
                    let (at, none) = (some.start, String::from("None"));
                    let change = String::from("Some to None");
                    self.add(Form::Expression, whole, none, at, change);
                }
            }
            Expr::Range(it) => {
                let sign = it.limits.span().byte_range();
                if let Some(end) = &it.end
                    && !matches!(**end, Expr::Lit(_))
                {
                    let range = end.span().byte_range();
                    let closed =
                        matches!(it.limits, syn::RangeLimits::Closed(_));
                    let (step, change) = match closed {
                        true => ("- 1", "..= to .."),
                        false => ("+ 1", ".. to ..="),
                    };
                    let end = self.slice(range.clone());
                    let after = format!("({end}) {step}");
                    let at = sign.start;
                    let change = change.into();
                    self.add(Form::Expression, range, after, at, change);
                }
            }
            Expr::If(it) => self.negate(&it.cond),
            Expr::Match(it) => {
                for (_, guard) in
                    it.arms.iter().filter_map(|a| a.guard.as_ref())
                {
                    self.negate(guard);
                }
            }
            Expr::Return(it) if self.bool => {
                if let Some(value) = &it.expr {
                    self.negate(value);
                }
            }
            // What must be constant.
            Expr::Const(_) => return,
            Expr::Repeat(it) => return self.visit_expr(&it.expr),
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_closure(&mut self, it: &'ast syn::ExprClosure) {
        let outer = std::mem::take(&mut self.bool);
        self.visit_expr(&it.body);
        self.bool = outer;
    }

    /// What stands in a macro is known to be expressions in these alone.
    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        const KNOWN: [&str; 7] = [
            "vec",
            "format",
            "write",
            "writeln",
            "assert",
            "assert_eq",
            "debug_assert",
        ];
        if !KNOWN.iter().any(|name| it.path.is_ident(name)) {
            return;
        }
        let list = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        if let Ok(list) = it.parse_body_with(list) {
            list.iter().for_each(|part| self.visit_expr(part));
        } else if let Ok([value, length]) = it.parse_body_with(repeated) {
            self.visit_expr(&value);
            self.visit_expr(&length);
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(code: &str) -> Vec<String> {
        let found = mutants("a.rs", code).unwrap();
        found.into_iter().map(|mutant| mutant.change).collect()
    }

    #[test]
    fn each_kind_of_place_is_found() {
        let body = |code: &str| changes(&format!("fn f() {{ {code} }}"));
        assert_eq!(
            body("let x = a[0] + 2.5;"),
            ["0 to 1", "+ to -", "2.5 to 3.5"]
        );
        assert_eq!(
            body("if a.min(b) < !c {}"),
            ["min to max", "< to <=", "! dropped"]
        );
        assert_eq!(body("if a.is_empty() {}"), ["negated"]);
        assert_eq!(body("list.push(x);"), ["deleted"]);
        assert_eq!(body("for i in 0..n {}"), ["0 to 1", ".. to ..="]);
        assert_eq!(body("for i in 0..=n {}"), ["0 to 1", "..= to .."]);
        assert_eq!(body("let a = Some(x);"), ["Some to None"]);
        assert_eq!(body("if a && let Some(x) = b {}"), [""; 0]);
        assert_eq!(
            body("vec![a[0], b]; vec![x + y; 2]"),
            ["0 to 1", "+ to -", "2 to 3"]
        );
        let code = "fn f() -> bool { if a == b { return c; } d }";
        let found = ["== to !=", "deleted", "negated", "negated"];
        assert_eq!(changes(code), found);
    }

    #[test]
    fn constants_types_patterns_and_tests_stay() {
        for code in [
            "const A: usize = 1 + 2;",
            "const fn f() -> usize { 1 }",
            "static A: [u8; 3] = [0; 3];",
            "fn f(a: [u8; 3]) -> [u8; 3] { match a { [1, ..] => a, a => a } }",
            "fn f() { let a = [x; 3]; }",
            "#[cfg(test)] mod tests { fn f() { a + 1; } }",
            "#[test] fn f() { a + 1; }",
            "enum A { B = 1 }",
        ] {
            assert_eq!(changes(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn a_mutant_knows_its_line_and_what_becomes_of_it() {
        let text = "fn f() {\n    let a = b\n        + 1;\n}\n";
        let found = mutants("a.rs", text).unwrap();
        assert_eq!(found[0].name(), "a.rs:3:9: + to -");
        assert_eq!(found[0].code, "+ 1;");
        let diff = "-     let a = b\n-         + 1;\n\
                    +     let a = b\n+         - 1;\n";
        assert_eq!(found[0].diff(text), diff);
    }
}
