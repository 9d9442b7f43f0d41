// (n, groups, channels, rows, columns, height, width)
let windows = images.reshape(&self.grouped_images(images.shape()));
let windows = windows?.windows(&self.window)?;
let windows = windows.permute(&[0, 1, 3, 4, 2, 5, 6])?;
// Broadcast the filters over the images of the batch.
let each = self.grouped_filters(filters.shape());
let all = [&[images.shape()[0]], &each[..]].concat();
let filters = filters.reshape(&each)?.expand(&all)?;
let sums = filters.contract(&windows, 2, 3)?;
let [n, groups, out, rows, columns] = sums.shape() else {
    unreachable!("a batch, filters and places")
};
sums.reshape(&[*n, groups * out, *rows, *columns])
