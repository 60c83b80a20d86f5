internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// A place in a feed, as the command line names it: a token as it was printed, or `@FILE` with one.
///
/// A file is what `--save-token` and `tokens save` wrote, or the `--state` of a watch.
enum TokenText {
  static let since = OptionKey<String?>(
    "since",
    value: "TOKEN|@FILE|beginning",
    completion: .files,
    "Continue after this `changeToken`, or the one in FILE."
  )
  static let token = OptionKey<String?>("token", value: "TOKEN", "The same as --since.")
  static let saveToken = OptionKey<String?>(
    "save-token",
    value: "FILE",
    completion: .files,
    "Keep the token in FILE, after each page that was printed; --since @FILE goes on there."
  )

  /// Where a feed begins, and where the place is kept that it came to.
  static let options = [Option](of: since, token, TokenText.saveToken)

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
    let keys = [TokenText.since, TokenText.token]
    guard let key = keys.first(where: { arguments[$0] != nil }) else { return [] }
    guard keys.allSatisfy({ arguments[$0] == nil || $0.name == key.name }) else {
      throw UsageError("--token is the same as --since: give one of them")
    }
    guard let text = arguments[key], text != "beginning" else { return [] }
    if let path = arguments[TokenText.saveToken], text == "@" + path, !AtomicFile.exists(path) {
      output.tell("rpcctl: '\(path)' is not there yet: from the beginning")
      return []
    }
    return try TokenText.bytes(text, key.spelling, input)
  }

  /// Keeps a token where `--save-token` says.
  func keep(token: [UInt8]) throws {
    guard let path = try arguments.nonEmpty(TokenText.saveToken) else { return }
    try AtomicFile.write(Array((Base64.encode(token) + "\n").utf8), to: path)
  }
}
