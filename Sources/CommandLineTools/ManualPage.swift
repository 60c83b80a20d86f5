/// A manual page in roff with the `man` macros, generated from the help.
public struct ManualPage: Sendable {
  /// The header and footer of a page.
  public struct Heading: Sendable {
    /// The page's name, for example `rpcctl-fetch-records`.
    public var name: String
    /// The section of the manual: 1 for commands, 8 for servers.
    public var section: Int
    /// A one-line summary without a full stop.
    public var summary: String
    /// The program with its version, for the footer.
    public var source: String
    /// The date of the page's text, `2026-11-21`.
    public var date: String

    /// A heading.
    public init(name: String, section: Int, summary: String, source: String, date: String) {
      self.name = name
      self.section = section
      self.summary = summary
      self.source = source
      self.date = date
    }
  }

  private var lines: [String]

  /// A page with its name and summary.
  public init(_ heading: Heading) {
    let title = Roff.quoted(heading.name.uppercased())
    lines = [
      ".TH \(title) \(heading.section) \(heading.date) \(Roff.quoted(heading.source)) \"Tidings\"",
      ".nh",
      ".ad l",
    ]
    add(section: "Name")
    lines.append("\(Roff.escaped(heading.name)) \\- \(Roff.escaped(heading.summary))")
  }

  /// Starts a section.
  public mutating func add(section: String) {
    lines.append(".SH \(Roff.quoted(section.uppercased()))")
  }

  /// Starts a subsection.
  public mutating func add(subsection: String) {
    lines.append(".SS \(Roff.quoted(subsection))")
  }

  /// Adds synopsis lines: the name and what may follow it.
  public mutating func add(usages: [(name: String, rest: String)]) {
    for (index, usage) in usages.enumerated() {
      if index > 0 { lines.append(".br") }
      lines.append("\\fB\(Roff.escaped(usage.name))\\fR \(Roff.escaped(usage.rest))")
    }
  }

  /// Adds text: paragraphs separated by empty lines; indented lines are kept verbatim.
  public mutating func add(text: String) {
    var isVerbatim = false
    var beginsParagraph = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        beginsParagraph = true
        continue
      }
      let isIndented = line.hasPrefix("  ")
      if isVerbatim, !isIndented {
        lines += [".fi", ".RE"]
        beginsParagraph = true
      }
      if isIndented, !isVerbatim { lines += [".PP", ".RS 4", ".nf"] }
      if isIndented, isVerbatim, beginsParagraph { lines.append(".sp") }
      if !isIndented, beginsParagraph { lines.append(".PP") }
      (isVerbatim, beginsParagraph) = (isIndented, false)
      lines.append(Roff.escaped(String(isIndented ? line.dropFirst(2) : line)))
    }
    if isVerbatim { lines += [".fi", ".RE"] }
  }

  /// Adds a paragraph.
  public mutating func add(paragraph: String) {
    lines.append(".PP")
    add(text: paragraph)
  }

  /// Adds terms with their definitions.
  public mutating func add(list: [(word: String, text: String)]) {
    for (word, text) in list {
      lines += [".TP", "\\fB\(Roff.escaped(word))\\fR", Roff.escaped(text)]
    }
  }

  /// Adds options, with the prefix of their environment variables, if any.
  public mutating func add(options: [Option], prefix: String?) {
    for option in options {
      let letter = option.letter.map { "\\fB\\-\(Roff.escaped(String($0)))\\fR, " } ?? ""
      let value = option.isFlag ? "" : " \\fI\(Roff.escaped(option.placeholder))\\fR"
      lines += [".TP", "\(letter)\\fB\\-\\-\(Roff.escaped(option.name))\\fR\(value)"]
      lines.append(Roff.escaped(option.help))
      if let preset = option.defaultValue, !preset.isEmpty {
        lines.append(Roff.escaped("(default: \(preset))"))
      }
      if let prefix { lines.append(Roff.escaped("[\(option.variable(prefix: prefix))]")) }
    }
  }

  /// Adds the verbs of sections.
  public mutating func add(sections: [HelpSection]) {
    for section in sections where !section.commands.isEmpty {
      add(subsection: section.title)
      add(
        list: section.commands.map { command in
          let aliases =
            command.aliases.isEmpty ? "" : " (also \(command.aliases.joined(separator: ", ")))"
          return (command.name, command.summary + aliases)
        }
      )
    }
  }

  /// Adds references to other pages.
  public mutating func add(seeAlso pages: [(name: String, section: Int)]) {
    add(section: "See also")
    for (index, page) in pages.enumerated() {
      let comma = index < pages.count - 1 ? "," : ""
      lines.append(".BR \(Roff.escaped(page.name)) (\(page.section))\(comma)")
    }
  }

  /// The page, ending in a line break.
  public var text: String { lines.joined(separator: "\n") + "\n" }
}

/// Text with escapes for everything that roff would interpret.
enum Roff {
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - digits.count))
        result += "\\[u\(padding)\(digits)]"
      }
    }
    // A dot at the start of a line would be a request.
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  /// An argument of a request.
  static func quoted(_ text: String) -> String {
    "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
  }
}
