/// Splits a text into the words that full-text search compares.
///
/// A word is a run of letters, digits and the marks that belong to them, by their Unicode category;
/// anything else separates words. Words are in lowercase and without diacritics (`DiacriticFolding`).
/// Stop words are left out, the 33 of CloudKit. Scripts that do not separate words make one word of
/// a run.
///
/// Evaluation, the channel index and the search index all use this, so its bounds are the same
/// everywhere.
public enum Tokenizer {
  /// Bytes of a word; what follows does not count.
  public static let tokenBytesMax = 128
  /// Words of a text, each time they occur; what follows is not found.
  public static let tokenCountMax = 10_000

  /// Gives each word of a text, in order, as often as it occurs.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - body: Takes a word, UTF-8, valid for the call; answers whether to go on.
  public static func forEachToken(
    of text: String,
    _ body: (UnsafeRawBufferPointer) -> Bool
  ) {
    var words = WordCollector()
    text.withUTF8Bytes { bytes in
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte < 0x80 {
          index += 1
          guard byte.isASCIILetter || byte.isASCIIDigit else {
            guard words.end(body) else { return }
            continue
          }
          words.append(byte.isASCIILetter ? byte | 0x20 : byte)
        } else {
          let scalar = bytes.scalar(at: &index)
          guard words.append(scalar) || words.end(body) else { return }
        }
      }
      _ = words.end(body)
    }
  }

  /// The words of a text, sorted by their bytes, each once.
  public static func tokens(of text: String) -> [String] {
    var tokens: [String] = []
    forEachToken(of: text) { word in
      tokens.append(String(decoding: word, as: UTF8.self))
      return true
    }
    tokens.sort { $0.byteOrder($1) < 0 }
    tokens.removeRepeated { $0.hasSameBytes(as: $1) }
    return tokens
  }

  /// Words that are too common to search for.
  public static let stopWords: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they",
    "this", "to", "was", "will", "with",
  ]
}

/// The word that is being read.
private struct WordCollector {
  private static let stopWordBytesMax = 5

  private var word: [UInt8] = []
  private var count = 0
  /// Whether the word has reached its bound, so that no shorter scalar slips in behind.
  private var isFull = false

  mutating func append(_ byte: UInt8) {
    guard !isFull, word.count < Tokenizer.tokenBytesMax else {
      isFull = true
      return
    }
    word.append(byte)
  }

  /// Whether a scalar belongs to a word; if so, it is appended.
  mutating func append(_ scalar: Unicode.Scalar) -> Bool {
    if DiacriticFolding.isDiacritic(scalar) { return !word.isEmpty }
    guard scalar.isOfWord else { return false }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars
    where !DiacriticFolding.isDiacritic(lower) {
      let bytes = UTF8.encode(DiacriticFolding.base(of: lower))
      guard let bytes, !isFull, word.count + bytes.count <= Tokenizer.tokenBytesMax else {
        isFull = true
        continue
      }
      word.append(contentsOf: bytes)
    }
    return true
  }

  /// Ends the word, if there is one.
  ///
  /// - Returns: Whether to go on.
  mutating func end(_ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if word.isEmpty { return true }
    defer {
      word.removeAll(keepingCapacity: true)
      isFull = false
    }
    if isStopWord { return true }
    count += 1
    return word.withUnsafeBytes(body) && count < Tokenizer.tokenCountMax
  }

  private var isStopWord: Bool {
    word.count <= Self.stopWordBytesMax
      && Tokenizer.stopWords.contains(String(decoding: word, as: UTF8.self))
  }
}

extension Unicode.Scalar {
  fileprivate var isOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
      true
    default: false
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The scalar at an index of valid UTF-8, which moves behind it.
  func scalar(at index: inout Int) -> Unicode.Scalar {
    let first = self[index]
    let count = first < 0xe0 ? 2 : (first < 0xf0 ? 3 : 4)
    var value = UInt32(first & (0xff >> UInt8(count + 1)))
    for byte in self[(index + 1)..<Swift.min(index + count, self.count)] {
      value = value << 6 | UInt32(byte & 0x3f)
    }
    index += count
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }
}
