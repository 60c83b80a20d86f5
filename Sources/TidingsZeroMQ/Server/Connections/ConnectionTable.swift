/// The connections that are open, by where they are and by their numbers.
///
/// A value without clock or socket. Messages name the descriptor of their connection and its number;
/// what happens to connections is reported by descriptor. The first message of a number joins the two.
struct ConnectionTable {
  private struct Silent {
    let slot: ConnectionSlot
    let floor: UInt64
    let due: ContinuousClock.Instant
  }

  /// How long a connection may be open without a use.
  static let silenceMax = Duration.seconds(60)
  private static let recentCount = 1024

  /// From this descriptor on there is little room.
  private let crowded: Int
  private var open: [ConnectionSlot: Connection] = [:]
  private var numbered: [ConnectionNumber: Connection] = [:]
  /// In the order in which they are due.
  private var silent: [Silent] = []
  private var silentHead = 0
  /// Connections that were looked for lately, each at the place of its number.
  private var recent = [Connection?](repeating: nil, count: Self.recentCount)

  /// - Parameter crowded: From this descriptor on a connection without a use makes room for each new one.
  init(crowded: Int) { self.crowded = crowded }

  /// How many are open.
  var count: Int { open.count }
  /// How many of them belong to a socket.
  func count(of socket: ListeningSocket) -> Int { open.keys.count { $0.socket == socket } }

  /// When `overdue` may have something.
  var nextDue: ContinuousClock.Instant? {
    silentHead < silent.count ? silent[silentHead].due : nil
  }

  /// A connection was accepted.
  ///
  /// - Returns: The number of the one whose place it takes, if its end was not reported.
  mutating func accepted(
    _ slot: ConnectionSlot,
    floor: UInt64,
    _ now: ContinuousClock.Instant
  ) -> ConnectionNumber? {
    let former = ended(slot)
    open[slot] = Connection(slot, floor: floor, since: now)
    silent.append(.init(slot: slot, floor: floor, due: now.advanced(by: Self.silenceMax)))
    return former
  }

  /// The connection in a slot has ended.
  ///
  /// - Returns: Its number, if it sent something.
  mutating func ended(_ slot: ConnectionSlot) -> ConnectionNumber? {
    guard let connection = open.removeValue(forKey: slot), let number = connection.number else {
      return nil
    }
    numbered[number] = nil
    if recent[Self.location(number)] === connection { recent[Self.location(number)] = nil }
    return number
  }

  /// A connection that is open; `nil`: it has ended, or sent nothing.
  mutating func connection(_ number: ConnectionNumber) -> Connection? {
    let location = Self.location(number)
    if let known = recent[location], known.number == number { return known }
    guard let found = numbered[number] else { return nil }
    recent[location] = found
    return found
  }

  /// Finds the connection of a message.
  ///
  /// - Parameters:
  ///   - number: What the message names.
  ///   - slot: The same.
  /// - Returns: `nil` when the connection has ended.
  mutating func join(_ number: ConnectionNumber, _ slot: ConnectionSlot) -> Connection? {
    if let known = connection(number) { return known }
    // A connection has one number.
    guard let connection = open[slot], connection.number == nil, number.value > connection.floor
    else { return nil }
    connection.number = number
    numbered[number] = connection
    return connection
  }

  /// Those that were used, in no order.
  var used: [Connection] { numbered.values.filter(\.isInUse) }

  /// Takes the connection that makes room for one that was just accepted, if there is little: the one that is open for the
  /// longest time without a use.
  mutating func displaced(by slot: ConnectionSlot, _ now: ContinuousClock.Instant) -> Connection? {
    guard Int(slot.descriptor) >= crowded else { return nil }
    defer { compactSilent() }
    while silentHead < silent.count {
      guard let connection = unused(silent[silentHead]) else {
        silentHead += 1
        continue
      }
      if connection.slot == slot { return nil }
      lookAgain(now)
      return connection
    }
    return nil
  }

  /// Takes the connections that were open too long without a use.
  mutating func overdue(_ now: ContinuousClock.Instant) -> [Connection] {
    var overdue: [Connection] = []
    while silentHead < silent.count, silent[silentHead].due <= now {
      guard let connection = unused(silent[silentHead]) else {
        silentHead += 1
        continue
      }
      overdue.append(connection)
      lookAgain(now)
    }
    compactSilent()
    return overdue
  }

  /// The connection of an entry, if it is open and was not used.
  private func unused(_ entry: Silent) -> Connection? {
    guard let connection = open[entry.slot], connection.floor == entry.floor, !connection.isInUse
    else { return nil }
    return connection
  }

  /// The first connection is being ended; should it not end, its turn comes again.
  private mutating func lookAgain(_ now: ContinuousClock.Instant) {
    let entry = silent[silentHead]
    silentHead += 1
    silent.append(
      .init(slot: entry.slot, floor: entry.floor, due: now.advanced(by: Self.silenceMax))
    )
  }

  private mutating func compactSilent() {
    guard silentHead * 2 > silent.count else { return }
    silent.removeFirst(silentHead)
    silentHead = 0
  }

  private static func location(_ number: ConnectionNumber) -> Int {
    Int(truncatingIfNeeded: number.value) & (recentCount - 1)
  }
}
