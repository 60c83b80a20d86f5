internal import CommandLineTools

/// A server as a user knows it: the options that are not repeated on each command line.
///
/// It holds where keys are, never keys.
struct SavedContext: Sendable {
  let name: String
  /// By option, with the line of the file for messages.
  let settings: [String: ConfigurationFile.Setting]

  /// The options that a context may hold, in the order of its file.
  static let options = [Option](
    of: .endpoint,
    .container,
    .environment,
    .database,
    .owner,
    .user,
    .device,
    .keyFile,
    .serverKey,
    .keyRing,
    .timeout,
    .connectTimeout,
    .retries,
    .output,
    .color,
    .noProgress,
    .noInput,
    .quiet
  )

  /// What may stand in its file.
  static let names = ["description"] + options.map(\.name)

  /// The value of an option, empty where the context leaves it open.
  subscript(name: String) -> String { settings[name]?.value ?? "" }

  /// Its lines, in order, each with its value.
  var lines: [(name: String, value: String)] {
    Self.names.compactMap { name in settings[name].map { (name, $0.value) } }
  }

  /// The text of a context's file.
  static func text(_ name: String, _ values: [String: String]) -> String {
    var text = "# The context '\(name)' of rpcctl: see rpcctl context add --help.\n"
    for name in names {
      guard let value = values[name] else { continue }
      text += "\(name) = \(value)\n"
    }
    return text
  }
}
