/// Whether text for terminals is emphasized: heads of tables, errors, hints, and nothing else.
struct Colors: Hashable, Sendable {
  /// On standard output.
  var inData = false
  /// On standard error.
  var inMessages = false

  /// No colours.
  init() {}

  /// What `--color` and the usual variables of the environment say.
  ///
  /// - Parameters:
  ///   - choice: always, never, or anything else: auto.
  ///   - environment: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM` count.
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

  /// The names of the variables that count.
  static let variables = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]

  /// The head of a table.
  func bold(_ text: String) -> String { inData ? Self.painted(text, "1") : text }
  /// An error.
  func red(_ text: String) -> String { inMessages ? Self.painted(text, "31") : text }
  /// A hint.
  func dim(_ text: String) -> String { inMessages ? Self.painted(text, "2") : text }

  /// The escapes stand around the text, not around its last line break.
  private static func painted(_ text: String, _ code: String) -> String {
    guard !text.isEmpty else { return "" }
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    return "\u{1B}[\(code)m\(line)\u{1B}[0m" + (text.hasSuffix("\n") ? "\n" : "")
  }
}
