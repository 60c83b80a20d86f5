internal import CommandLineTools

/// A saved connection: options that need not be repeated on each command line.
///
/// It contains paths of keys, never keys.
struct SavedContext: Sendable {
  let name: String
  /// The values by option, with the line of the file for messages.
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

  /// The names that its file may contain.
  static let names = ["description"] + options.map(\.name)

  /// The value of an option, empty if unset.
  subscript(name: String) -> String { settings[name]?.value ?? "" }

  /// The set options, in order, each with its value.
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
