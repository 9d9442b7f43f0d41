with_numbers!(@ $tensor, Add, add,
    |a, n| a.shift(n), |n, a| a.shift(n));
with_numbers!(@ $tensor, Sub, sub,
    |a, n| a.shift(-n), |n, a| a.neg().shift(n));
with_numbers!(@ $tensor, Mul, mul,
    |a, n| a.scale(n), |n, a| a.scale(n));
with_numbers!(@ $tensor, Div, div,
    |a, n| a.div_scalar(n), |n, a| a.rdiv_scalar(n));
