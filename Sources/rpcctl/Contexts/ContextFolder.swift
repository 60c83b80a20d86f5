internal import CommandLineTools
internal import TidingsFiles

/// The contexts of a user: files in `tidings/contexts` of the configuration folder.
struct ContextFolder: Sendable {
  /// The environment variables that locate it.
  static let variables = ["XDG_CONFIG_HOME", "HOME"]

  /// Maximum length of a context's name, in bytes.
  private static let nameBytesMax = 64

  /// `~/.config/tidings`; `nil`: there is no home directory.
  private let root: String?

  init(_ environment: [String: String]) {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      root = folder + "/tidings"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      root = home + "/.config/tidings"
    } else {
      root = nil
    }
  }

  /// The context selected by the command line, the environment or `context use`; `nil`: none.
  ///
  /// - Throws: If the selected context does not exist or cannot be read.
  func chosen(_ arguments: ParsedArguments) throws -> SavedContext? {
    if arguments.isGiven(.context), arguments.isGiven(.noContext) {
      throw UsageError("--context and --no-context cannot be combined")
    }
    if arguments[.noContext], !arguments.isGiven(.context) { return nil }
    if let name = arguments[.context] {
      return try read(name, namedBy: arguments.source(.context) + ": ")
    }
    guard let name = try selection.current else { return nil }
    guard try has(name) else {
      throw NotFound(
        "the current context '\(name)' does not exist: select one with rpcctl context use, or use "
          + "--no-context"
      )
    }
    return try read(name)
  }

  /// The names of all contexts, sorted.
  var names: [String] {
    get throws {
      guard let root else { return [] }
      return try Folder.names(root + "/contexts").filter { $0.hasSuffix(Self.suffix) }
        .map { String($0.dropLast(Self.suffix.count)) }
        .filter(Self.isName).sorted()
    }
  }

  /// Reads a context.
  ///
  /// - Throws: `NotFound`; `UsageError` with the invalid line.
  func read(_ name: String, namedBy source: String = "") throws -> SavedContext {
    guard Self.isName(name), let path = try? path(name), try Folder.status(path) != nil else {
      throw NotFound(source + Self.unknown(name, among: try names))
    }
    let settings = try ConfigurationFile.read(path, allowing: SavedContext.names)
    return SavedContext(name: name, settings: settings)
  }

  /// Returns whether a context exists.
  func has(_ name: String) throws -> Bool { try names.contains(name) }

  private static func unknown(_ name: String, among known: [String]) -> String {
    let near = didYouMean(name, among: known)
    if !near.isEmpty { return "unknown context '\(name)'\(near)" }
    return "unknown context '\(name)': "
      + (known.isEmpty
        ? "create it with rpcctl context add" : "use \(known.joined(separator: ", "))")
  }

  /// The text of a context's file.
  func text(_ name: String) throws -> String {
    guard try has(name) else { throw NotFound(Self.unknown(name, among: try names)) }
    return try Self.text(at: try path(name))
  }

  /// The text of a file.
  static func text(at path: String) throws -> String {
    let file = try File(path: path, .read)
    let bytes = try file.read(at: 0, count: min(Int(try file.size), ConfigurationFile.bytesMax))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Copies a context's file for an editor, unless a rejected copy is left from before.
  ///
  /// - Returns: The path of the copy, and whether it was left from before.
  func makeDraft(of name: String) throws -> (path: String, isOld: Bool) {
    let text = try text(name)
    let draft = try draftPath(name)
    if try Folder.status(draft) != nil { return (draft, true) }
    try write(text, to: draft)
    return (draft, false)
  }

  private func draftPath(_ name: String) throws -> String { try path(name) + ".draft" }

  /// Writes a context atomically, readable by its owner only.
  func write(_ text: String, as name: String) throws {
    guard Self.isName(name) else {
      throw UsageError(
        "invalid context name '\(name)': use letters, digits, '.', '_' and '-', at most "
          + "\(Self.nameBytesMax)"
      )
    }
    try write(text, to: try path(name))
  }

  /// Removes a context, also as current or previous one.
  func remove(_ name: String) throws {
    _ = try text(name)
    try Folder.remove(try path(name))
    try? Folder.remove(try draftPath(name))
    var selection = try selection
    if selection.current == name { selection.current = nil }
    if selection.previous == name { selection.previous = nil }
    try select(selection)
  }

  /// The current and the previous context.
  struct Selection: Hashable, Sendable {
    var current: String?
    /// The context that `context use -` selects.
    var previous: String?
  }

  /// Reads the selection.
  var selection: Selection {
    get throws {
      guard let root, try Folder.status(root + "/context") != nil else { return Selection() }
      let lines = try ConfigurationFile.read(root + "/context", allowing: ["current", "previous"])
      return Selection(current: lines["current"]?.value, previous: lines["previous"]?.value)
    }
  }

  /// Changes the selection.
  func select(_ selection: Selection) throws {
    let lines = [("current", selection.current), ("previous", selection.previous)]
    let text = lines.compactMap { line in line.1.map { "\(line.0) = \($0)\n" } }.joined()
    try write(text, to: try folder() + "/context")
  }

  private static let suffix = ".conf"

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "."),
      text.utf8.count <= nameBytesMax
    else { return false }
    return text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
  }

  private func folder() throws -> String {
    guard let root else {
      throw LocalFailure("no configuration folder: set XDG_CONFIG_HOME or HOME")
    }
    return root
  }

  private func path(_ name: String) throws -> String {
    try folder() + "/contexts/" + name + Self.suffix
  }

  private func write(_ text: String, to path: String) throws {
    // The configuration folder may not exist yet either.
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if !Folder.isThere(folder) { try Folder.make(folder) }
    }
    let new = path + "." + String(UInt64.random(in: .min ... .max), radix: 36)
    do {
      let file = try File(path: new, .createNew)
      try file.write(Array(text.utf8)[...], at: 0)
      try file.synchronize()
      try Folder.rename(new, to: path)
      try Folder.synchronize(folder)
    } catch {
      try? Folder.remove(new)
      throw LocalFailure("\(error)")
    }
  }
}
