//! Shapes, indices and windows that do not match, each rejected with one
//! sentence.

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::library::functions::IndexAdd;
use rungrad::part3_unified::{Binary, Device, Span, Tensor, Window, apply};

use super::constant;
use super::rejected_calls::new;
use testkit::clean;
use testkit::refusal::refusal;

#[test]
fn invalid_view_arguments_are_rejected() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.permute(&[0, 0])),
        "permute: [0, 0] does not name each of the 2 axes once"
    );
    assert_eq!(
        refusal(|| a.flip(&[2])),
        "flip: there is no axis 2; shape [2, 3] has the axes [0, 1]"
    );
    assert_eq!(
        refusal(|| a.slice(&[0..2, 2..4])),
        "slice: 2..4 does not lie in axis 1 of shape [2, 3], which has the \
         elements 0 to 2"
    );
    assert_eq!(
        refusal(|| a.slice(&[0..1, 0..1, 0..1])),
        "slice: 3 ranges for shape [2, 3]; give at most one for each axis"
    );
    assert_eq!(
        refusal(|| a.slice((.., 5..))),
        "slice: 5.. does not lie in axis 1 of shape [2, 3], which has the \
         elements 0 to 2"
    );
    assert_eq!(
        refusal(|| a.slice(Span::from(..).step(0))),
        "slice: 0.. by 0 along axis 0 goes nowhere; a step is at least 1"
    );
    assert_eq!(
        refusal(|| new(&[0]).slice(..=0)),
        "slice: 0..1 does not lie in axis 0 of shape [0], which has no \
         elements"
    );
    assert_eq!(
        refusal(|| a.unsqueeze(3)),
        "unsqueeze: shape [2, 3] has 2 axes, so a new one can have a number \
         from 0 to 2, not 3"
    );
    assert_eq!(
        refusal(|| a.squeeze(1)),
        "squeeze: axis 1 of shape [2, 3] has size 3; only an axis of size 1 \
         can be taken out"
    );
    assert_eq!(
        refusal(|| a.repeat(&[2])),
        "repeat: 1 counts for shape [2, 3]; give each axis one"
    );
    assert_eq!(
        refusal(|| constant(&[1.0]).tril(0)),
        "tril: shape [1] has no matrices; reshape it to two axes or more"
    );
    assert_eq!(
        refusal(|| a.expand(&[4, 3])),
        "expand: [2, 3] does not stretch to [4, 3]; aligned at the right, \
         each size must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.sum_to(&[2])),
        "sum: [2, 3] does not sum to [2]; aligned at the right, each size \
         must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.windows(&Window::new([2, 1]).dilation([2, 1]))),
        "windows: a window of [2, 1] dilation [2, 1] does not fit the last \
         two axes of shape [2, 3]; its sides, strides and dilations are at \
         least 1, and it is no larger than the padded image"
    );
    let Err(Error::Mistake(sentence)) = a.array().as_strided(&[2], &[1, 1], 0)
    else {
        panic!("two strides for one axis")
    };
    assert_eq!(
        sentence,
        "view: shape [2] has 1 axes and [1, 1] has 2 strides; give one \
         stride for each axis"
    );
}

#[test]
fn index_select_rejects_missing_elements() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.index_select(1, &[0, 3])),
        "index_select: there is no element 3 along axis 1 of shape [2, 3], \
         which has the elements 0 to 2"
    );
    assert_eq!(
        refusal(|| constant(&[1.0; 3]).index_select(1, &[0])),
        "index_select: there is no axis 1; shape [3] has the axes [0]"
    );
    let to = |places: &[usize], count| IndexAdd {
        axis: 0,
        indices: places.to_vec(),
        count,
    };
    assert_eq!(
        refusal(|| apply(to(&[0, 4], 3), &[&a])),
        "index_add: shape [2, 3] has 2 elements along axis 0, with 2 indices \
         below 3; give each element an index, counted from 0"
    );
    assert_eq!(
        refusal(|| a.index_add(0, &[0], &a)),
        "index_add: 1 indices along axis 0 of shape [2, 3] take [1, 3], but \
         the source has [2, 3]; make the two agree"
    );
    assert_eq!(
        refusal(|| a.gather(0, &[1, 3], &[0, 2, 1])),
        "gather: there is no element 2 along axis 0 of shape [2, 3], which \
         has the elements 0 to 1"
    );
    assert_eq!(
        refusal(|| a.gather(0, &[1, 4], &[0; 4])),
        "gather: indices of shape [1, 4] for shape [2, 3]; it must have as \
         many axes, and none but axis 0 may be longer"
    );
    assert_eq!(
        refusal(|| a.scatter_add(1, &[0; 3], &a)),
        "scatter_add: 3 indices for shape [2, 3], which has 6 elements; give \
         one for each"
    );
    let Err(Error::Mistake(sentence)) = Tensor::one_hot(&[3], 3, Device::Cpu)
    else {
        panic!("a label too far")
    };
    assert_eq!(
        sentence,
        "one_hot: label 3 with 3 classes; labels count from 0"
    );
}

#[test]
fn contract_rejects_mismatched_axes() {
    let _clean = clean();
    let a = new(&[2, 3]);
    for (shape, batch) in [([2, 4], 0), ([4, 3], 1)] {
        assert_eq!(
            refusal(|| a.contract(&new(&shape), batch, 1)),
            format!(
                "contract: the shapes [2, 3] and {shape:?} must have equal \
                 batch axes (the first {batch}) and equal summed axes (the \
                 last 1)"
            )
        );
    }
}

#[test]
fn where_cond_rejects_a_mismatched_mask() {
    let _clean = clean();
    let (two, three) = (constant(&[1.0; 2]), constant(&[1.0; 3]));
    let [two, three] = [two.array(), three.array()];
    assert!(two.where_cond(two, two).is_ok());
    for [a, b] in [[three, two], [two, three]] {
        let sentence = two.where_cond(a, b).unwrap_err().to_string();
        assert!(sentence.starts_with("where_cond: "), "{sentence}");
        assert!(sentence.contains("[2] and [3]"), "{sentence}");
    }
}

/// Promise: Operations that only Part 3 has reject operands that do not fit, at
/// the caller's line.
#[test]
fn mismatched_operands_are_rejected() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.pad(&[[1, 1]])),
        "pad: 1 pairs of widths for shape [2, 3]; give each axis a pair, \
         before and behind"
    );
    assert_eq!(
        refusal(|| Tensor::cat(&[], 0)),
        "cat: there is nothing to \
         join; give at least one"
    );
    assert_eq!(
        refusal(|| Tensor::cat(&[&a, &new(&[2, 4])], 0)),
        "cat: the shapes [2, 3] and [2, 4] differ in more than axis 0; the \
         other sizes must be equal"
    );
    assert_eq!(
        refusal(|| Tensor::stack(&[&a, &new(&[3])], 0)),
        "stack: the shapes [2, 3] and [3] differ; give both operands the \
         same shape"
    );
    assert_eq!(
        refusal(|| a.slice_assign((.., ..2), &a)),
        "slice_assign: the shapes [2, 3] and [2, 2] do not broadcast; \
         aligned at the right, sizes must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.slice_assign((.., ..1), &a)),
        "slice_assign: values of shape [2, 3] are too many for a part of \
         shape [2, 1]; make them fit"
    );
    assert_eq!(
        refusal(|| a.where_cond(&a, &new(&[2]))),
        "where_cond: the shapes [2, 3] and [2] do not broadcast; aligned at the \
         right, sizes must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.mse(&new(&[2]))),
        "mse: the answers have shape [2, 3] and the numbers [2]; reshape one \
         to the other"
    );
    assert_eq!(
        refusal(|| a.gt(&new(&[2]))),
        "gt: the shapes [2, 3] and [2] do not broadcast; aligned at the \
         right, sizes must be equal or 1"
    );
    assert_eq!(
        refusal(|| new(&[2, 2, 3]).matmul(&new(&[3, 3, 2]))),
        "matmul: [2, 2, 3] x [3, 3, 2]: the axes before the matrices differ; \
         expand one to the other"
    );
    let window = Window::new([1, 2]);
    let (image, filters) = (new(&[1, 2, 3, 3]), new(&[1, 3, 2, 2]));
    assert_eq!(
        refusal(|| new(&[2, 2, 1, 3]).fold(&window, [2, 3])),
        "fold: shape [2, 2, 1, 3] does not end in [2, 2, 1, 2], the positions \
         and the size of the windows in an image of [2, 3]"
    );
    assert_eq!(
        refusal(|| image.conv2d(&filters, None, &ConvOptions::new())),
        "conv2d: images of 2 channels and 1 filters of 3, in 1 groups; a \
         group takes its share of the channels, and has its share of the \
         filters"
    );
    let (filters, two) = (new(&[3, 1, 2, 2]), ConvOptions::new().groups(2));
    assert_eq!(
        refusal(|| image.conv2d(&filters, None, &two)),
        "conv2d: images of 2 channels and 3 filters of 1, in 2 groups; a \
         group takes its share of the channels, and has its share of the \
         filters"
    );
    let filters = new(&[4, 1, 2, 2]);
    assert_eq!(
        refusal(|| image.conv2d(&filters, Some(&new(&[1])), &two)),
        "conv2d: a bias of shape [1] for 4 filters; it must be [4], one for \
         each"
    );
    assert_eq!(
        refusal(|| image.max_pool2d(&Window::new([2, 2]).padding([1, 2]))),
        "max_pool2d: a window of [2, 2] padding [1, 2] would show nothing \
         but padding at the edge; pad at most half of it"
    );
    assert_eq!(
        refusal(|| a.avg_pool2d(&window)),
        "avg_pool2d: shape [2, 3] is not (number, channels, height, width); \
         reshape it to four axes"
    );
    let other = new(&[3]);
    assert_eq!(
        a.array().binary(Binary::Add, other.array()).unwrap_err().to_string(),
        "add: the shapes [2, 3] and [3] differ; give both operands the same \
         shape"
    );
}
