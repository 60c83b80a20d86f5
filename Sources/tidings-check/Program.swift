internal import CheckCore
internal import CommandLineTools
internal import Glibc
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

/// The verbs of `tidings-check`.
enum Program {
  private static let name = "tidings-check"
  private static let summary =
    "Checks the guarantees of a running server or cluster with random calls, and decides their history."
  private static let prefix = "TIDINGS_CHECK"

  private static let runCommand = Command(
    "run",
    "Makes calls, then decides whether the answers and notifications were right",
    options: ConnectionOptions.all + RunOptions.all,
    discussion: """
      It creates zones, records and subscriptions of its own in the private database of the user, and removes
      them at the end. Servers may be killed and restarted meanwhile. Use a user for it alone.

      Prints a line for each workload, and each violation with its calls. The exit code is 1 when there is
      one. SIGINT ends the calls early.

        tidings-check run --endpoint tcp://10.0.0.1:5570,tcp://10.0.0.2:5570 --as checker --duration 5m
        tidings-check run --workloads register,bank --history histories

      Testing: --fault NAME does something wrong on purpose, which must be reported as a violation.
      """
  )

  private static let verifyCommand = Command(
    "verify",
    "Decides a history that was saved with --history again",
    operands: "FILE",
    completion: .files
  )

  private static let commands = [runCommand, verifyCommand]
  private static let helpFlag = OptionKey<Bool>(flag: "help", letter: "h", "show this help")
  private static let common = [Option](of: helpFlag)

  /// Runs a command line.
  ///
  /// - Returns: Whether all is well.
  static func run(_ arguments: [String]) async throws -> Bool {
    let parsed = try ParsedArguments(
      arguments,
      options: commands.flatMap(\.options) + RunOptions.hidden + common,
      environment: environment(),
      prefix: prefix
    )
    let verb = parsed.operands.first
    guard !parsed[helpFlag], let verb, verb != "help" else {
      write(help(verb == "help" ? parsed.operands.dropFirst().first : verb))
      return true
    }
    let operands = parsed.operands.dropFirst()
    switch verb {
    case runCommand.name:
      guard operands.isEmpty else {
        throw UsageError("run takes no '\(operands.first ?? "")'")
      }
      return try await check(parsed)
    case verifyCommand.name:
      guard operands.count == 1, let file = operands.first else {
        throw UsageError("verify takes one file: verify FILE")
      }
      let report = CheckReport(try HistoryFile.read(file))
      write(report.text)
      return report.isFine
    default:
      let near = nearest(to: verb, among: commands.map(\.name))
      throw UsageError("unknown verb '\(verb)'" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
  }

  private static func check(_ parsed: ParsedArguments) async throws -> Bool {
    var settings = try RunOptions.settings(parsed)
    Interruption.install()
    settings.isInterrupted = { _, _ in Interruption.isPending }
    let report = try await CheckRun(settings).run()
    write(report.text)
    if let folder = parsed[RunOptions.history] {
      write("history: \(try HistoryFile.write(report.history, to: folder))\n")
    }
    return report.isFine
  }

  private static func help(_ verb: String?) -> String {
    if let command = commands.first(where: { $0.name == verb }) {
      return "\(Help(program: name, command: command))"
    }
    return Help(
      program: name,
      summary: summary,
      sections: [HelpSection("Verbs", commands)],
      options: common,
      prefix: prefix
    ).description
  }

  private static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      sent += count
    }
  }
}
