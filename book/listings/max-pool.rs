let windows = padded.windows(&window.padding([0, 0]));
// (height, width, n, channels, rows, columns): what is compared with
// each other are then whole images.
windows.permute(&[4, 5, 0, 1, 2, 3]).max_over(&[0, 1], Keep::No)
