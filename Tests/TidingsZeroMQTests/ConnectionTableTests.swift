import Testing
import TidingsRPC

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
    table.join(ConnectionNumber(number), slot) != nil
  }

  @Test("a message is joined to the connection that sent it, though its descriptor is used again")
  func reuse() {
    var table = ConnectionTable(crowded: 1_000)
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
    let found = table.connection(ConnectionNumber(4))
    #expect(found?.floor == 3)
    // A descriptor of the other socket is another connection's.
    let other = joins(&table, 5, slot(7, .pushes))
    #expect(!other)
    // An end that was not reported.
    #expect(table.accepted(slot(7), floor: 6, start) == ConnectionNumber(4))
    let former = table.connection(ConnectionNumber(4))
    #expect(former == nil && table.count == 1)
  }

  @Test("connections are found by their numbers, also those whose numbers share a place")
  func numbers() {
    var table = ConnectionTable(crowded: 1_000)
    let numbers = [2, 2 + 1024, 2 + 2048] as [UInt64]
    for (index, number) in numbers.enumerated() {
      let slot = slot(CInt(index))
      _ = table.accepted(slot, floor: number - 1, start)
      let isJoined = joins(&table, number, slot)
      #expect(isJoined)
    }
    for number in numbers + numbers.reversed() {
      let found = table.connection(ConnectionNumber(number))
      #expect(found?.number == ConnectionNumber(number))
    }
    _ = table.ended(slot(0))
    let found = numbers.map { table.connection(ConnectionNumber($0)) != nil }
    #expect(found == [false, true, true])
  }

  @Test("connections without a use are overdue after a minute, and again while they stay")
  func silence() {
    var table = ConnectionTable(crowded: 1_000)
    for number in 0..<10 as Range<UInt64> {
      _ = table.accepted(slot(CInt(number)), floor: 2 * number + 1, start)
      _ = joins(&table, 2 * number + 2, slot(CInt(number)))
    }
    table.connection(ConnectionNumber(2))?.isInUse = true
    #expect(table.used.map(\.number) == [ConnectionNumber(2)])
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

extension ConnectionTableTests {
  @Test("where there is little room, the one that is unused for the longest time makes it")
  func displacement() {
    var table = ConnectionTable(crowded: 6)
    let now = ContinuousClock.now
    func accept(_ descriptor: CInt) -> CInt? {
      let slot = ConnectionSlot(socket: .calls, descriptor: descriptor)
      _ = table.accepted(slot, floor: UInt64(descriptor), now)
      return table.displaced(by: slot, now)?.slot.descriptor
    }
    for descriptor in 1..<6 as Range<CInt> {
      let displaced = accept(descriptor)
      #expect(displaced == nil)
    }
    let first = ConnectionSlot(socket: .calls, descriptor: 1)
    table.join(ConnectionNumber(100), first)?.isInUse = true
    let second = accept(6)
    let third = accept(7)
    #expect(second == 2 && third == 3)
    _ = table.ended(ConnectionSlot(socket: .calls, descriptor: 4))
    let fourth = accept(8)
    #expect(fourth == 5)
    let due = table.overdue(now.advanced(by: ConnectionTable.silenceMax)).map(\.slot.descriptor)
    #expect(due == [6, 2, 7, 3, 8, 5], "they are asked again")
  }

  @Test("a new connection makes no room for itself")
  func onlyUsed() {
    var table = ConnectionTable(crowded: 2)
    let now = ContinuousClock.now
    for descriptor in 1...3 as ClosedRange<CInt> {
      let slot = ConnectionSlot(socket: .calls, descriptor: descriptor)
      _ = table.accepted(slot, floor: UInt64(descriptor), now)
      let displaced = table.displaced(by: slot, now)
      #expect(displaced == nil)
      table.join(ConnectionNumber(UInt64(descriptor) + 10), slot)?.isInUse = true
    }
  }
}

@Suite("UnusedConnections") struct UnusedConnectionsTests {
  @Test("an owner has so many unused ones; use and time make room")
  func bound() {
    var unused = UnusedConnections(perOwnerMax: 100)
    let (now, ada, bob) = (ContinuousClock.now, CallerKey(user: "ada"), CallerKey(guestKey: 2))
    for number in 0..<100 {
      let isAdmitted = unused.admits(ada, now)
      #expect(isAdmitted)
      unused.add(ConnectionNumber(UInt64(number)), of: ada, now)
    }
    let full = unused.admits(ada, now)
    let other = unused.admits(bob, now)
    #expect(!full && other)
    unused.used(ConnectionNumber(3))
    let room = unused.admits(ada, now)
    #expect(room)
    unused.add(ConnectionNumber(9_999), of: ada, now)
    let fullAgain = unused.admits(ada, now)
    let later = unused.admits(ada, now.advanced(by: ConnectionTable.silenceMax))
    #expect(!fullAgain && later)
  }
}
