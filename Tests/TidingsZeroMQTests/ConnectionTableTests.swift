import Testing

@testable import TidingsZeroMQ

@Suite("ConnectionTable") struct ConnectionTableTests {
  private let start = ContinuousClock.now

  private func slot(_ descriptor: CInt, _ socket: ListeningSocket = .calls) -> ConnectionSlot {
    ConnectionSlot(socket: socket, descriptor: descriptor)
  }

  private func joins(
    _ table: inout ConnectionTable,
    _ number: UInt64,
    _ slot: ConnectionSlot
  ) -> Bool {
    table.join(ConnectionNumber(number), slot)
  }

  @Test("a message is joined to the connection that sent it, though its descriptor is used again")
  func reuse() {
    var table = ConnectionTable()
    #expect(table.accepted(slot(7), floor: 1, start) == nil)
    let first = joins(&table, 2, slot(7))
    #expect(first)
    #expect(table.ended(slot(7)) == ConnectionNumber(2))
    // Its last message is read after its end, and after another has the descriptor.
    let afterEnd = joins(&table, 2, slot(7))
    #expect(!afterEnd)
    #expect(table.accepted(slot(7), floor: 3, start) == nil)
    let afterReuse = joins(&table, 2, slot(7))
    let second = joins(&table, 4, slot(7))
    #expect(!afterReuse && second)
    #expect(table.connection(ConnectionNumber(4))?.floor == 3)
    // A descriptor of the other socket is another connection's.
    let other = joins(&table, 5, slot(7, .pushes))
    #expect(!other)
    // An end that was not reported.
    #expect(table.accepted(slot(7), floor: 6, start) == ConnectionNumber(4))
    #expect(table.connection(ConnectionNumber(4)) == nil && table.count == 1)
  }

  @Test("connections without a use are overdue after a minute, and again while they stay")
  func silence() {
    var table = ConnectionTable()
    for number in 0..<10 as Range<UInt64> {
      _ = table.accepted(slot(CInt(number)), floor: 2 * number + 1, start)
      _ = joins(&table, 2 * number + 2, slot(CInt(number)))
    }
    let used = table.used(ConnectionNumber(2))
    let again = table.used(ConnectionNumber(2))
    #expect(used && !again)
    let isInUse = [2, 4].map { table.isInUse(ConnectionNumber($0)) }
    #expect(isInUse == [true, false])
    _ = table.ended(slot(9))
    let early = table.overdue(start.advanced(by: .seconds(59)))
    #expect(early.isEmpty)
    let minute = start.advanced(by: ConnectionTable.silenceMax)
    let due = table.overdue(minute)
    #expect(due.map(\.slot.descriptor) == Array(1..<9))
    let once = table.overdue(minute)
    #expect(once.isEmpty)
    let later = table.overdue(minute.advanced(by: ConnectionTable.silenceMax))
    #expect(later.count == 8)
  }
}

@Suite("UnusedConnections") struct UnusedConnectionsTests {
  @Test("a key has so many unused ones; use and time make room")
  func bound() {
    var unused = UnusedConnections()
    let now = ContinuousClock.now
    for number in 0..<SocketLimits.unusedPerKeyMax {
      let isAdmitted = unused.admits(1, now)
      #expect(isAdmitted)
      unused.add(ConnectionNumber(UInt64(number)), of: 1, now)
    }
    let full = unused.admits(1, now)
    let other = unused.admits(2, now)
    #expect(!full && other)
    unused.used(ConnectionNumber(3))
    let room = unused.admits(1, now)
    #expect(room)
    unused.add(ConnectionNumber(9_999), of: 1, now)
    let fullAgain = unused.admits(1, now)
    let later = unused.admits(1, now.advanced(by: ConnectionTable.silenceMax))
    #expect(!fullAgain && later)
  }
}
