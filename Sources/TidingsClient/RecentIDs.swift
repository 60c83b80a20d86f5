/// Names that were seen, the newest so many of them.
struct RecentIDs {
  private let countMax: Int
  private var ids: Set<String> = []
  /// A ring, once it is full.
  private var order: [String] = []
  private var next = 0

  /// - Parameter countMax: How many are remembered, at least 1.
  init(countMax: Int) { self.countMax = countMax }

  /// Remembers a name.
  ///
  /// - Returns: It was not remembered already.
  mutating func insert(_ id: String) -> Bool {
    guard ids.insert(id).inserted else { return false }
    if order.count < countMax {
      order.append(id)
    } else {
      ids.remove(order[next])
      order[next] = id
      next = (next + 1) % countMax
    }
    return true
  }
}
