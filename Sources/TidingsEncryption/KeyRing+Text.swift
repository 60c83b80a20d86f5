internal import TidingsFiles

// One line per key, oldest first: `seal` or `open`, the ID of the key, the key, both in hexadecimal.
// Empty lines and lines that start with `#` are ignored.
extension KeyRing {
  /// The text of a key ring file.
  public var text: String {
    """
    # Tidings key ring: keys of encrypted values.
    # Whoever has this file can read them. Without it nobody can: keep a copy in a safe place.

    """ + entries.map(\.line).joined()
  }

  /// Reads the text of a key ring file.
  ///
  /// - Throws: With the number of the first invalid line; does not contain keys.
  public init(text: String) throws(KeyRingError) {
    self.init()
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.isEmpty || line.hasPrefix("#") { continue }
      guard words.count == 3, let use = Use(rawValue: String(words[0])),
        let id = [UInt8](hexadecimal: words[1]),
        let key = [UInt8](hexadecimal: words[2]).flatMap({ EncryptionKey($0) })
      else {
        throw KeyRingError(
          "line \(index + 1): expected 'seal KEY-ID KEY' or 'open KEY-ID KEY', with 16 and 64 "
            + "hexadecimal digits: restore a copy"
        )
      }
      guard key.id == id else {
        throw KeyRingError(
          "line \(index + 1): the key does not match its ID: restore a copy"
        )
      }
      guard add(Entry(key, use)) else {
        throw KeyRingError(
          entries.count < Self.keysMax
            ? "line \(index + 1): the key appears twice: remove one of the lines"
            : "more than \(Self.keysMax) keys: use several rings"
        )
      }
    }
  }
}

extension KeyRing.Entry {
  /// The line in a key ring file, with its line break.
  var line: String { "\(use.rawValue) \(key.id.hexadecimal) \(key.bytes.hexadecimal)\n" }
}
