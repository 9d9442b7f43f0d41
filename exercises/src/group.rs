//! The process group of a child: the child and the processes that it starts,
//! which end together.

use std::process::Command;

/// Lets `command` start in a new process group.
#[cfg(unix)]
pub(crate) fn separate(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Kills all processes of the group that `leader` has begun. Does nothing if the
/// group has ended.
#[cfg(unix)]
pub(crate) fn end(leader: u32) {
    const SIGKILL: i32 = 9;
    // SAFETY: this is the signature of `kill` in the C library, which the
    // standard library links.
    unsafe extern "C" {
        safe fn kill(process: i32, signal: i32) -> i32;
    }
    // To `kill`, 0 means the group of this process, and -1 all processes.
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
