//! `cargo learn setup`, with fake package managers.

mod scene;

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use scene::{Scene, wait_for_text};

/// A fake `apt-get` that records its calls and installs the programs that it
/// knows.
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
fn missing_packages_are_installed_once() {
    let scene = Scene::new();
    scene.program("apt-get", APT);
    let first = scene.learn(&["setup", "--yes", "--pages"]);
    first.succeeds().prints("Oclgrind").prints("apt-get update");
    let install = "install --yes --no-install-recommends";
    let expected = format!(
        "update\n{install} oclgrind codespell clangd chromium rustc-web \
         cargo-web rust-web-src npm\n"
    );
    assert_eq!(scene.read("calls"), expected);
    let second = scene.learn(&["setup", "--yes"]);
    second.succeeds().prints("Everything is installed");
    assert_eq!(scene.read("calls"), expected);
}

/// The plugin is compiled only if everything that it needs is installed.
#[test]
fn setup_builds_the_profiler_plugin() {
    let scene = Scene::new();
    let tools = scene.root.join("target/tools");
    let built = || std::fs::read_dir(&tools).map_or(0, Iterator::count);
    scene.program("apt-get", APT);
    scene.program("oclgrind", "");
    let compiler = scene.root.join("bin/c++");
    std::fs::rename(&compiler, scene.root.join("c++")).unwrap();
    let said = scene.learn(&["setup"]);
    said.succeeds().prints("C++ with the headers of Oclgrind (optional)");
    said.prints("g++ liboclgrind-dev opencl-c-headers");
    assert_eq!(built(), 0);
    std::fs::rename(scene.root.join("c++"), compiler).unwrap();
    scene.learn(&["setup"]).succeeds().prints("Everything is installed");
    assert_eq!(built(), 1);
    let refuses = "echo plugin.cpp:1: error: no such thing >&2; exit 1";
    scene.program("c++", refuses);
    std::fs::remove_dir_all(&tools).unwrap();
    let said = scene.learn(&["setup"]);
    said.succeeds().prints("No profiles here").prints("error: no such");
}

#[test]
fn a_missing_driver_is_listed_first() {
    if cfg!(target_os = "macos") {
        return; // macOS ships with a driver.
    }
    let scene = Scene::new();
    std::fs::remove_file(scene.root.join("vendors/some.icd")).unwrap();
    scene.program("apt-get", APT);
    let said = scene.learn(&["setup"]);
    said.succeeds().prints("OpenCL driver").prints("pocl-opencl-icd");
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
    said.fails_with(
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
    scene.learn(&["setup"]).succeeds().prints("sudo apt-get install");
    let said = scene.learn(&["setup", "--yes"]);
    said.prints("sudo apt-get install");
    said.fails_with(1, &["still missing", "needs root"]);
    assert_eq!(scene.read("calls"), "");
    // Homebrew refuses to run as root.
    let scene = Scene::new();
    scene.program("id", "echo 501");
    scene.program("brew", APT);
    let said = scene.learn(&["setup", "--yes", "--authors"]);
    said.succeeds().prints("  brew install oclgrind codespell");
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
    said.fails_with(1, &["still missing: Oclgrind;", "ended with code 100"]);
    said.prints("E: Unable to locate package oclgrind");
    said.prints("target/learn-logs/setup.log");
    let install = "install --yes --no-install-recommends";
    let each = ["oclgrind", "codespell", "clangd", "chromium", "npm"];
    let all = format!("update\n{install} {}\n", each.join(" "));
    let alone = each.map(|package| format!("{install} {package}\n"));
    assert_eq!(scene.read("calls"), all + &alone.concat());
}

#[test]
fn a_package_that_the_system_lacks_is_reported() {
    let scene = Scene::new();
    let shown = scene.learn(&["setup"]);
    shown.succeeds().prints("no package manager").prints("  oclgrind");
    let said = scene.learn(&["setup", "--yes"]);
    said.fails_with(1, &["still missing", "by hand"]);
    scene.program("dnf", APT);
    let said = scene.learn(&["setup", "--yes", "--authors"]);
    said.succeeds().prints("This system has no package for Oclgrind");
    let packages = "codespell clang-tools-extra chromium npm";
    let expected = format!("install --assumeyes {packages}\n");
    assert_eq!(scene.read("calls"), expected);
}

/// Promise: `cargo learn setup` does not mention the tools that only authors
/// need.
#[test]
fn each_audience_sees_its_own_tools() {
    let scene = Scene::new();
    scene.program("oclgrind", "");
    scene.program("apt-get", APT);
    scene.program("rustc", "echo rustc 1.95.0");
    for words in [&[][..], &["setup"], &["setup", "--yes"], &["doctor"]] {
        let said = scene.learn(words);
        assert!(!said.succeeds().out.contains("codespell"), "{}", said.out);
    }
    let authors = scene.learn(&["setup", "--authors"]);
    authors.succeeds().prints("codespell");
    authors.prints("To run them: cargo learn setup --yes --authors\n");
    assert!(!authors.out.contains("WebAssembly"), "{}", authors.out);
    let pages = scene.learn(&["setup", "--pages"]);
    pages.succeeds().prints("codespell").prints("WebAssembly");
    pages.prints("To run them: cargo learn setup --yes --pages\n");
    assert_eq!(scene.read("calls"), "");
}

/// A half-finished installation is a broken system. So a package manager runs
/// to its own end, both after a signal to its group and after the companion
/// was killed.
///
/// Promise: `cargo learn setup` never kills a package manager, even if it is
/// interrupted or killed itself.
#[test]
fn an_interrupted_package_manager_is_not_killed() {
    let tidies = "trap 'sleep 1; echo yes > $SCENE/done; exit 1' TERM
        echo runs > $SCENE/runs
        sleep 600 & wait";
    let works = "echo runs > $SCENE/runs; sleep 1; echo yes > $SCENE/done";
    for (script, kill) in [(tidies, "kill -TERM -"), (works, "kill -KILL ")] {
        let scene = Scene::new();
        scene.program("apt-get", script);
        let mut command = scene.command(&["setup", "--yes"]);
        let command = command.stdout(Stdio::null()).process_group(0);
        let mut companion = command.spawn().unwrap();
        wait_for_text(&scene.root.join("runs"));
        let kill = format!("{kill}{}", companion.id());
        let killed = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(killed.success());
        companion.wait().unwrap();
        assert_eq!(wait_for_text(&scene.root.join("done")), "yes");
    }
}
