/// Which record each call of a measurement is about.
public struct NumberSequence: Sendable {
  private var next = 0
  private let count: Int?

  /// A new record for each call.
  public static var fresh: Self { Self(count: nil) }

  /// Records out of so many that exist, in an order that is not theirs.
  public static func existing(_ count: Int) -> Self { Self(count: count) }

  private init(count: Int?) { self.count = count }

  /// The same, from a number on: sequences that share a store use different ones.
  public func starting(at first: Int) -> Self {
    var sequence = self
    sequence.next = first
    return sequence
  }

  /// The record's number, and one that no other call has.
  public mutating func take() -> (name: Int, serial: Int) {
    defer { next += 1 }
    guard let count else { return (next, next) }
    // A large prime visits all of them before it repeats one.
    return (next &* 1_000_003 % count, next)
  }
}
