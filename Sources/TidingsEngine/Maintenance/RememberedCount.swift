/// How much the loop remembers of databases and zones, and in detail of zones.
///
/// Details are their shares, and what users may do in them. Each is a few hundred bytes. Users and zones come without
/// end: what is too much is forgotten, and looked up again.
final class RememberedCount {
  private let max: Int
  private var entries = 0
  private var details = 0

  /// - Parameter max: Most entries, and most details, about.
  init(max: Int = .max) { self.max = max }

  /// It is time to forget all.
  var isFull: Bool { entries >= max }
  /// It is time to look how many details there are.
  var mayHaveManyDetails: Bool { details >= max }

  /// So many databases, zones and accounts more are remembered.
  func add(entries count: Int) { entries += count }

  /// Details were looked up; what took the place of others counts, too.
  func add(details count: Int) { details += count }

  /// Details were counted.
  ///
  /// - Returns: They are too many, and to be forgotten.
  func counted(details count: Int) -> Bool {
    let areTooMany = count >= max / 2
    details = areTooMany ? 0 : count
    return areTooMany
  }

  /// All is forgotten.
  func reset() { (entries, details) = (0, 0) }
}
