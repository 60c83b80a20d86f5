internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// A position in a feed on the command line: a printed token, or `@FILE` with one.
///
/// The file is written by `--save-token` and `tokens save`, or is the `--state` of a watch.
enum TokenText {
  static let since = OptionKey<String?>(
    "since",
    value: "TOKEN|@FILE|beginning",
    completion: .files,
    "Start after this `changeToken`, or the one in FILE."
  )
  static let token = OptionKey<String?>("token", value: "TOKEN", "Same as --since.")
  static let saveToken = OptionKey<String?>(
    "save-token",
    value: "FILE",
    completion: .files,
    "Save the token to FILE after each page; resume with --since @FILE."
  )

  /// The start of a feed, and the file for the token of its end.
  static let options = [Option](of: since, token, TokenText.saveToken)

  /// Returns the bytes of a token.
  ///
  /// - Parameters:
  ///   - text: A token, or `@FILE`.
  ///   - option: The option's name in errors.
  ///   - input: Reads the file.
  /// - Returns: The token.
  /// - Throws: `UsageError`, or the error of reading the file.
  static func bytes(_ text: String, _ option: String, _ input: Input) throws -> [UInt8] {
    guard text.hasPrefix("@") else { return try Verb.changeToken(text, option) }
    let path = String(text.dropFirst())
    let content = try input.readNamed(path)
    if let position = try? InboxPosition(bytes: content) { return position.changeToken }
    let word = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
    do {
      return try Verb.changeToken(word, option)
    } catch {
      throw UsageError(
        "'\(path)' does not contain a token: use a file written by `tokens save` or --save-token"
      )
    }
  }
}

extension Invocation {
  /// Returns the token of `--since`, or `--token`; empty: the beginning.
  func sinceToken() throws -> [UInt8] {
    let keys = [TokenText.since, TokenText.token]
    guard let key = keys.first(where: { arguments[$0] != nil }) else { return [] }
    guard keys.allSatisfy({ arguments[$0] == nil || $0.name == key.name }) else {
      throw UsageError("--token is the same as --since: use one of them")
    }
    guard let text = arguments[key], text != "beginning" else { return [] }
    if let path = arguments[TokenText.saveToken], text == "@" + path, !AtomicFile.exists(path) {
      output.log("rpcctl: '\(path)' does not exist yet: starting from the beginning")
      return []
    }
    return try TokenText.bytes(text, key.spelling, input)
  }

  /// Saves a token to the file of `--save-token`.
  func keep(token: [UInt8]) throws {
    guard let path = arguments[TokenText.saveToken] else { return }
    try AtomicFile.write(Array((Base64.encode(token) + "\n").utf8), to: path)
  }
}
