/// Finds the name that was probably meant.
package enum NearName {
  /// Names longer than this are not compared.
  private static let lengthMax = 64
  /// Most names that are compared letter by letter.
  private static let candidatesMax = 512

  /// The name nearest to one that does not exist, if it is near: at most a third of its letters may
  /// differ, besides upper and lower case.
  ///
  /// - Parameters:
  ///   - name: What was written.
  ///   - names: What there is; of equally near ones the first in the order of bytes is taken.
  /// - Returns: The nearest; `nil`: none is near.
  package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().utf8)
    guard wanted.count <= lengthMax else { return nil }
    let distanceMax = wanted.count < 3 ? 0 : wanted.count / 3
    var best: (distance: Int, name: String)?
    let near = names.lazy.filter { abs($0.utf8.count - wanted.count) <= distanceMax }
    for candidate in near.prefix(candidatesMax) {
      let distance = distance(wanted, Array(candidate.lowercased().utf8))
      guard distance <= distanceMax else { continue }
      if let best, (best.distance, best.name) <= (distance, candidate) { continue }
      best = (distance, candidate)
    }
    return best?.name
  }

  /// How many letters must be replaced, added, left out or swapped with their neighbours.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
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
}
