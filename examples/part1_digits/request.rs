//! Command-line arguments.

use rungrad::Error;

use super::training::EPOCHS;

pub(crate) const HELP: &str = "\
usage: cargo run --example part1_digits -- [options]

  --seed N      the seed of the initial weights and of the order of rows (0)
  --epochs N    the number of epochs (20)
  --seeds N     train with each seed below N, and print the mean
  --splits N    use N random test sets in turn, and print the mean
  --last-fifth  use the end of the file as the test set";

/// The parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) seed: Option<u64>,
    pub(crate) seeds: Option<u64>,
    pub(crate) splits: Option<u64>,
    pub(crate) epochs: usize,
    pub(crate) last_fifth: bool,
}

pub(crate) fn request(words: &[String]) -> Result<Request, Error> {
    let mut request = Request {
        seed: None,
        seeds: None,
        splits: None,
        epochs: EPOCHS,
        last_fifth: false,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seed" => {
                request.seed = Some(number(word, words.next(), 0)?);
            }
            "--epochs" => {
                request.epochs = number(word, words.next(), 1)? as usize;
            }
            "--seeds" => {
                request.seeds = Some(number(word, words.next(), 1)?);
            }
            "--splits" => {
                request.splits = Some(number(word, words.next(), 1)?);
            }
            "--last-fifth" => request.last_fifth = true,
            _ => {
                return Err(Error::Usage(format!(
                    "part1_digits does not know `{word}`; `--help` lists what \
                     it knows"
                )));
            }
        }
    }
    if request.seed.is_some() && request.seeds.is_some() {
        return Err(Error::Usage(
            "--seed trains with one seed and --seeds with several; give one \
             of the two"
                .to_string(),
        ));
    }
    if request.splits.is_some()
        && (request.seeds.is_some() || request.last_fifth)
    {
        return Err(Error::Usage(
            "--splits changes only which rows are held out; give it without \
             --seeds and --last-fifth"
                .to_string(),
        ));
    }
    Ok(request)
}

/// Parses the number that follows an option.
fn number(
    option: &str,
    word: Option<&String>,
    least: u64,
) -> Result<u64, Error> {
    let number = word.and_then(|word| word.parse().ok());
    number.filter(|number| *number >= least).ok_or_else(|| {
        let found = word.map_or("nothing".to_string(), |w| format!("`{w}`"));
        Error::Usage(format!(
            "{option} takes a whole number from {least}, not {found}; for \
             example {option} 5"
        ))
    })
}
