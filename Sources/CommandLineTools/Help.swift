/// The help of a program or of one of its verbs.
public struct Help: CustomStringConvertible {
  private var lines: [String] = []

  /// Maximum width of a line, in characters; the last column of tables is wrapped.
  private static let widthMax = 100

  /// The help of a program with verbs.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - summary: What the program does.
  ///   - sections: Its verbs.
  ///   - options: Options that every verb accepts and that are listed here.
  ///   - prefix: The prefix of environment variables.
  public init(
    program: String,
    summary: String,
    sections: [HelpSection],
    options: [Option] = [],
    prefix: String = ""
  ) {
    lines += [summary, "", "Usage: \(program) [options] VERB [operands]"]
    let tables = sections.map { (title: $0.title, lines: $0.lines) }
    let width = tables.flatMap(\.lines).map(\.name.count).max() ?? 0
    for table in tables where !table.lines.isEmpty {
      lines += ["", table.title + ":"]
      addTable(table.lines.map { ($0.name, $0.text) }, width: width)
    }
    addOptions(options, title: "Options, before or after the verb", prefix: prefix)
    lines += ["", "`\(program) help VERB` shows the help of a verb."]
  }

  /// The help of the options that all verbs of a program accept.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - options: The options.
  ///   - prefix: The prefix of environment variables.
  public init(program: String, options: [Option], prefix: String) {
    lines.append("The general options of \(program), before or after the verb.")
    addOptions(options, title: "General options", prefix: prefix)
  }

  /// The help of the verbs that start with one word.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - word: The word.
  ///   - commands: Verbs, some of whose names start with the word.
  public init(program: String, word: String, commands: [Command]) {
    lines += ["Usage: \(program) \(word) … [options] [operands]", ""]
    var rows: [(String, String)] = []
    for command in commands {
      for name in [command.name] + command.aliases where name.hasPrefix(word + " ") {
        let original = name == command.name ? "" : " (\(command.name))"
        rows.append((name, command.summary + original))
      }
    }
    addTable(rows)
    lines += ["", "`\(program) help \(rows.first?.0 ?? word)` shows the help of that verb."]
  }

  /// The help of a program without verbs.
  ///
  /// - Parameters:
  ///   - command: The program.
  ///   - prefix: The prefix of environment variables.
  public init(_ command: Command, prefix: String) {
    add(command, name: command.name)
    addOptions(command.options, title: "Options", prefix: prefix)
  }

  /// The help of one verb.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - command: The verb.
  public init(program: String, command: Command) {
    add(
      command,
      name: "\(program) \(command.name)",
      aliases: command.aliases.map { "\(program) \($0)" }
    )
    // Options of verbs have no environment variables.
    addOptions(command.options, title: "Options", prefix: nil)
  }

  private mutating func add(_ command: Command, name: String, aliases: [String] = []) {
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    lines += [command.summary, "", "Usage: \(name) [options]\(operands)"]
    lines += aliases.map { "   or: \($0) [options]\(operands)" }
    if !command.discussion.isEmpty { lines += ["", command.discussion] }
  }

  private mutating func addOptions(_ options: [Option], title: String, prefix: String?) {
    guard !options.isEmpty else { return }
    lines += ["", title + (prefix.map { " (environment: \($0)_NAME)" } ?? "") + ":"]
    addTable(
      options.map { option in
        let letter = option.letter.map { "-\($0), " } ?? ""
        let value = option.isFlag ? "" : " \(option.placeholder)"
        let preset = option.defaultValue.map { " (default: \($0))" } ?? ""
        return ("\(letter)--\(option.name)\(value)", option.help + preset)
      }
    )
  }

  private mutating func addTable(_ rows: [(String, String)], width: Int? = nil) {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    for (left, right) in rows {
      let indent = String(repeating: " ", count: width + 4)
      var line = "  " + left + String(repeating: " ", count: width - left.count + 2)
      var isEmpty = true
      for word in right.split(separator: " ") {
        if !isEmpty, line.count + 1 + word.count > Self.widthMax {
          lines.append(line)
          (line, isEmpty) = (indent, true)
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
      }
      lines.append(line)
    }
  }

  /// The text, ending in a line break.
  public var description: String { lines.joined(separator: "\n") + "\n" }
}

extension String {
  /// Returns the text, wrapped to a width in characters.
  package func wrapped(to width: Int) -> String {
    var lines = [""]
    for word in split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count > width {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] += " " + word
      }
    }
    return lines.joined(separator: "\n")
  }
}
