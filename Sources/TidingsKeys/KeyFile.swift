internal import Glibc
internal import TidingsFiles

/// A file with a key pair, or with the public part of one.
///
/// Text: `public-key KEY` and `secret-key KEY`, each on a line of its own, the keys in Z85. Lines
/// that begin with `#` say what the file is. A file with a secret part is its owner's alone.
public enum KeyFile: Sendable {
  /// Both parts.
  case pair(KeyPair)
  /// The part that others may know.
  case publicKey(PublicKey)

  /// Largest key file, in bytes.
  static let bytesMax = 4096

  private static let publicWord = "public-key"
  private static let secretWord = "secret-key"

  /// The public part.
  public var publicKey: PublicKey {
    switch self {
    case .pair(let pair): pair.publicKey
    case .publicKey(let key): key
    }
  }

  /// Reads a key file.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - isGuarded: Its folder keeps others out, whatever the file's own rights say.
  /// - Throws: When it cannot be read, is no key file, its parts do not belong together, or others
  ///   than its owner may read a secret part.
  public init(path: String, isGuarded: Bool = false) throws(KeyFileError) {
    let (text, isOpenToOthers) = try Self.read(path)
    self = try Self.parse(text, path)
    if case .pair = self, isOpenToOthers, !isGuarded {
      throw KeyFileError(
        "others can read the key file '\(path)': chmod 600 '\(path)', and replace the key if they "
          + "may have done so"
      )
    }
  }

  /// Reads the key pair of a file.
  ///
  /// - Throws: As `init(path:)`, and when the file has the public part only.
  public static func pair(path: String, isGuarded: Bool = false) throws(KeyFileError) -> KeyPair {
    guard case .pair(let pair) = try Self(path: path, isGuarded: isGuarded) else {
      throw KeyFileError("the key file '\(path)' has no secret part: name the file that has both")
    }
    return pair
  }

  /// Writes a file that was not there: a pair for its owner alone, a public key for all to read.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - title: What the key is for, one line; it stands in the file's first line.
  /// - Throws: When something is there already, or it cannot be written.
  public func write(to path: String, title: String) throws(KeyFileError) {
    // Beside it first: a power loss must not leave half a key under its name.
    let part = path + ".part"
    let isMissing = try Self.isMissing(path)
    var hasName = false
    do throws(FileError) {
      guard isMissing else { throw FileError("create", path, code: EEXIST) }
      // An empty file is what a power loss left of one.
      if Folder.isFile(path) { try Folder.remove(path) }
      try Folder.remove(part)
      let file = try File(path: part, .createNew)
      try file.write(Array(text(title).utf8)[...], at: 0)
      if case .publicKey = self { try file.openToReaders() }
      try file.synchronize()
      try Folder.renameNew(part, to: path)
      hasName = true
      try Folder.synchronize(parentOf: path)
    } catch {
      guard error.isThere else {
        try? Folder.remove(hasName ? path : part)
        throw KeyFileError("\(error)")
      }
      throw KeyFileError("'\(path)' is there already, and keys are not overwritten: name another")
    }
  }

  /// There is no file, or an empty one: what a power loss leaves of a file that was just made.
  ///
  /// - Throws: When it cannot be looked at, or is a link to nothing: a disk that is not there must not look
  ///   like a server without a key.
  package static func isMissing(_ path: String) throws(KeyFileError) -> Bool {
    do {
      guard let status = try Folder.status(path) else {
        guard !Folder.isLink(path) else {
          throw FileError(
            "open",
            path,
            code: ENOENT,
            reason: "it is a link to a file that is not there"
          )
        }
        return true
      }
      return status.size == 0 && Folder.isFile(path)
    } catch {
      throw KeyFileError("\(error)")
    }
  }

  private func text(_ title: String) -> String {
    let title = title.split(whereSeparator: \.isNewline).joined(separator: " ")
    let lines =
      switch self {
      case .pair(let pair):
        [
          "# Tidings CURVE key pair: \(title)",
          "# Whoever has the secret key can pass for its owner. Show nobody more than the public key.",
          "\(Self.publicWord) \(pair.publicKey)",
          "\(Self.secretWord) \(Z85.encode(pair.secretKey))",
        ]
      case .publicKey(let key):
        [
          "# Tidings CURVE public key: \(title)",
          "# This is not secret.",
          "\(Self.publicWord) \(key)",
        ]
      }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func read(
    _ path: String
  ) throws(KeyFileError) -> (text: String, isOpenToOthers: Bool) {
    do {
      let file = try File(path: path, .read)
      guard try file.isRegular else {
        throw KeyFileError(
          "'\(path)' is a folder, a pipe or a device, not a key file: name a file"
        )
      }
      guard try file.size <= UInt64(bytesMax) else {
        throw KeyFileError("'\(path)' is not a key file")
      }
      let bytes = try file.read(at: 0, count: bytesMax)
      return (String(decoding: bytes, as: UTF8.self), try file.isOpenToOthers)
    } catch let error as KeyFileError {
      throw error
    } catch {
      throw KeyFileError("\(error)")
    }
  }

  /// Reads the text of a key file.
  ///
  /// - Parameters:
  ///   - text: What is in the file.
  ///   - path: Its path, for messages.
  /// - Returns: Its keys.
  /// - Throws: With what is wrong, and where.
  package static func parse(_ text: String, _ path: String) throws(KeyFileError) -> Self {
    var keys: [Substring: PublicKey] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty || line.hasPrefix("#") { continue }
      // What stands there may be a secret: it is not shown.
      guard words.count == 2, words[0] == publicWord || words[0] == secretWord,
        let key = PublicKey(z85: String(words[1])), keys.updateValue(key, forKey: words[0]) == nil
      else {
        throw KeyFileError(
          "'\(path)' is not a key file: line \(index + 1) is neither '\(publicWord) KEY' nor "
            + "'\(secretWord) KEY', each at most once, with a key of 40 characters"
        )
      }
    }
    let publicKey = keys[publicWord[...]]
    guard let secret = keys[secretWord[...]] else {
      if let publicKey { return .publicKey(publicKey) }
      throw KeyFileError("'\(path)' is not a key file: it has no line '\(publicWord) KEY'")
    }
    guard let pair = KeyPair(secretKey: secret.bytes) else {
      throw KeyFileError("the secret key in '\(path)' is not valid")
    }
    guard publicKey == nil || publicKey == pair.publicKey else {
      throw KeyFileError("the two keys in '\(path)' do not belong together")
    }
    return .pair(pair)
  }
}
