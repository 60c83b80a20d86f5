/// Returns the word that was probably meant, if one is similar enough.
public func nearest(to word: String, among words: [String]) -> String? {
  nearWords(to: word, among: words).first
}

/// Returns the end of a message about an unknown word: `; did you mean a, b or c?`, or nothing.
///
/// - Parameters:
///   - word: The unknown word.
///   - words: The known words.
///   - prefix: A prefix for each suggestion, for example `--`.
/// - Returns: The similar words, in their order.
public func didYouMean(_ word: String, among words: [String], prefix: String = "") -> String {
  let near = nearWords(to: word, among: words).map { prefix + $0 }
  guard let last = near.last else { return "" }
  let others = near.dropLast()
  return "; did you mean "
    + (others.isEmpty ? last : others.joined(separator: ", ") + " or " + last) + "?"
}

/// Most words that are suggested.
private let nearWordsMax = 5

/// Returns the words that were probably meant: those at the smallest distance, if that is small; else
/// those with the word as prefix, or the longest prefix of it: `admin-key` of `admin-key-file`.
private func nearWords(to word: String, among words: [String]) -> [String] {
  var seen: Set<String> = []
  let ranked = words.filter { seen.insert($0).inserted }
    .map { (word: $0, distance: editDistance(word, $0)) }
  guard let best = ranked.map(\.distance).min() else { return [] }
  let near =
    best <= max(1, word.count / 3)
    ? ranked.filter { $0.distance == best }.map(\.word)
    : word.count < 3 ? [] : ranked.map(\.word).filter { $0.hasPrefix(word) }
  if near.isEmpty {
    let begins = ranked.map(\.word).filter { word.hasPrefix($0 + "-") }
    return begins.max { $0.count < $1.count }.map { [$0] } ?? []
  }
  return Array(near.prefix(nearWordsMax))
}

/// Returns how many characters must be replaced, inserted, removed or swapped with their neighbours.
private func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var before: [Int] = []
  var row = Array(0...b.count)
  for i in a.indices {
    let last = row
    row[0] = i + 1
    for j in b.indices {
      row[j + 1] = min(last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        row[j + 1] = min(row[j + 1], before[j - 1] + 1)
      }
    }
    before = last
  }
  return row[b.count]
}
