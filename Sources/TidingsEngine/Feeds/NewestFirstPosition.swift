/// How far a client has read back in the changes of a zone, newest first.
struct NewestFirstPosition: Hashable {
  /// Where the client ends: what it had before it began to read back.
  let base: FeedPosition
  /// The client has everything from this number and place on.
  var sequence: Int64
  var location: Int64

  /// A position behind the newest change.
  init(downTo base: FeedPosition, head: Int64) {
    (self.base, sequence, location) = (base, head + 1, 0)
  }

  /// Moves to what was just read.
  mutating func move(to sequence: Int64, _ location: Int64) {
    (self.sequence, self.location) = (sequence, location)
  }

  /// Nothing is left.
  mutating func end() { (sequence, location) = (0, 0) }

  /// The client had a change before it began.
  func isKnown(_ sequence: Int64, _ location: Int64) -> Bool {
    (sequence, location) <= (base.sequence, base.location ?? .max)
  }

  /// The numbers for a token.
  var numbers: [Int64] { base.numbers + [sequence, location] }

  /// A position from a token's numbers; `nil` when they are none.
  init?(_ numbers: ArraySlice<Int64>) {
    guard numbers.count == 5, numbers.allSatisfy({ $0 >= 0 }),
      let base = FeedPosition(numbers.prefix(3))
    else { return nil }
    let rest = Array(numbers.suffix(2))
    (self.base, sequence, location) = (base, rest[0], rest[1])
  }
}
