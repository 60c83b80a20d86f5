#if DEBUG
internal import CommandLineTools
internal import Glibc

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
print("tidings-faults looks into libraries: build it for debugging")
#endif
