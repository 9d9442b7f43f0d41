//! Replacing a file: through a temporary file that no other process disturbs
//! and that does not remain, and only if the target is a regular file or does
//! not exist.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rungrad::io;
use rungrad::part3_unified::{Device, Tensor};

use super::files::{folder, sentence};
use super::leaf;
use testkit::child::{child, is_child, succeed};
use testkit::clean;

fn save(path: &Path, value: f32) -> rungrad::Result<()> {
    io::write(path, [("x", &leaf(&[value]))])
}

#[track_caller]
fn assert_saved(path: &Path, value: f32) {
    let read = io::read(path, Device::Cpu).unwrap();
    assert_eq!(read[0].1.to_vec().unwrap(), [value]);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// In a different container, a process with the same id was killed or is still
/// writing. Names made from the process id and a counter would be taken.
#[test]
fn a_process_with_the_same_id_does_not_interfere() {
    let _clean = clean();
    let folder = folder("same_number");
    let id = std::process::id();
    for count in 0..200 {
        fs::write(folder.join(format!(".new-{id}-{count}")), "theirs").unwrap();
    }
    save(&folder.join("m"), 1.0).unwrap();
    assert_saved(&folder.join("m"), 1.0);
    for count in 0..200 {
        let theirs = fs::read(folder.join(format!(".new-{id}-{count}")));
        assert_eq!(theirs.unwrap(), b"theirs");
    }
}

/// Four processes save to one shared file, and each to a private file.
#[test]
fn processes_can_save_to_the_same_folder() {
    let _clean = clean();
    let test = "replaced_files::\
                processes_can_save_to_the_same_folder";
    if is_child() {
        let own = std::env::var("RUNGRAD_TEST_FILE").unwrap();
        let own = Path::new(&own);
        for value in 0..50 {
            save(own, value as f32).unwrap();
            save(&own.with_file_name("shared"), value as f32).unwrap();
        }
        return;
    }
    let folder = folder("processes");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = folder.join(writer.to_string());
            scope.spawn(move || {
                succeed(child(test).env("RUNGRAD_TEST_FILE", path));
            });
        }
    });
    for name in ["0", "1", "2", "3", "shared"] {
        assert_saved(&folder.join(name), 49.0);
    }
    assert_eq!(names(&folder), ["0", "1", "2", "3", "shared"]);
}

/// Only files that a killed process has certainly left are removed.
#[test]
fn abandoned_temporary_files_are_removed() {
    let _clean = clean();
    let folder = folder("abandoned");
    let age = |file: &File, hours: u64| {
        let age = Duration::from_secs(3600 * hours);
        file.set_modified(SystemTime::now() - age).unwrap();
    };
    let temporary =
        |digit: char| format!(".rungrad-{}.new", digit.to_string().repeat(16));
    let make = |name: &str, hours: u64| {
        let file = File::create_new(folder.join(name)).unwrap();
        age(&file, hours);
        file
    };
    make(&temporary('a'), 2);
    make(&temporary('b'), 48);
    let kept = [
        temporary('c'),
        temporary('d'),
        temporary('e'),
        ".new-1-0".to_string(),
        ".rungrad-notes.new".to_string(),
    ];
    // One that was written just now, one with a slow live writer, and one that
    // is a folder.
    make(&kept[0], 0);
    let locked = make(&kept[1], 48);
    locked.lock().unwrap();
    fs::create_dir(folder.join(&kept[2])).unwrap();
    make(&kept[3], 48);
    make(&kept[4], 48);
    save(&folder.join("m"), 1.0).unwrap();
    let mut expected: Vec<String> = kept.into();
    expected.push("m".to_string());
    expected.sort();
    assert_eq!(names(&folder), expected);
}

/// Devices, pipes and sockets stay unchanged.
#[cfg(unix)]
#[test]
fn only_regular_files_are_replaced() {
    let _clean = clean();
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::UnixListener;

    let folder = folder("not_regular");
    let [pipe, socket, link] =
        ["pipe", "socket", "link"].map(|n| folder.join(n));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    // The path of a socket must be short, and the test folder may be deep and
    // on a different file system than the folder for temporary files.
    let short = std::env::temp_dir().join(format!("rg-{}", std::process::id()));
    let _ = fs::remove_file(&short);
    symlink(&folder, &short).unwrap();
    let _listener = UnixListener::bind(short.join("socket")).unwrap();
    fs::remove_file(&short).unwrap();
    symlink("pipe", &link).unwrap();
    for path in [&pipe, &socket, &link, &folder] {
        let what = path.display().to_string();
        assert_eq!(
            sentence(&what, save(path, 1.0)),
            format!(
                "{what} cannot be written: it is not a regular file; check \
                 the path and the permissions"
            )
        );
    }
    let kind = |path: &Path| fs::symlink_metadata(path).unwrap().file_type();
    assert!(kind(&pipe).is_fifo() && kind(&socket).is_socket());
    assert!(kind(&link).is_symlink());
    assert_eq!(names(&folder), ["link", "pipe", "socket"]);
}

#[cfg(unix)]
#[test]
fn a_dangling_link_is_followed() {
    let _clean = clean();
    use std::os::unix::fs::symlink;

    let folder = folder("dangling");
    fs::create_dir(folder.join("inner")).unwrap();
    symlink("inner/second", folder.join("first")).unwrap();
    symlink("../target", folder.join("inner/second")).unwrap();
    save(&folder.join("first"), 1.0).unwrap();
    assert_saved(&folder.join("target"), 1.0);
    for link in ["first", "inner/second"] {
        let about = fs::symlink_metadata(folder.join(link)).unwrap();
        assert!(about.is_symlink(), "{link}");
    }
    save(&folder.join("first"), 2.0).unwrap();
    assert_saved(&folder.join("target"), 2.0);
    symlink("circle", folder.join("circle")).unwrap();
    let refused = sentence("a circle", save(&folder.join("circle"), 1.0));
    let words = "circle cannot be written: its links lead in a circle";
    assert!(refused.contains(words), "{refused}");
}

/// Only root can change the owner of a file.
#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_owner_and_mode() {
    let _clean = clean();
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    let folder = folder("owner");
    let path = folder.join("m");
    fs::write(&path, "old").unwrap();
    let ours = fs::metadata(&path).unwrap();
    let (user, group) = match chown(&path, Some(4242), Some(4243)) {
        Ok(()) => (4242, 4243),
        Err(_) => (ours.uid(), ours.gid()),
    };
    for mode in [0o600, 0o644, 0o4640] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        save(&path, 1.0).unwrap();
        let about = fs::metadata(&path).unwrap();
        assert_eq!(about.mode() & 0o7777, mode);
        assert_eq!((about.uid(), about.gid()), (user, group));
    }
    // A new file has the default mode.
    fs::write(folder.join("usual"), "").unwrap();
    save(&folder.join("new"), 1.0).unwrap();
    let mode = |name| fs::metadata(folder.join(name)).unwrap().mode();
    assert_eq!(mode("new"), mode("usual"));
}

/// A name that the file system rejects leaves no temporary file.
#[test]
fn a_name_that_is_too_long_leaves_no_file() {
    let _clean = clean();
    let folder = folder("long_name");
    let path = folder.join("m".repeat(300));
    sentence("a long name", save(&path, 1.0));
    assert!(names(&folder).is_empty());
    let x = Tensor::zeros(&[1], Device::Cpu).unwrap();
    sentence("no name", io::write("", [("x", &x)]));
}
