//! The process group of a child: the child and all processes that it starts,
//! which are ended together.

use std::process::Command;

/// Starts `command` in a new process group.
#[cfg(unix)]
pub(crate) fn separate(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Kills all processes of the group that `leader` started. Does nothing if the
/// group has ended.
#[cfg(unix)]
pub(crate) fn end(leader: u32) {
    const SIGKILL: i32 = 9;
    // SAFETY: this is the signature of `kill` in the C library, which the
    // standard library links.
    unsafe extern "C" {
        safe fn kill(process: i32, signal: i32) -> i32;
    }
    // For `kill`, 0 is the group of this process, and -1 is all processes.
    let leader = i32::try_from(leader).unwrap_or_default();
    if leader > 1 {
        kill(-leader, SIGKILL);
    }
}

// Without process groups, a process that the child started outlives it. The
// reader of the output does not wait for it.
#[cfg(not(unix))]
pub(crate) fn separate(command: &mut Command) -> &mut Command {
    command
}

#[cfg(not(unix))]
pub(crate) fn end(_: u32) {}
