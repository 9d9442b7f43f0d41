//! The process group of a child: the child and the processes that it starts,
//! which end together.

use std::process::Command;

/// Lets `command` start in a process group of its own.
#[cfg(unix)]
pub(crate) fn separate(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Kills all processes of the group that `leader` has begun. If there is no
/// such group, nothing happens.
#[cfg(unix)]
pub(crate) fn end(leader: u32) {
    const SIGKILL: i32 = 9;
    // SAFETY: the signature is that of the C library, with which the standard
    // library is linked.
    unsafe extern "C" {
        safe fn kill(process: i32, signal: i32) -> i32;
    }
    // The groups 0 and 1 are those of this process and of all processes.
    let leader = i32::try_from(leader).unwrap_or_default();
    if leader > 1 {
        kill(-leader, SIGKILL);
    }
}

// Without groups, a process that the child has started outlives it. The reader
// of the child's output does not wait for it.
#[cfg(not(unix))]
pub(crate) fn separate(command: &mut Command) -> &mut Command {
    command
}

#[cfg(not(unix))]
pub(crate) fn end(_: u32) {}
