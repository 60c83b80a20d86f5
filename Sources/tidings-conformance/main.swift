import CommandLineTools
import ConformanceCore
import Glibc

signal(SIGPIPE, SIG_IGN)
Leftovers.clearOnSignals()

var code: Int32 = 0
do {
  code = try await Program.run(Array(ProgramArguments.own)) ? 0 : 1
} catch let error as UsageError {
  complain("tidings-conformance: \(error)\nTry 'tidings-conformance --help'.\n")
  code = 2
} catch {
  complain("tidings-conformance: \(error)\n")
  code = 1
}
Leftovers.end(code)

func complain(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
