/// How far a client has read in the records of one share: a `FeedPosition` whose places within a number
/// are names of records, as one that left the share has no place in a batch.
struct SharedPosition: Hashable {
  /// The last number of which the client has something.
  var sequence: Int64 = 0
  /// The last name among that number's that the client has; `nil`: it has all of them.
  var name: String?
  /// The zone's head when the client began with this share; 0 once it has come as far.
  ///
  /// What left or was deleted before is not reported: the client never saw it.
  var born: Int64 = 0

  /// The last number of which the client has everything.
  var covered: Int64 { name == nil ? sequence : sequence - 1 }

  /// A position at the beginning of a share.
  static func beginning(head: Int64) -> Self { Self(born: head) }

  /// Moves behind what was just read.
  mutating func move(to sequence: Int64, _ name: String?) {
    (self.sequence, self.name) = (sequence, name)
    if covered >= born { born = 0 }
  }

  /// The next thing to read has this number: what came before it is complete.
  mutating func completeBatch(before sequence: Int64) {
    if sequence > self.sequence { move(to: self.sequence, nil) }
  }

  /// What left or was deleted up to a number is forgotten: whether the client needs some of it.
  func isExpired(floor: Int64) -> Bool { max(covered, born) < floor }

  /// A later page returns what has this number, deleted or not.
  func isAhead(_ sequence: Int64) -> Bool { sequence > max(covered, born) }

  /// The numbers for a token: the name as its length and its bytes.
  var numbers: [Int64] {
    let bytes = (name ?? "").utf8.map { Int64($0) }
    return [sequence, born, Int64(bytes.count)] + bytes
  }

  /// A position from the front of a token's numbers, which are removed; `nil` when they are none.
  init?(from numbers: inout ArraySlice<Int64>) {
    guard numbers.count >= 3 else { return nil }
    let head = Array(numbers.prefix(3))
    numbers = numbers.dropFirst(3)
    guard head.allSatisfy({ $0 >= 0 }), head[2] <= numbers.count else { return nil }
    let bytes = numbers.prefix(Int(head[2])).compactMap { UInt8(exactly: $0) }
    numbers = numbers.dropFirst(Int(head[2]))
    guard bytes.count == head[2], let name = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    self.init(sequence: head[0], name: name.isEmpty ? nil : name, born: head[1])
  }

  /// A position from its parts.
  init(sequence: Int64 = 0, name: String? = nil, born: Int64 = 0) {
    (self.sequence, self.name, self.born) = (sequence, name, born)
  }
}
