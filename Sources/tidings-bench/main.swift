import BenchCore
import CommandLineTools
import Glibc

signal(SIGPIPE, SIG_IGN)

do {
  let arguments = Array(ProgramArguments.own)
  if try Subprocesses.run(arguments) { exit(0) }
  if let verb = arguments.first.flatMap(GrowthVerb.init) {
    try verb.run(Array(arguments.dropFirst()), environment: Subprocesses.environment())
    exit(0)
  }
  if arguments.first == SoakVerb.name {
    let environment = Subprocesses.environment()
    exit(try await SoakVerb.run(Array(arguments.dropFirst()), environment: environment) ? 0 : 1)
  }
  guard let parsed = try BenchArguments(arguments, environment: Subprocesses.environment()) else {
    exit(0)
  }
  Interruption.install()
  exit(try await Run(parsed).report() ? 0 : 1)
} catch let error as UsageError {
  complain("\(BenchArguments.program): \(error)\nTry '\(BenchArguments.program) --help'.\n")
  exit(2)
} catch {
  complain("\(BenchArguments.program): \(error)\n")
  exit(1)
}

func complain(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
