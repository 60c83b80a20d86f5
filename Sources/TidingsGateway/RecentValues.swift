/// Values by their keys, of which those that were used last are remembered.
///
/// There are two generations: what is used is in the younger one. When that has half of all that may be remembered,
/// it becomes the older one, and what was in that is forgotten.
struct RecentValues<Key: Hashable, Value> {
  private let countMax: Int
  private var younger: [Key: Value] = [:]
  private var older: [Key: Value] = [:]

  /// None, of at most so many, 2 or more.
  init(countMax: Int) {
    precondition(countMax >= 2, "each generation has a value")
    self.countMax = countMax
  }

  var count: Int { younger.count + older.count }

  /// The value of a key, if it is remembered.
  mutating func value(of key: Key) -> Value? {
    if let value = younger[key] { return value }
    guard let value = older[key] else { return nil }
    remember(value, of: key)
    return value
  }

  /// Remembers a value, in place of the one that its key has.
  mutating func remember(_ value: Value, of key: Key) {
    if younger[key] == nil, younger.count >= countMax / 2 { (older, younger) = (younger, [:]) }
    older[key] = nil
    younger[key] = value
  }
}

extension RecentValues: Sendable where Key: Sendable, Value: Sendable {}
