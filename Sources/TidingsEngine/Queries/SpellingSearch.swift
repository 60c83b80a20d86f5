internal import TidingsModel

/// Finds the spellings of texts that the entries of an index have, by leaps: a few steps for each.
///
/// The steps of one search, for all comparisons of a query, are bounded.
final class SpellingSearch {
  private static let stepsMax = 4_096
  /// Spellings of one text.
  private static let spellingsMax = 256

  private let rows: QueryRows
  private let zones: [QueryZone]
  private var steps = 0
  /// The zones that have texts of an index: many values of a comparison are looked for in the same ones.
  private var filled: [IndexedRange: [QueryZone]] = [:]

  init(_ rows: QueryRows, in zones: [QueryZone]) {
    self.rows = rows
    self.zones = zones
  }

  /// Finds the keys that are spellings.
  ///
  /// - Parameters:
  ///   - index: The number of the index.
  ///   - head: What all keys begin with.
  ///   - spellings: What is looked for behind it.
  /// - Returns: The keys; `nil`: there are too many, or too much lies between them.
  /// - Throws: `SQLError`.
  func keys(_ index: Int64, _ head: IndexKey, _ spellings: CaseSpellings) throws -> [IndexKey]? {
    var found: Set<IndexKey> = []
    let all = KeyRange(lower: head, upper: head.afterPrefix)
    for zone in try zones(having: IndexedRange(index: index, range: all)) {
      var next = spellings.first(notBefore: [])
      while let text = next {
        guard steps < Self.stepsMax, found.count < Self.spellingsMax else { return nil }
        steps += 1
        let rest = KeyRange(lower: IndexKey(bytes: head.bytes + text), upper: head.afterPrefix)
        guard let key = try rows.firstKey(index, rest, in: zone) else { break }
        let content = Array(key.bytes.dropFirst(head.bytes.count))
        if let spelling = spellings.spelling(of: content) {
          found.insert(IndexKey(bytes: head.bytes + spelling))
          next = spellings.first(behind: spelling)
        } else {
          next = spellings.first(notBefore: content)
        }
      }
    }
    return Array(found)
  }

  private func zones(having entries: IndexedRange) throws -> [QueryZone] {
    if let known = filled[entries] { return known }
    let found = try rows.zones(zones[...], having: [entries])
    filled[entries] = found
    return found
  }
}
