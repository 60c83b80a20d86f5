internal import CommandLineTools
internal import ConformanceCore
internal import Glibc

/// The verbs of `tidings-conformance`.
enum Program {
  private static let name = "tidings-conformance"
  private static let summary =
    "Tests a client of Tidings in any language, by sending it tasks."
  private static let prefix = "TIDINGS_CONFORMANCE"

  private static let client = OptionKey<String?>(
    "client",
    value: "COMMAND",
    "how the client under test is started, for the shell"
  )
  private static let filter = OptionKey<[String]>(
    list: "filter",
    value: "PATTERN",
    "only cases whose names contain it, or match it where it has *"
  )
  private static let list = OptionKey<Bool>(
    flag: "list",
    "show the names of the cases, and run none"
  )
  private static let output = OptionKey<ReportStyle>(
    "output",
    letter: "o",
    value: "STYLE",
    default: .table,
    "table, json or junit"
  )
  private static let rpcd = OptionKey<String?>(
    "rpcd",
    value: "PATH",
    completion: .files,
    "the server (default: beside this program)"
  )
  private static let taskTimeout = OptionKey<Duration>(
    time: "task-timeout",
    default: "60s",
    "how long the client may take for a task, besides what the task says"
  )

  private static let runCommand = Command(
    "run",
    "Runs the cases against a client",
    options: [Option](of: client, filter, list, output, rpcd, taskTimeout),
    discussion: """
      The client reads tasks from its standard input and answers on its standard output, as
      proto/tidings/conformance/v1/conformance.proto describes. What it writes to standard error is shown.

      The last line is 'N passed, N failed, N skipped'; the exit code is 1 when a case failed.

        tidings-conformance run --client "python3 -m tidings.conformance"
        tidings-conformance run --client ./my-client --filter push -o junit
      """
  )

  private static let writeFolder = OptionKey<String?>(
    "write",
    value: "FOLDER",
    completion: .folders,
    "write the files into this folder"
  )
  private static let check = OptionKey<String?>(
    "check",
    value: "FOLDER",
    completion: .folders,
    "fail unless this folder is current"
  )

  private static let vectors = Command(
    "vectors",
    "Writes the test vectors, or compares them with those that are there",
    options: [Option](of: writeFolder, check),
    discussion: "Checked in are those in proto/vectors; README.md there describes the format."
  )

  private static let commands = [runCommand, vectors]
  private static let helpFlag = OptionKey<Bool>(flag: "help", letter: "h", "show this help")

  private static let common = [Option](of: helpFlag)

  /// Runs a command line.
  ///
  /// - Returns: Whether all is well.
  static func run(_ arguments: [String]) async throws -> Bool {
    let parsed = try ParsedArguments(
      arguments,
      options: commands.flatMap(\.options) + common,
      environment: environment(),
      prefix: prefix
    )
    let verb = parsed.operands.first
    guard !parsed[helpFlag], let verb, verb != "help" else {
      tell(help(verb == "help" ? parsed.operands.dropFirst().first : verb))
      return true
    }
    guard parsed.operands.count == 1 else {
      throw UsageError("\(verb) takes no '\(parsed.operands[1])'")
    }
    switch verb {
    case runCommand.name: return try await runCases(parsed)
    case vectors.name: return try writeVectors(parsed)
    default:
      let near = nearest(to: verb, among: commands.map(\.name))
      throw UsageError("unknown verb '\(verb)'" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
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

  private static func runCases(_ parsed: ParsedArguments) async throws -> Bool {
    var settings = RunSettings(
      command: parsed[client] ?? "",
      rpcdPath: parsed[rpcd] ?? beside("rpcd")
    )
    settings.filters = parsed[filter]
    if parsed[list] {
      for name in try ConformanceRun.names(settings) { tell(name + "\n") }
      return true
    }
    guard !settings.command.isEmpty else {
      throw UsageError("--client is missing: how is the client under test started?")
    }
    settings.taskMillisecondsMax = Int(parsed[taskTimeout] / .milliseconds(1))
    return try await ConformanceRun.run(settings, style: parsed[output], write: tell)
  }

  private static func writeVectors(_ parsed: ParsedArguments) throws -> Bool {
    switch (parsed[writeFolder], parsed[check]) {
    case (let folder?, nil):
      for name in try VectorFiles.write(to: folder) { tell("\(folder)/\(name)\n") }
      return true
    case (nil, let folder?):
      let outdated = try VectorFiles.outdated(in: folder)
      for name in outdated { tell("\(folder)/\(name) is not current\n") }
      return outdated.isEmpty
    default: throw UsageError("vectors takes --write FOLDER or --check FOLDER")
    }
  }

  /// A program in this one's folder.
  private static func beside(_ program: String) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let bytes = path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    let folder = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? []
    return String(decoding: folder, as: UTF8.self) + program
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

  private static func tell(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      sent += count
    }
  }
}
