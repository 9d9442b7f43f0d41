//! `cargo learn class grade`: checks students' answers again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::process;

use jzon::{JsonValue, object};

use super::rules::Rules;
use super::seed;
use crate::checkout::{Checkout, cannot_save, cannot_write, replace};
use crate::command::Stop;
use crate::course::{self, Exercise};
use crate::exercises::program::Tier;
use crate::exercises::status::{Status, fingerprint_of};
use crate::exercises::{check, report};
use crate::terminal::say;

struct Submission {
    student: String,
    /// The answers, by their path below `exercises/`.
    files: BTreeMap<String, PathBuf>,
    /// The report of `check --report json`; null if the file is not JSON.
    report: Option<JsonValue>,
}

/// The result of one exercise.
struct Grade {
    exercise: String,
    /// A status, `missing` or `error`.
    word: &'static str,
    points: f64,
    most: f64,
    said: String,
    /// The points that the student's report claims.
    claimed: Option<f64>,
    /// The sentence about a claim that the check does not confirm.
    objection: Option<String>,
}

pub(super) fn run(
    checkout: &Checkout,
    exercises: &[Exercise],
    submissions: &[String],
    out: Option<&str>,
) -> Result<(), Stop> {
    let rules = Rules::read(checkout)?;
    let files: Vec<&str> = exercises.iter().map(|it| &*it.file).collect();
    let submissions: Result<Vec<Submission>, Stop> = submissions
        .iter()
        .map(|path| Submission::read(checkout, Path::new(path), &files))
        .collect();
    let submissions = submissions?;
    require_different_names(&submissions)?;
    let graded = graded(exercises, &rules, &submissions)?;
    let out = match out {
        Some(folder) => PathBuf::from(folder),
        None => checkout.state_folder().join("class"),
    };
    let mut all = Vec::new();
    for submission in &submissions {
        let grades: Vec<Grade> = graded
            .iter()
            .map(|exercise| grade(checkout, &rules, submission, exercise))
            .collect::<Result<_, Stop>>()?;
        let file = out.join(format!("{}.json", submission.student));
        replace(&file, gradescope(&grades).pretty(2).as_bytes())?;
        all.push((submission, grades));
    }
    replace(&out.join("results.xml"), junit(&all).as_bytes())?;
    for line in table(&all) {
        say!("{line}");
    }
    for (Submission { student, .. }, grades) in &all {
        for objection in grades.iter().filter_map(|it| it.objection.as_ref()) {
            say!("{student}: {objection}");
        }
    }
    say!();
    say!("JUnit and Gradescope results: {}", checkout.shown(&out));
    Ok(())
}

/// Fails if two submissions have the same name, because the second would
/// overwrite the results of the first.
fn require_different_names(submissions: &[Submission]) -> Result<(), Stop> {
    let mut seen = BTreeSet::new();
    for Submission { student, .. } in submissions {
        // Some file systems do not distinguish capital letters.
        if !seen.insert(student.to_lowercase()) {
            return Err(Stop::Failed(format!(
                "two submissions are named {student}; rename one of them"
            )));
        }
    }
    Ok(())
}

/// Returns the exercises that the rules name. Without rules, returns every
/// exercise that is in a submission.
fn graded<'a>(
    exercises: &'a [Exercise],
    rules: &Rules,
    submissions: &[Submission],
) -> Result<Vec<&'a Exercise>, Stop> {
    if !rules.exercises.is_empty() {
        let ids = rules.exercises.iter();
        return ids.map(|id| course::find(exercises, id)).collect();
    }
    let is_sent = |exercise: &&Exercise| {
        submissions.iter().any(|it| {
            it.files.contains_key(&exercise.file)
                || it.files.contains_key(&format!("again/{}", exercise.file))
        })
    };
    let graded: Vec<&Exercise> = exercises.iter().filter(is_sent).collect();
    match graded.is_empty() {
        false => Ok(graded),
        true => Err(Stop::Failed(
            "no submission has the file of an exercise, such as \
             exercises/part1_cpu/mul_rule.rs"
                .to_string(),
        )),
    }
}

impl Submission {
    /// Reads a folder, or unpacks a zip file.
    fn read(
        checkout: &Checkout,
        path: &Path,
        known: &[&str],
    ) -> Result<Submission, Stop> {
        let is_zip = path.extension().is_some_and(|it| it == "zip");
        let name = if is_zip { path.file_stem() } else { path.file_name() };
        let student = name.ok_or_else(|| {
            Stop::Failed(format!(
                "{} has no name; a submission is named after the student",
                path.display()
            ))
        })?;
        let student = student.to_string_lossy().into_owned();
        let folder = match is_zip {
            true => unpack(checkout, path, &student)?,
            false => path.to_path_buf(),
        };
        if !folder.is_dir() {
            return Err(Stop::Failed(format!(
                "{path:?} is neither a folder nor a zip file"
            )));
        }
        let mut files = BTreeMap::new();
        let mut report = None;
        let mut waiting = VecDeque::from([folder]);
        while let Some(folder) = waiting.pop_front() {
            let entries = fs::read_dir(&folder).map_err(|error| {
                Stop::Failed(format!("{}: {error}", folder.display()))
            })?;
            let mut entries: Vec<DirEntry> = entries.flatten().collect();
            entries.sort_by_key(DirEntry::file_name);
            for entry in entries {
                let path = entry.path();
                // A link is neither a file nor a folder here. It is skipped,
                // because it could lead out of the submission.
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                // A submission may be a whole checkout, with our answers.
                let is_skipped = ["solutions", "right", "target", ".git"]
                    .iter()
                    .any(|it| name == *it);
                if kind.is_dir() && !is_skipped {
                    waiting.push_back(path);
                    continue;
                }
                if !kind.is_file() {
                    continue;
                }
                if name == report::FILE && report.is_none() {
                    let text = fs::read_to_string(&path).unwrap_or_default();
                    let read = jzon::parse(&text);
                    report = Some(read.unwrap_or(JsonValue::Null));
                }
                let Some(file) = known.iter().find(|it| path.ends_with(it))
                else {
                    continue;
                };
                let above = path.ancestors().nth(2);
                let key = match above.is_some_and(|it| it.ends_with("again")) {
                    true => format!("again/{file}"),
                    false => (*file).to_string(),
                };
                // If there are several, the one in the fewest folders counts.
                files.entry(key).or_insert(path);
            }
        }
        Ok(Submission { student, files, report })
    }
}

/// Unpacks a zip file into a separate folder.
fn unpack(
    checkout: &Checkout,
    zip: &Path,
    student: &str,
) -> Result<PathBuf, Stop> {
    let folder = checkout.target.join("class-unpacked").join(student);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|it| cannot_write(&folder, &it))?;
    let mut command = process::Command::new("unzip");
    command.args(["-q", "-o"]).arg(zip).arg("-d").arg(&folder);
    let zip = zip.display();
    match command.output() {
        Ok(output) if output.status.success() => Ok(folder),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr);
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            Err(Stop::Failed(format!("cannot unpack {zip}: {words}")))
        }
        Err(_) => Err(Stop::Failed(format!(
            "{zip} needs the program `unzip`, which is not installed; unpack \
             it yourself, and name the folder"
        ))),
    }
}

/// Checks one answer in a folder that contains no other answer.
fn grade(
    checkout: &Checkout,
    rules: &Rules,
    submission: &Submission,
    exercise: &Exercise,
) -> Result<Grade, Stop> {
    let all = exercise.levels.len().max(1) as f64;
    let grade = |word, points, said: String| Grade {
        exercise: exercise.id.clone(),
        word,
        points,
        most: all,
        said,
        claimed: None,
        objection: None,
    };
    let variant = format!("again/{}", exercise.file);
    let variant = submission.files.get(&variant).zip(exercise.again.as_ref());
    let plain = submission.files.get(&exercise.file);
    let plain = plain.filter(|_| !(rules.variants && exercise.again.is_some()));
    let (file, drawn) = match (variant, plain) {
        (Some((file, again)), _) => {
            let seed = seed(&submission.student, exercise, again);
            (file, Some(again.variable(seed)))
        }
        (None, Some(file)) => (file, None),
        (None, None) => {
            let said = "The submission does not have this file.";
            let grade = grade("missing", 0.0, said.to_string());
            return Ok(grade.compared(submission, exercise, None));
        }
    };
    let folder = checkout.target.join("class").join("exercises");
    let copy = folder.join(&exercise.file);
    let bytes = fs::read(file).map_err(|it| cannot_save(file, &it))?;
    replace(&copy, &bytes)?;
    let place = format!("{}/{}", submission.student, exercise.file);
    say!("{}: {}", submission.student, exercise.id);
    let heard =
        check::verdict(checkout, &folder, exercise, &place, drawn.as_deref());
    let grade = match heard {
        Err(stop) => {
            let said = stop.sentence().unwrap_or("The check ended early.");
            grade("error", 0.0, said.to_string())
        }
        Ok(heard) => {
            let share = match (heard.verdict, heard.tier) {
                (_, Some(Tier { yours, .. })) if exercise.has_levels() => {
                    yours as f64
                }
                (status, _) => f64::from(u8::from(status.is_solved())),
            };
            // The picture is a file of the teacher's machine.
            let is_told = |it: &&str| !it.starts_with("The same as a picture:");
            let said: Vec<&str> = heard.said.lines().filter(is_told).collect();
            let said = said.join("\n").trim().to_string();
            grade(word(heard.verdict), share, said)
        }
    };
    // A report has no variants.
    match drawn {
        Some(_) => Ok(grade),
        None => Ok(grade.compared(submission, exercise, Some(&bytes))),
    }
}

impl Grade {
    /// Compares the grade with the points that the student's report claims.
    fn compared(
        mut self,
        submission: &Submission,
        exercise: &Exercise,
        file: Option<&[u8]>,
    ) -> Grade {
        let mut rows =
            submission.report.iter().flat_map(|it| it["exercises"].members());
        let Some(row) = rows.find(|it| it["id"] == *exercise.id) else {
            return self;
        };
        let claimed = match exercise.has_levels() {
            true => row["levels_passed"].as_f64().unwrap_or(0.0),
            false => {
                let status = row["status"].as_str().unwrap_or_default();
                let solved = [Status::Solved, Status::InPart];
                let is_solved = solved.iter().any(|it| it.shown() == status);
                f64::from(u8::from(is_solved))
            }
        };
        self.claimed = Some(claimed);
        if claimed > self.points {
            let file = file.map(|it| row["file"] == *fingerprint_of(it));
            let why = match file {
                None => "its file was not submitted",
                Some(true) => "its file has not changed since the report",
                Some(false) => "its file has changed since the report",
            };
            let objection = format!(
                "the report claims {claimed} of {} for {}, and this check \
                 gives {}; {why}",
                self.most, self.exercise, self.points
            );
            self.said = format!("{}\n{objection}", self.said);
            self.objection = Some(objection);
        }
        self
    }
}

/// Returns the word for the student's report in the table.
fn report_word(submission: &Submission, grades: &[Grade]) -> &'static str {
    match &submission.report {
        None => "missing",
        Some(it) if !it["exercises"].is_array() => "unreadable",
        Some(_) if grades.iter().any(|it| it.objection.is_some()) => "refuted",
        Some(_) if grades.iter().all(|it| it.claimed.is_none()) => "no claims",
        Some(_) => "confirmed",
    }
}

fn word(status: Status) -> &'static str {
    match status {
        // The race check needs Oclgrind, which is not installed here.
        Status::InPart => "solved",
        other => other.shown(),
    }
}

fn table(all: &[(&Submission, Vec<Grade>)]) -> Vec<String> {
    let mut rows = Vec::new();
    let ids = all.first().map(|(_, grades)| grades.iter());
    let ids = ids.into_iter().flatten().map(|it| it.exercise.clone());
    let mut head = vec!["student".to_string()];
    head.extend(ids);
    head.push("points".to_string());
    let has_reports = all.iter().any(|(it, _)| it.report.is_some());
    head.extend(has_reports.then(|| "report".to_string()));
    rows.push(head);
    for (submission, grades) in all {
        let mut row = vec![submission.student.clone()];
        row.extend(grades.iter().map(|it| it.word.to_string()));
        let points: f64 = grades.iter().map(|it| it.points).sum();
        let most: f64 = grades.iter().map(|it| it.most).sum();
        row.push(format!("{points} of {most}"));
        let report = report_word(submission, grades).to_string();
        row.extend(has_reports.then_some(report));
        rows.push(row);
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// The `results.json` of a Gradescope autograder.
fn gradescope(grades: &[Grade]) -> JsonValue {
    let tests = grades.iter().map(|grade| {
        object! {
            name: &*grade.exercise,
            score: grade.points,
            max_score: grade.most,
            output: format!("{}\n{}", grade.word, grade.said),
        }
    });
    object! { tests: tests.collect::<Vec<_>>() }
}

fn junit(all: &[(&Submission, Vec<Grade>)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
    );
    for (submission, grades) in all {
        let count =
            |word: &str| grades.iter().filter(|it| it.word == word).count();
        let (solved, skipped) = (count("solved"), count("skipped"));
        let student = escaped(&submission.student);
        let _ = writeln!(
            text,
            "  <testsuite name=\"{student}\" tests=\"{}\" failures=\"{}\" \
             skipped=\"{skipped}\">",
            grades.len(),
            grades.len() - solved - skipped
        );
        for Grade { exercise, word, said, .. } in grades {
            let said = escaped(said);
            let inside = match *word {
                "solved" => String::new(),
                "skipped" => "<skipped/>".to_string(),
                word => {
                    format!("<failure message=\"{word}\">{said}</failure>")
                }
            };
            let _ = writeln!(
                text,
                "    <testcase classname=\"{student}\" name=\"{exercise}\">\
                 {inside}</testcase>"
            );
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// Escapes text for XML, which allows no control characters.
fn escaped(text: &str) -> String {
    let is_allowed = |letter: &char| !letter.is_control() || *letter == '\n';
    let letters = text.chars().filter(is_allowed);
    letters.fold(String::new(), |mut text, letter| {
        match letter {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '>' => text += "&gt;",
            '"' => text += "&quot;",
            letter => text.push(letter),
        }
        text
    })
}
