let images = ctx.input(0);
let windows = images.reshape(&self.grouped_images(images.shape()));
let windows = windows.windows(&self.window);
// (groups, filters, n, rows, columns) and
// (groups, channels, height, width, n, rows, columns)
let grads = grad_out.reshape(&self.grouped_images(grad_out.shape()));
let grads = grads.permute(&[1, 2, 0, 3, 4]);
let windows = windows.permute(&[1, 2, 5, 6, 0, 3, 4]);
grads.contract(&windows, 1, 3).reshape(ctx.shape(1))
