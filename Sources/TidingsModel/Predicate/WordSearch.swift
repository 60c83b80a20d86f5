/// Looks for words in texts, one or all of them.
struct WordSearch {
  /// Canonical words, each followed by a space.
  private let words: [UInt8]
  private let areAllWanted: Bool
  private let wanted: UInt64
  private var found: UInt64 = 0

  /// A search for words.
  ///
  /// - Parameters:
  ///   - words: Words of `Tokenizer`, each once, with a space between; at most
  ///     `PredicateLimits.tokenCountMax`.
  ///   - all: Whether all must be found.
  init(_ words: String, all: Bool) {
    self.words = words.isEmpty ? [] : Array(words.utf8) + [UInt8(ascii: " ")]
    areAllWanted = all
    let count = self.words.reduce(0) { $1 == UInt8(ascii: " ") ? $0 + 1 : $0 }
    wanted = count >= 64 ? .max : (1 << UInt64(count)) - 1
  }

  /// Reads one text more.
  ///
  /// - Returns: Whether what is wanted has been found by now.
  mutating func find(in text: String) -> Bool {
    if wanted == 0 { return false }
    var found = self.found
    let (wanted, areAllWanted) = (wanted, areAllWanted)
    words.withUnsafeBytes { words in
      Tokenizer.forEachToken(of: text) { token in
        found |= Self.mask(of: token, in: words)
        return areAllWanted ? found != wanted : found == 0
      }
    }
    self.found = found
    return areAllWanted ? found == wanted : found != 0
  }

  /// As `find(in:)`, in a text whose words are known: sorted by their bytes, each once.
  mutating func find(among sorted: [String]) -> Bool {
    if wanted == 0 { return false }
    var (start, bit) = (0, UInt64(1))
    while start < words.count {
      let end = words[start...].firstIndex(of: UInt8(ascii: " ")) ?? words.count
      let word = String(decoding: words[start..<end], as: UTF8.self)
      if Self.has(word, among: sorted) { found |= bit }
      start = end + 1
      bit <<= 1
    }
    return areAllWanted ? found == wanted : found != 0
  }

  private static func has(_ word: String, among sorted: [String]) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].byteOrder(word) < 0 { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low].hasSameBytes(as: word)
  }

  /// The bit of the word that a token is; 0 when it is none.
  private static func mask(
    of token: UnsafeRawBufferPointer,
    in words: UnsafeRawBufferPointer
  ) -> UInt64 {
    var (start, bit) = (0, UInt64(1))
    while start < words.count {
      let end = words[start...].firstIndex(of: UInt8(ascii: " ")) ?? words.count
      if end - start == token.count, words[start..<end].elementsEqual(token) { return bit }
      start = end + 1
      bit <<= 1
    }
    return 0
  }
}
