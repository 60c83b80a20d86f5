/// The word that was probably meant: the nearest one, if it is near.
public func nearest(to word: String, among words: [String]) -> String? {
  nearWords(to: word, among: words).first
}

/// What a message about an unknown word ends with: `; did you mean a, b or c?`, or nothing.
///
/// - Parameters:
///   - word: What was written.
///   - words: What could have been written.
///   - prefix: Stands before each word that is proposed, for example `--`.
/// - Returns: The words that are near, in their order.
public func didYouMean(_ word: String, among words: [String], prefix: String = "") -> String {
  let near = nearWords(to: word, among: words).map { prefix + $0 }
  guard let last = near.last else { return "" }
  let others = near.dropLast()
  return "; did you mean "
    + (others.isEmpty ? last : others.joined(separator: ", ") + " or " + last) + "?"
}

/// Most words that are proposed.
private let nearWordsMax = 5

/// The words that were probably meant: those at the smallest distance, if that is small; else those
/// that begin with the word, or the longest that the word goes on from: `admin-key` of `admin-key-file`.
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

/// How many characters must be replaced, added, left out or swapped with their neighbours.
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
