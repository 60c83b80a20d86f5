internal import TidingsModel

/// How far a client has read in the numbers of a zone or of a database.
struct FeedPosition: Hashable {
  /// The last number of which the client has something.
  var sequence: Int64 = 0
  /// The last place in that number's batch that the client has; `nil`: it has the whole batch.
  var location: Int64?
  /// The feed's head when the client began without a token; 0 once it has come as far.
  ///
  /// What was deleted before is not reported: the client never saw it.
  var born: Int64 = 0

  /// The last number of which the client has everything.
  var covered: Int64 { location == nil ? sequence : sequence - 1 }

  /// A position at the beginning of a feed.
  static func beginning(head: Int64) -> Self { Self(born: head) }

  /// A position at the end of a feed.
  static func end(head: Int64) -> Self { Self(sequence: head) }

  /// Moves behind what was just read.
  mutating func move(to sequence: Int64, _ location: Int64?) {
    (self.sequence, self.location) = (sequence, location)
    if covered >= born { born = 0 }
  }

  /// The next thing to read has this number: what came before it is complete.
  mutating func completeBatch(before sequence: Int64) {
    if sequence > self.sequence { move(to: self.sequence, nil) }
  }

  /// Deletions up to a number are forgotten: whether the client needs one of them.
  func isExpired(floor: Int64) -> Bool { max(covered, born) < floor }

  /// The numbers for a token.
  var numbers: [Int64] { [sequence, location.map { $0 + 1 } ?? 0, born] }

}

extension FeedPosition {
  /// A position from a token's numbers; `nil` when they are none.
  init?(_ numbers: ArraySlice<Int64>) {
    guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    let numbers = Array(numbers)
    self.init(
      sequence: numbers[0],
      location: numbers[1] == 0 ? nil : numbers[1] - 1,
      born: numbers[2]
    )
  }
}

extension ItemError {
  /// Why a token of a feed cannot be used any more.
  static func tokenExpired(_ why: String) -> ItemError {
    ItemError(
      .changeTokenExpired,
      "\(why): drop what you cached of it and fetch without a token"
    )
  }

  /// Deletions that the client needs are forgotten.
  static func tokenTooOld(_ what: String, _ retention: Duration) -> ItemError {
    .tokenExpired(
      "the change token of \(what) is too old: deletions are forgotten after \(retention.shown)"
    )
  }

  /// The numbers went back: somebody put an old copy of the database in place.
  static func tokenFromTheFuture(_ what: String) -> ItemError {
    .tokenExpired("the change token is ahead of \(what), whose data was restored from a backup")
  }
}
