import BenchCore

/// Calls of one kind, about one record after the other.
struct CallSequence {
  /// Calls are counted from 0 on a connection; the record has a number of its own.
  typealias Sent = (call: UInt64, record: Int)

  let check: ReplyCheck
  private var template: CallTemplate
  private var numbers: NumberSequence
  private var count: UInt64 = 0

  /// The numbers say which records the calls are about.
  init(_ template: CallTemplate, _ numbers: NumberSequence = .fresh, check: ReplyCheck) {
    self.template = template
    self.numbers = numbers
    self.check = check
  }

  /// The same calls, about records from a number on.
  func starting(at first: Int) -> Self {
    var sequence = self
    sequence.numbers = numbers.starting(at: first)
    return sequence
  }

  /// Sends the next call.
  mutating func send(on socket: RawSocket) throws -> Sent {
    let (name, serial) = numbers.take()
    template.set(call: count, name: name, serial: serial)
    try socket.send(template.header, more: true)
    try socket.send(template.body)
    defer { count += 1 }
    return (count, name)
  }
}
