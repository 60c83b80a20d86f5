internal import TidingsModel

/// Where a record stands in the order of a query, as of the query's begin.
struct QueryPosition: Hashable {
  /// Of a sorted query, one for each sort key; of an access by key, its key; otherwise none.
  var keys: [IndexKey]
  /// The zone's number.
  var zone: Int64
  /// The record's name.
  var name: String
}

/// The order of a query that is sorted: total, since the last word have the zone and the name.
struct QueryOrder {
  private let sortKeys: [RecordQuery.SortKey]

  init(_ sortKeys: [RecordQuery.SortKey]) { self.sortKeys = sortKeys }

  /// The keys that a record is sorted by.
  func keys(of record: Record) -> [IndexKey] {
    sortKeys.map { key in
      let value = record.predicateValue(key.field)
      guard let anchor = key.relativeLocation else {
        return value.flatMap { IndexKey($0) } ?? .absent
      }
      guard case .location(let own)? = value else { return .absent }
      return IndexKey(.double(own.distance(to: anchor))) ?? .absent
    }
  }

  /// Whether a position comes before another.
  func precedes(_ a: QueryPosition, _ b: QueryPosition) -> Bool {
    for (index, key) in sortKeys.enumerated() where a.keys[index] != b.keys[index] {
      return Self.precedes(a.keys[index], b.keys[index], isDescending: key.isDescending)
    }
    return (a.zone, a.name) < (b.zone, b.name)
  }

  /// Whether a key comes before another, where absent ones are last in either direction.
  static func precedes(_ a: IndexKey, _ b: IndexKey, isDescending: Bool) -> Bool {
    if a == .absent || b == .absent { return b == .absent && a != b }
    return isDescending ? b < a : a < b
  }
}

/// The first records of an order, as many as a page needs: what comes later is forgotten.
struct TopRecords {
  private let order: QueryOrder
  private let capacity: Int
  private var positions: [QueryPosition] = []
  /// The last of the first `capacity`, once there are so many.
  private(set) var last: QueryPosition?

  init(_ order: QueryOrder, capacity: Int) {
    self.order = order
    self.capacity = capacity
    positions.reserveCapacity(2 * capacity)
  }

  /// Takes another one.
  mutating func offer(_ position: QueryPosition) {
    if let last, !order.precedes(position, last) { return }
    positions.append(position)
    // Sorting once for a page full of newcomers costs less than keeping a heap.
    if positions.count >= 2 * capacity || last == nil && positions.count == capacity { cut() }
  }

  /// The first ones, in order.
  mutating func sorted() -> [QueryPosition] {
    cut()
    return positions
  }

  private mutating func cut() {
    positions.sort(by: order.precedes)
    if positions.count > capacity { positions.removeLast(positions.count - capacity) }
    if positions.count == capacity { last = positions.last }
  }
}
