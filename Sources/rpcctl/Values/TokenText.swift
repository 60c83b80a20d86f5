internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// A place in a feed, as the command line names it: a token as it was printed, or `@FILE` with one.
///
/// A file is what `--save-token` and `tokens save` wrote, or the `--state` of a watch.
enum TokenText {
  /// Where a feed begins, and where the place is kept that it came to.
  static let options = [
    Option(
      "since",
      value: "TOKEN|@FILE|beginning",
      completion: .files,
      "Continue after this `changeToken`, or the one in FILE."
    ),
    Option("token", value: "TOKEN", "The same as --since."),
    Option(
      "save-token",
      value: "FILE",
      completion: .files,
      "Keep the token in FILE, after each page that was printed; --since @FILE goes on there."
    ),
  ]

  /// The bytes of a token.
  ///
  /// - Parameters:
  ///   - text: A token, or `@FILE`.
  ///   - option: What names it in errors.
  ///   - input: Reads the file.
  /// - Returns: The token.
  /// - Throws: `UsageError`, or why the file cannot be read.
  static func bytes(_ text: String, _ option: String, _ input: Input) throws -> [UInt8] {
    guard text.hasPrefix("@") else { return try Verb.changeToken(text, option) }
    let path = String(text.dropFirst())
    let content = try input.readNamed(path)
    if let position = try? InboxPosition(bytes: content) { return position.changeToken }
    let word = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
    do {
      return try Verb.changeToken(word, option)
    } catch {
      throw UsageError("'\(path)' does not hold a token: `tokens save` and --save-token write one")
    }
  }
}

extension Invocation {
  /// Where `--since`, or `--token`, says that a feed begins; empty: at the beginning.
  func sinceToken() throws -> [UInt8] {
    let given = ["since", "token"].filter(arguments.has)
    guard given.count < 2 else {
      throw UsageError("--token is the same as --since: give one of them")
    }
    guard let option = given.first, let text = arguments[option], text != "beginning" else {
      return []
    }
    if let path = arguments["save-token"], text == "@" + path, !AtomicFile.exists(path) {
      output.tell("rpcctl: '\(path)' is not there yet: from the beginning")
      return []
    }
    return try TokenText.bytes(text, "--\(option)", input)
  }

  /// Keeps a token where `--save-token` says.
  func keep(token: [UInt8]) throws {
    guard let path = try Verb.nonEmpty(arguments, "save-token") else { return }
    try AtomicFile.write(Array((Base64.encode(token) + "\n").utf8), to: path)
  }
}
