/// Reads a schema's text: names, words and symbols, without white space and comments.
struct SchemaScanner {
  /// A name or a word of the language: what it is depends on where it stands.
  struct Name {
    let text: String
    let isQuoted: Bool
    /// In bytes.
    let offset: Int

    /// The word of the language that this is, unless it is quoted.
    var word: SchemaWord? { isQuoted ? nil : SchemaWord(rawValue: text.uppercased()) }
  }

  private let text: [UInt8]
  private var position = 0

  init(_ text: String) {
    self.text = Array(text.utf8)
    skipSpace()
  }

  /// Where the next name or symbol begins, in bytes.
  var offset: Int { position }

  /// Nothing stands here any more.
  var isAtEnd: Bool { position == text.count }

  func error(_ message: String, at offset: Int? = nil) -> SchemaError {
    SchemaError(message, at: TextPosition(offset ?? position, in: text))
  }

  /// An error that says what was expected and what stands here.
  func expected(_ what: String) -> SchemaError { error("expected \(what), found \(found)") }

  /// The unquoted word that stands here.
  var word: SchemaWord? { SchemaWord(rawValue: unquoted.uppercased()) }

  /// Whether a symbol stands here.
  func isNext(_ symbol: Unicode.Scalar) -> Bool {
    position < text.count && text[position] == UInt8(ascii: symbol)
  }

  /// Skips a symbol if it stands here.
  mutating func take(_ symbol: Unicode.Scalar) -> Bool {
    guard isNext(symbol) else { return false }
    position += 1
    skipSpace()
    return true
  }

  /// Skips a word of the language if it stands here.
  mutating func take(_ word: SchemaWord) -> Bool {
    guard self.word == word else { return false }
    position += word.rawValue.utf8.count
    skipSpace()
    return true
  }

  /// The name or word that stands here.
  ///
  /// - Parameter what: What it is a name of, for errors.
  /// - Returns: The name, and where it stands.
  /// - Throws: When no name stands here, or one in quotes does not end.
  mutating func name(_ what: String) throws(SchemaError) -> Name {
    let start = position
    if isNext("\"") {
      let end = text[(start + 1)...].firstIndex {
        $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
      }
      guard let end, text[end] == UInt8(ascii: "\"") else {
        throw error("the name has no closing \"")
      }
      position = end + 1
      skipSpace()
      let name = String(decoding: text[(start + 1)..<end], as: UTF8.self)
      return Name(text: name, isQuoted: true, offset: start)
    }
    let name = unquoted
    guard !name.isEmpty else { throw expected(what) }
    position += name.utf8.count
    skipSpace()
    return Name(text: name, isQuoted: false, offset: start)
  }

  private var unquoted: String {
    String(decoding: text[position...].prefix(while: \.isIdentifierByte), as: UTF8.self)
  }

  private mutating func skipSpace() {
    while position < text.count {
      if text[position] == 0x20 || (0x09...0x0d).contains(text[position]) {
        position += 1
      } else if isComment {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
      } else {
        return
      }
    }
  }

  private var isComment: Bool {
    let next = text[position...].prefix(2)
    return next.elementsEqual("//".utf8) || next.elementsEqual("--".utf8)
  }

  /// What stands here, for messages.
  private var found: String {
    if isAtEnd { return "the end of the text" }
    let name = unquoted
    if !name.isEmpty { return Identifier.shown(name) }
    let rest = String(decoding: text[position..<min(position + 32, text.count)], as: UTF8.self)
    guard let character = rest.first, character.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
    else { return "a control character" }
    return "'\(character)'"
  }
}
