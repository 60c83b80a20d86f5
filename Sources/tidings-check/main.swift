import CommandLineTools
import Glibc

signal(SIGPIPE, SIG_IGN)

var code: Int32 = 0
do {
  code = try await Program.run(Array(ProgramArguments.own)) ? 0 : 1
} catch let error as UsageError {
  complain("tidings-check: \(error)\nTry 'tidings-check --help'.\n")
  code = 2
} catch {
  complain("tidings-check: \(error)\n")
  code = 1
}
exit(code)

func complain(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
