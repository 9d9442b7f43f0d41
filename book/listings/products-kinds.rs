match (product.a.lines, product.b.lines) {
    (_, 1) => self.by_rows(&product, product.a, product.b),
    (1, _) => self.by_rows(&product, product.b, product.a),
    _ if self.pays_to_pack(&product) => {
        let Matmul { a, b, k, .. } = product;
        let [a, b] = [self.packed(a, k)?, self.packed(b, k)?];
        self.product_in_parts(&a, &b, 0, 1)
    }
    _ => {
        let [a, b] = [product.a, product.b];
        let fours = a.has_fours(product.k) && b.has_fours(product.k);
        let layout =
            if fours { Layout::Fours } else { Layout::Matrices };
        self.by_tiles(&product, layout)
    }
}
