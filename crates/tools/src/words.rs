//! Parses the arguments of a command line.

use rungrad::Error;

/// Arguments, from which options are removed by name.
pub struct Args {
    /// The command, as it is typed.
    command: &'static str,
    left: Vec<String>,
}

impl Args {
    pub fn new(command: &'static str, words: &[String]) -> Args {
        Args { command, left: words.to_vec() }
    }

    /// Removes an option without a value, and returns whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.left.len();
        self.left.retain(|word| word != name);
        self.left.len() < before
    }

    /// Removes all values of an option that may be repeated.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>, Error> {
        let mut values = Vec::new();
        while let Some(at) = self.left.iter().position(|word| word == name) {
            if at + 1 == self.left.len() {
                let sentence = format!("{name} needs a value after it");
                return Err(Error::Usage(sentence));
            }
            values.push(self.left.remove(at + 1));
            self.left.remove(at);
        }
        Ok(values)
    }

    /// Removes an option and returns its value. The last of several values
    /// wins.
    pub fn value<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.values(name)?.pop().map(|word| read(&word)).transpose()
    }

    /// Returns the remaining arguments. An option is an error unless `is_name`
    /// accepts it.
    pub fn rest(
        self,
        is_name: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Error> {
        let is_option = |it: &&String| it.starts_with("--") && !is_name(it);
        match self.left.iter().find(is_option) {
            Some(option) => Err(Error::Usage(format!(
                "`{option}` is no option; `{} --help` lists them",
                self.command
            ))),
            None => Ok(self.left),
        }
    }
}
