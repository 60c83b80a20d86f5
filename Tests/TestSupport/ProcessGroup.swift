public import Glibc

/// The process group of the programs that tests start: it is killed when this process ends, however that happens.
///
/// A shell leads it, and waits for the end of its input, which nobody but this process holds open.
public enum ProcessGroup {
  private static let leader = Result { try lead() }

  /// Lets a program that is started with these attributes be in the group.
  ///
  /// - Throws: `WaitingFailure` when there is no group.
  public static func enter(_ attributes: inout posix_spawnattr_t) throws {
    var flags: Int16 = 0
    posix_spawnattr_getflags(&attributes, &flags)
    posix_spawnattr_setpgroup(&attributes, try leader.get())
    posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETPGROUP))
  }

  /// Closes in a program what it would inherit beside its input and output.
  ///
  /// A pipe of another test must not stay open in a program: who reads it would wait for the program's end.
  public static func closeInherited(_ actions: inout posix_spawn_file_actions_t) {
    // To close one that is not open is no error.
    for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 4096)) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  }

  /// Two ends that no program inherits which another test starts at the same time, unlike those of a pipe.
  public static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw WaitingFailure(description: "no descriptors")
    }
    return (ends[0], ends[1])
  }

  /// Starts the shell.
  ///
  /// - Returns: Its process, for which the group is named.
  /// - Throws: `WaitingFailure` when it cannot be started.
  private static func lead() throws -> pid_t {
    // The other end stays open as long as this process is there.
    let input = try makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    for descriptor: Int32 in 1...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    closeInherited(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let command = ["/bin/sh", "-c", "read -r _ || kill -KILL 0"]
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = [nil]
    defer { for word in words { free(word) } }
    var leader = pid_t()
    let code = posix_spawn(&leader, "/bin/sh", &actions, &attributes, &words, &variables)
    close(input.read)
    guard code == 0 else {
      throw WaitingFailure(description: "cannot start /bin/sh: \(String(cString: strerror(code)))")
    }
    return leader
  }
}
