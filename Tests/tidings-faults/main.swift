#if DEBUG
internal import CommandLineTools
internal import Glibc

// The order of sets and dictionaries is the same in each run with this, which is read when a program starts.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  // First: setenv moves what Swift finds them by.
  let arguments = CommandLine.unsafeArgv
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  execv("/proc/self/exe", arguments)
  complain("tidings-faults: cannot start again: a seed may not repeat a run\n")
}

signal(SIGPIPE, SIG_IGN)

do {
  exit(try Program.run(Array(ProgramArguments.own)) ? 0 : 1)
} catch {
  complain("tidings-faults: \(error)\n")
  exit(error is UsageError ? 2 : 1)
}

func complain(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// At once: a program that crashes must have said what it did before.
func say(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
#else
internal import Glibc

print("tidings-faults looks into libraries: build it for debugging")
exit(1)
#endif
