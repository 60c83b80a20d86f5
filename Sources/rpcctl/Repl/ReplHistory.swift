internal import TidingsFiles

/// The history file and its rules.
struct ReplHistory: Sendable {
  /// The environment variables that locate it.
  static let variables = ["XDG_STATE_HOME", "HOME"]
  static let linesMax: Int32 = 1_000

  /// The path of the file; `nil`: no history is kept.
  let path: String?

  init(_ environment: [String: String]) {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      path = folder + "/tidings/history"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      path = home + "/.local/state/tidings/history"
    } else {
      path = nil
    }
  }

  /// Returns whether a line is kept: not if it starts with a space, or has a value to encrypt.
  static func keeps(_ line: String) -> Bool {
    guard let first = line.first, !first.isWhitespace else { return false }
    return !line.lowercased().contains("encrypt") && !line.lowercased().contains("secret")
  }

  /// Creates the file if necessary, readable by its owner only.
  ///
  /// - Returns: The path; `nil` if it cannot be written, which is not an error.
  func prepare() -> String? {
    guard let path else { return nil }
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if !Folder.isThere(folder), (try? Folder.make(folder)) == nil { return nil }
    }
    // It usually exists already.
    _ = try? File(path: path, .createNew)
    return path
  }
}
