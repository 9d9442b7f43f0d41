//! `cargo learn setup`, against package managers that only pretend.

mod scene;

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use scene::{Scene, appears};

/// An `apt-get` that keeps a record and installs the programs it knows.
const APT: &str = r#"
echo "$@" >> $SCENE/calls
for package in "$@"; do case $package in
  oclgrind | codespell | clangd | chromium | npm)
    echo '#!/bin/sh' > $SCENE/bin/$package
    chmod 755 $SCENE/bin/$package ;;
  clang-tools-extra)
    echo '#!/bin/sh' > $SCENE/bin/clangd
    chmod 755 $SCENE/bin/clangd ;;
  node)
    echo '#!/bin/sh' > $SCENE/bin/npm
    chmod 755 $SCENE/bin/npm ;;
  rust-web-src)
    mkdir -p $SCENE/web/lib/rustlib/src/rust/library/std
    printf '#!/bin/sh\necho %s/web\n' "$SCENE" > $SCENE/bin/rustc
    chmod 755 $SCENE/bin/rustc
    cp $SCENE/bin/rustc $SCENE/bin/cargo ;;
esac; done
"#;

#[test]
fn what_is_missing_is_installed_and_the_second_time_all_is_in_place() {
    let scene = Scene::new();
    scene.program("apt-get", APT);
    let first = scene.learn(&["setup", "--yes", "--pages"]);
    first.went_well().tells("Oclgrind").tells("apt-get update");
    let install = "install --yes --no-install-recommends";
    let expected = format!(
        "update\n{install} oclgrind codespell clangd chromium rustc-web \
         cargo-web rust-web-src npm\n"
    );
    assert_eq!(scene.read("calls"), expected);
    let second = scene.learn(&["setup", "--yes"]);
    second.went_well().tells("Everything is in place");
    assert_eq!(scene.read("calls"), expected);
}

/// The plugin is compiled where all is there that it takes, and only there.
#[test]
fn what_counts_for_a_profile_is_built_by_the_setup() {
    let scene = Scene::new();
    let tools = scene.root.join("target/tools");
    let built = || std::fs::read_dir(&tools).map_or(0, Iterator::count);
    scene.program("apt-get", APT);
    scene.program("oclgrind", "");
    let compiler = scene.root.join("bin/c++");
    std::fs::rename(&compiler, scene.root.join("c++")).unwrap();
    let said = scene.learn(&["setup"]);
    said.went_well().tells("C++ with the headers of Oclgrind (optional)");
    said.tells("g++ liboclgrind-dev opencl-c-headers");
    assert_eq!(built(), 0);
    std::fs::rename(scene.root.join("c++"), compiler).unwrap();
    scene.learn(&["setup"]).went_well().tells("Everything is in place");
    assert_eq!(built(), 1);
    let refuses = "echo plugin.cpp:1: error: no such thing >&2; exit 1";
    scene.program("c++", refuses);
    std::fs::remove_dir_all(&tools).unwrap();
    let said = scene.learn(&["setup"]);
    said.went_well().tells("No profiles here").tells("error: no such");
}

#[test]
fn a_missing_driver_is_what_comes_first() {
    if cfg!(target_os = "macos") {
        return; // The system brings its own driver there.
    }
    let scene = Scene::new();
    std::fs::remove_file(scene.root.join("vendors/some.icd")).unwrap();
    scene.program("apt-get", APT);
    let said = scene.learn(&["setup"]);
    said.went_well().tells("OpenCL driver").tells("pocl-opencl-icd");
    assert_eq!(scene.read("calls"), "");
}

#[test]
fn without_a_network_it_says_to_check_the_connection() {
    let scene = Scene::new();
    scene.program(
        "apt-get",
        "case $1 in
          update) echo 'W: Failed to fetch http://deb.example/InRelease  \
                 Temporary failure resolving '\\''deb.example'\\''' >&2 ;;
          *) echo again >> $SCENE/calls
             echo 'E: Unable to locate package' >&2; exit 100 ;;
        esac",
    );
    let said = scene.learn(&["setup", "--yes", "--authors"]);
    said.stopped(
        1,
        &[
            "still missing: Oclgrind, codespell,",
            "could not reach the package servers",
            "check the connection",
            "target/learn-logs/setup.log",
        ],
    );
    assert_eq!(scene.read("calls"), "again\n");
}

#[test]
fn without_root_the_commands_are_shown_with_sudo_and_not_run() {
    let scene = Scene::new();
    scene.program("apt-get", APT);
    scene.program("id", "echo 1000");
    let shown = scene.learn(&["setup"]);
    shown.went_well().tells("sudo apt-get install");
    let said = scene.learn(&["setup", "--yes"]);
    said.tells("sudo apt-get install");
    said.stopped(1, &["still missing", "needs root"]);
    assert_eq!(scene.read("calls"), "");
}

#[test]
fn homebrew_is_never_run_as_root() {
    let scene = Scene::new();
    scene.program("id", "echo 501");
    scene.program("brew", APT);
    let said = scene.learn(&["setup", "--yes", "--authors"]);
    said.went_well().tells("  brew install oclgrind codespell");
    assert!(!said.out.contains("sudo"), "{}", said.out);
}

#[test]
fn a_package_that_does_not_exist_does_not_stop_the_others() {
    let scene = Scene::new();
    let refuses = r#"
        case "$*" in
          *oclgrind*) echo "$@" >> $SCENE/calls
            echo "E: Unable to locate package oclgrind"; exit 100 ;;
        esac"#;
    scene.program("apt-get", &format!("{refuses}\n{APT}"));
    let said = scene.learn(&["setup", "--authors", "--yes"]);
    said.stopped(1, &["still missing: Oclgrind;", "ended with code 100"]);
    said.tells("E: Unable to locate package oclgrind");
    said.tells("target/learn-logs/setup.log");
    let install = "install --yes --no-install-recommends";
    let expected = format!(
        "update\n{install} oclgrind codespell clangd chromium npm\n\
         {install} oclgrind\n{install} codespell\n{install} clangd\n\
         {install} chromium\n{install} npm\n"
    );
    assert_eq!(scene.read("calls"), expected);
}

#[test]
fn a_system_that_we_do_not_know_gets_the_names_of_the_packages() {
    let scene = Scene::new();
    let shown = scene.learn(&["setup"]);
    shown.went_well().tells("No package manager").tells("  oclgrind");
    let said = scene.learn(&["setup", "--yes"]);
    said.stopped(1, &["still missing", "by hand"]);
}

#[test]
fn a_package_manager_without_oclgrind_is_told_apart() {
    let scene = Scene::new();
    scene.program("dnf", APT);
    let said = scene.learn(&["setup", "--yes", "--authors"]);
    said.went_well().tells("Oclgrind is no package of this system");
    let install = "install --assumeyes";
    let expected =
        format!("{install} codespell clang-tools-extra chromium npm\n");
    assert_eq!(scene.read("calls"), expected);
}

/// Promise: `cargo learn setup` does not mention the tools that only authors
/// need.
#[test]
fn a_learner_hears_nothing_of_the_authors_tools() {
    let scene = Scene::new();
    scene.program("oclgrind", "");
    scene.program("apt-get", APT);
    scene.program("rustc", "echo rustc 1.95.0");
    for words in [&[][..], &["setup"], &["setup", "--yes"], &["doctor"]] {
        let said = scene.learn(words);
        assert!(!said.went_well().out.contains("codespell"), "{}", said.out);
    }
    scene.learn(&["setup", "--authors"]).went_well().tells("codespell");
    assert_eq!(scene.read("calls"), "");
}

/// Who changes the course may leave the engine of its pages as it is.
#[test]
fn what_compiles_the_engine_of_the_pages_is_theirs_who_change_it() {
    let scene = Scene::new();
    scene.program("apt-get", APT);
    scene.program("rustc", "echo $SCENE/none");
    let said = scene.learn(&["setup", "--authors"]);
    assert!(!said.went_well().out.contains("WebAssembly"), "{}", said.out);
    said.tells("To run them: cargo learn setup --yes --authors\n");
    let said = scene.learn(&["setup", "--pages"]);
    said.went_well().tells("WebAssembly");
    said.tells("To run them: cargo learn setup --yes --pages\n");
}

/// Half an installation is a broken system: a signal that ends the companion
/// reaches the package manager too, which tidies up.
///
/// Promise: An interrupted `cargo learn setup` lets the package manager clean
/// up.
#[test]
fn a_package_manager_that_is_interrupted_ends_in_its_own_way() {
    let scene = Scene::new();
    let script = "
        trap 'sleep 1; echo yes > $SCENE/tidy; exit 1' TERM
        echo runs > $SCENE/runs
        sleep 600 & wait";
    scene.program("apt-get", script);
    let mut command = scene.command(&["setup", "--yes"]);
    let command = command.stdout(Stdio::null()).process_group(0);
    let mut companion = command.spawn().unwrap();
    appears(&scene.root.join("runs"));
    let group = format!("kill -TERM -{}", companion.id());
    assert!(
        Command::new("sh").args(["-c", &group]).status().unwrap().success()
    );
    companion.wait().unwrap();
    assert_eq!(appears(&scene.root.join("tidy")), "yes");
}

/// Promise: `cargo learn setup` never kills a package manager, even if it is
/// killed itself.
#[test]
fn a_package_manager_outlives_a_companion_that_is_killed() {
    let scene = Scene::new();
    let script = "echo runs > $SCENE/runs; sleep 1; echo yes > $SCENE/done";
    scene.program("apt-get", script);
    let mut command = scene.command(&["setup", "--yes"]);
    let mut companion = command.stdout(Stdio::null()).spawn().unwrap();
    appears(&scene.root.join("runs"));
    companion.kill().unwrap();
    companion.wait().unwrap();
    assert_eq!(appears(&scene.root.join("done")), "yes");
}
