/// Whether text is emphasized: table headers, errors and hints.
struct Colors: Hashable, Sendable {
  /// On standard output.
  var inData = false
  /// On standard error.
  var inMessages = false

  /// No colours.
  init() {}

  /// Colours by `--color` and the usual environment variables.
  ///
  /// - Parameters:
  ///   - choice: always, never, or anything else: auto.
  ///   - environment: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM` are read.
  ///   - terminals: Which streams are terminals.
  init(
    _ choice: String?,
    environment: [String: String],
    terminals: (data: Bool, messages: Bool)
  ) {
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    if choice == "always" {
      (inData, inMessages) = (true, true)
    } else if choice == "never" || isSet("NO_COLOR") {
      return
    } else if isSet("CLICOLOR_FORCE"), environment["CLICOLOR_FORCE"] != "0" {
      (inData, inMessages) = (true, true)
    } else if environment["CLICOLOR"] != "0", environment["TERM"] != "dumb" {
      (inData, inMessages) = terminals
    }
  }

  /// The names of the environment variables.
  static let variables = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]

  /// Formats the header of a table.
  func bold(_ text: String) -> String { inData ? Self.painted(text, "1") : text }
  /// Formats an error.
  func red(_ text: String) -> String { inMessages ? Self.painted(text, "31") : text }
  /// Formats an error with the hints that follow it, on further lines or after "did you mean".
  func failure(_ text: String) -> String {
    let ends = ["\n", "; did you mean "].compactMap { text.firstRange(of: $0)?.lowerBound }
    let hint = text[(ends.min() ?? text.endIndex)...]
    let lineBreak = hint.hasPrefix("\n") ? "\n" : ""
    return red(String(text[..<hint.startIndex])) + lineBreak
      + dim(String(hint.dropFirst(lineBreak.count)))
  }
  /// Formats a hint.
  func dim(_ text: String) -> String { inMessages ? Self.painted(text, "2") : text }

  /// Puts the escapes around the text, before its last line break.
  private static func painted(_ text: String, _ code: String) -> String {
    guard !text.isEmpty else { return "" }
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    return "\u{1B}[\(code)m\(line)\u{1B}[0m" + (text.hasSuffix("\n") ? "\n" : "")
  }
}
