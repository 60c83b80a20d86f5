/// The help of a program or of one of its verbs, as text.
public struct Help: CustomStringConvertible {
  private var lines: [String] = []

  /// The help of a program with verbs.
  ///
  /// - Parameters:
  ///   - program: How it is called.
  ///   - summary: What it is for.
  ///   - commands: Its verbs.
  ///   - options: Options that every verb takes.
  ///   - prefix: What the names of environment variables begin with.
  public init(
    program: String,
    summary: String,
    commands: [Command],
    options: [Option],
    prefix: String
  ) {
    lines += [summary, "", "Usage: \(program) [options] VERB [operands]", "", "Verbs:"]
    addTable(commands.map { ($0.name, $0.summary) })
    addOptions(options, title: "Options, before or after the verb", prefix: prefix)
    lines += ["", "`\(program) help VERB` tells more."]
  }

  /// The help of one verb, or of a program without verbs.
  ///
  /// - Parameters:
  ///   - program: How the program is called.
  ///   - command: The verb; its name is left out of the usage line when it is the program's.
  ///   - options: Options that every verb takes.
  ///   - prefix: What the names of environment variables begin with.
  public init(program: String, command: Command, options: [Option], prefix: String) {
    let name = command.name == program ? program : "\(program) \(command.name)"
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    lines += [command.summary, "", "Usage: \(name) [options]\(operands)"]
    if !command.discussion.isEmpty { lines += ["", command.discussion] }
    // Verbs have no environment of their own; a program without verbs has.
    addOptions(command.options, title: "Options", prefix: options.isEmpty ? prefix : nil)
    addOptions(options, title: "Options of every verb", prefix: prefix)
  }

  private mutating func addOptions(_ options: [Option], title: String, prefix: String?) {
    guard !options.isEmpty else { return }
    lines += ["", title + (prefix.map { " (environment: \($0)_NAME)" } ?? "") + ":"]
    addTable(
      options.map { option in
        let letter = option.letter.map { "-\($0), " } ?? ""
        let value = option.value.map { " \($0)" } ?? ""
        let preset = option.defaultValue.map { " (default: \($0))" } ?? ""
        return ("\(letter)--\(option.name)\(value)", option.help + preset)
      })
  }

  private mutating func addTable(_ rows: [(String, String)]) {
    let width = rows.map(\.0.count).max() ?? 0
    for (left, right) in rows {
      lines.append("  " + left + String(repeating: " ", count: width - left.count + 2) + right)
    }
  }

  /// The text, ending in a line break.
  public var description: String { lines.joined(separator: "\n") + "\n" }
}
