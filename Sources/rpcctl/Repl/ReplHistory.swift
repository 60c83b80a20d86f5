internal import TidingsFiles

/// Which lines are remembered, and where.
struct ReplHistory: Sendable {
  /// The environment's variables that say where.
  static let variables = ["XDG_STATE_HOME", "HOME"]
  static let linesMax: Int32 = 1_000

  /// A file of the user alone; `nil`: nothing is kept.
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

  /// Whether a line is remembered: not one that begins with a space, nor one with a value that is to
  /// be encrypted.
  static func keeps(_ line: String) -> Bool {
    guard let first = line.first, !first.isWhitespace else { return false }
    return !line.lowercased().contains("encrypt") && !line.lowercased().contains("secret")
  }

  /// Sees to it that the file is there, for its owner alone.
  ///
  /// - Returns: Where; `nil` when it cannot be written, which is no reason to end.
  func prepare() -> String? {
    guard let path else { return nil }
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if !Folder.isThere(folder), (try? Folder.make(folder)) == nil { return nil }
    }
    // It is there already, most times.
    _ = try? File(path: path, .createNew)
    return path
  }
}
