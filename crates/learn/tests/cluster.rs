//! `cargo learn cluster`, with fake versions of cargo, MPI and apt-get.

mod scene;

use scene::{CommandOutput, Scene};

/// Creates a checkout with one example, and a cargo that records its calls.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.program("cargo", "echo cargo \"$@\" >> $SCENE/calls");
    let example = "//! Ranks train.\nfn main() {}\n";
    scene.write("crates/cluster/examples/cluster_names.rs", example);
    scene.write("crates/cluster/examples/cluster_model.rs", example);
    scene.write("clang/none", "");
    scene
}

/// Runs the command on a machine whose libclang can only be in one folder.
fn cluster(scene: &Scene, words: &str) -> CommandOutput {
    let words: Vec<&str> =
        ["cluster"].into_iter().chain(words.split(' ')).collect();
    let mut command = scene.command(&words);
    let folder = scene.root.join("clang");
    CommandOutput::from(command.env("LIBCLANG_PATH", folder))
}

fn install_mpi(scene: &Scene) {
    let mpirun = "echo mpirun \"$@\" as $OMPI_ALLOW_RUN_AS_ROOT >> $SCENE/calls
        exit 3";
    scene.program("mpirun", mpirun);
    scene.program("mpicc", "");
    scene.write("clang/libclang-14.so.1", "");
}

#[test]
fn mpirun_starts_the_program_and_passes_arguments_on() {
    let scene = scene();
    install_mpi(&scene);
    let said = cluster(&scene, "names -n 4 --steps 20 -- --fastest");
    // The exit code of mpirun is passed on.
    assert_eq!((said.code, said.err.as_str()), (Some(3), ""));
    let program = scene.root.join("target/release/examples/cluster_names");
    let expected = format!(
        "cargo build --release --package cluster --example cluster_names \
         --features mpi\n\
         mpirun -n 4 {} --steps 20 --fastest as 1\n",
        program.display()
    );
    assert_eq!(scene.read("calls"), expected);
}

/// Every rank of `mpirun` would print the same.
#[test]
fn a_simulation_and_a_help_text_run_once() {
    let scene = scene();
    install_mpi(&scene);
    let example = "//! Ranks are simulated.\nfn main() {}\n";
    let clock = "crates/cluster/examples/cluster_clock/main.rs";
    scene.write(clock, example);
    cluster(&scene, "clock sums").succeeds();
    cluster(&scene, "names -- --help").succeeds();
    let calls = scene.read("calls");
    assert!(!calls.contains("mpirun"), "{calls}");
    let runs = calls.lines().filter(|it| it.starts_with("cargo run"));
    let words: Vec<_> =
        runs.map(|it| it.split_once(" -- ").unwrap().1).collect();
    assert_eq!(words, ["sums", "--help"]);
    let said = cluster(&scene, "clock -n 4");
    said.fails_with(2, &["simulates its ranks", "leave out -n"]);
}

#[test]
fn a_killed_rank_is_explained() {
    let scene = scene();
    install_mpi(&scene);
    scene.program("mpirun", "exit 137");
    let said = cluster(&scene, "names -n 4");
    said.fails_with(1, &["signal 9 has ended a rank", "last checkpoint"]);
    scene.program("mpirun", "exit 130");
    let said = cluster(&scene, "names -n 4");
    assert_eq!((said.code, said.err.as_str()), (Some(130), ""));
}

/// Promise: `cargo learn cluster --threads` needs no MPI.
#[test]
fn threads_need_no_mpi() {
    let scene = scene();
    cluster(&scene, "names --threads -n=4 --steps 20").succeeds();
    let calls = scene.read("calls");
    let run = calls.lines().find(|it| it.starts_with("cargo run")).unwrap();
    assert!(run.ends_with(" -- -n 4 --steps 20"), "{run}");
    assert!(!calls.contains("mpi"), "{calls}");
    // Otherwise, the crate would be built once with MPI and once without.
    install_mpi(&scene);
    cluster(&scene, "names --threads").succeeds();
    assert!(scene.read("calls").contains("--features mpi"));
}

/// Promise: Without MPI, `cargo learn cluster` names what is missing and the
/// packages that install it, and installs nothing without a yes.
#[test]
fn missing_software_is_named_with_its_packages() {
    let scene = scene();
    let apt = "for package in \"$@\"; do case $package in
            openmpi-bin) echo 'exit 0' > $SCENE/bin/mpirun ;;
            libopenmpi-dev) echo 'exit 0' > $SCENE/bin/mpicc ;;
            libclang-dev) : > $SCENE/clang/libclang-14.so ;;
        esac; done
        echo apt-get \"$@\" >> $SCENE/calls
        chmod 755 $SCENE/bin/*";
    scene.program("apt-get", apt);
    let said = cluster(&scene, "names -n 4");
    said.prints("To run them: cargo learn cluster names --yes");
    let install = "apt-get install --yes --no-install-recommends";
    said.fails_with(
        1,
        &[
            "missing for MPI: mpirun, libmpi with mpicc, libclang;",
            &format!("{install} openmpi-bin libopenmpi-dev libclang-dev"),
            "--threads",
        ],
    );
    // Installed programs are not listed.
    scene.program("mpirun", "");
    scene.program("mpicc", "");
    let said = cluster(&scene, "names");
    said.fails_with(1, &["missing for MPI: libclang;", " libclang-dev`"]);
    assert_eq!(scene.read("calls"), "");
    cluster(&scene, "names --yes").succeeds().prints("Everything");
    let calls = scene.read("calls");
    assert!(calls.contains(&format!("{install} libclang-dev\n")), "{calls}");
    // The command that prepares a machine for the course does not install MPI.
    let setup = scene.learn(&["setup", "--pages"]);
    assert!(!setup.succeeds().out.contains("openmpi"), "{}", setup.out);
}

#[test]
fn wrong_arguments_are_rejected_before_the_build() {
    let scene = scene();
    install_mpi(&scene);
    let said = cluster(&scene, "name -n 4");
    said.fails_with(2, &["\"name\"", "did you mean names?", "model, names"]);
    for ranks in ["0", "many"] {
        let said = cluster(&scene, &format!("names -n {ranks}"));
        said.fails_with(2, &["from 1", ranks, "-n 4"]);
    }
    assert_eq!(scene.learn(&["cluster"]).code, Some(2));
    assert_eq!(scene.read("calls"), "");
}
