/// The words that the full-text comparisons of a predicate look for, found by reading the texts of a record once for all of
/// them.
struct WantedWords {
  /// What was found so far.
  struct Progress: Sendable {
    fileprivate var isFound: [Bool] = []
    /// The fields that were read.
    fileprivate var fieldCount = 0
    fileprivate var isComplete = false
  }

  /// Bytes of texts that are read before the time is looked at.
  private static let pieceBytes = 65_536

  /// Sorted by their bytes, each once.
  private let words: [String]
  private(set) var progress: Progress

  /// The words of a predicate, some of which may have been found.
  init(of root: Predicate.Node, resuming progress: Progress) {
    var words: [String] = []
    root.addFullTextWords(to: &words)
    words.sort { $0.byteOrder($1) < 0 }
    words.removeRepeated { $0.hasSameBytes(as: $1) }
    self.words = words
    self.progress = progress
    if progress.isFound.isEmpty {
      self.progress.isFound = Array(repeating: false, count: words.count)
    }
  }

  /// Reads the texts of a record, the next ones first.
  ///
  /// - Parameters:
  ///   - fields: All fields of the record, the same each time.
  ///   - isOver: Whether to stop; a piece is read in any case.
  mutating func find(in fields: [RecordFields.Field], until isOver: () -> Bool) {
    var bytesLeft = Self.pieceBytes
    for field in fields[progress.fieldCount...] {
      if bytesLeft <= 0 {
        if isOver() { return }
        bytesLeft = Self.pieceBytes
      }
      progress.fieldCount += 1
      guard case .string(let text) = field.value else { continue }
      bytesLeft -= text.utf8.count
      Tokenizer.forEachToken(of: text) { token in
        if let number = number(of: token) { progress.isFound[number] = true }
        return true
      }
    }
    progress.isComplete = true
  }

  /// Whether the record has the words of a canonical full-text comparison; `nil`: more is to be read first.
  func answer(to comparison: Predicate.Comparison) -> Bool? {
    guard case .string(let text) = comparison.values[0] else { return false }
    let areAllWanted = comparison.operator == .containsAllTokens
    var isEmpty = true
    for word in text.split(separator: " ") {
      isEmpty = false
      let isFound = number(of: String(word)).map { progress.isFound[$0] } ?? false
      if isFound != areAllWanted {
        // A word that was not found may still come.
        return isFound || progress.isComplete ? isFound : nil
      }
    }
    return areAllWanted && !isEmpty ? true : (isEmpty || progress.isComplete ? false : nil)
  }

  private func number(of word: String) -> Int? { word.withUTF8Bytes(number) }

  private func number(of word: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, words.count)
    while low < high {
      let middle = (low + high) / 2
      let order = words[middle].withUTF8Bytes { memoryOrder($0, word) }
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

extension Predicate.Node {
  /// Adds the words that full-text comparisons look for.
  fileprivate func addFullTextWords(to words: inout [String]) {
    switch self {
    case .constant: break
    case .comparison(let comparison):
      guard comparison.isFullText, case .string(let text) = comparison.values[0] else { return }
      words += text.split(separator: " ").map(String.init)
    case .not(let operand): operand.addFullTextWords(to: &words)
    case .and(let operands), .or(let operands):
      for operand in operands { operand.addFullTextWords(to: &words) }
    }
  }
}
