//! Metrics of a classifier: predictions, accuracy and the confusion matrix.
//! Built in "Train the digits".

use std::fmt;

/// Returns the class with the highest score in each row of scores
/// (rows, classes). Of equal scores, the first wins.
pub fn predictions(scores: &[f32], classes: usize) -> Vec<usize> {
    let best = |row: &[f32]| {
        let better =
            |best, class| if row[class] > row[best] { class } else { best };
        (1..classes).fold(0, better)
    };
    scores.chunks(classes).map(best).collect()
}

/// Computes the fraction of predictions that equal the label.
pub fn accuracy(labels: &[usize], predictions: &[usize]) -> f32 {
    let right = labels.iter().zip(predictions).filter(|(l, g)| l == g).count();
    right as f32 / labels.len() as f32
}

/// A confusion matrix: `counts[label][guess]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfusionMatrix {
    /// One row per label, one column per predicted class.
    pub counts: Vec<Vec<usize>>,
}

impl ConfusionMatrix {
    /// Counts the pairs of label and prediction.
    pub fn new(
        labels: &[usize],
        predictions: &[usize],
        classes: usize,
    ) -> ConfusionMatrix {
        let mut counts = vec![vec![0; classes]; classes];
        for (&label, &guess) in labels.iter().zip(predictions) {
            counts[label][guess] += 1;
        }
        ConfusionMatrix { counts }
    }
}

impl fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is \\ guessed")?;
        (0..self.counts.len()).try_for_each(|class| write!(f, "{class:>4}"))?;
        for (label, row) in self.counts.iter().enumerate() {
            write!(f, "\n{label:>12}")?;
            for (guess, &count) in row.iter().enumerate() {
                match count {
                    // A dot instead of 0, so that the few mistakes stand out.
                    0 if label != guess => write!(f, "   .")?,
                    _ => write!(f, "{count:>4}")?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_is_the_class_with_the_highest_score() {
        let scores = [0.1, 0.7, 0.2, -3.0, -4.0, -3.0, 0.0, 0.0, 9.0];
        assert_eq!(predictions(&scores, 3), [1, 0, 2]);
        assert_eq!(predictions(&[], 3), [0; 0]);
    }

    #[test]
    fn accuracy_is_the_fraction_of_right_predictions() {
        assert_eq!(accuracy(&[1, 0, 2, 2], &[1, 0, 2, 0]), 0.75);
    }

    #[test]
    fn the_confusion_matrix_has_labels_in_rows() {
        let table = ConfusionMatrix::new(&[1, 0, 2, 2], &[1, 0, 2, 0], 3);
        let expected = "\
is \\ guessed   0   1   2
           0   1   .   .
           1   .   1   .
           2   1   .   1";
        pretty_assertions::assert_eq!(table.to_string(), expected);
    }
}
