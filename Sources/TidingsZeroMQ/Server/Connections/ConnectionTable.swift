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

  private var open: [ConnectionSlot: Connection] = [:]
  private var numbered: [ConnectionNumber: Connection] = [:]
  private var subscribers: [Int64: Int] = [:]
  /// In the order in which they are due.
  private var silent: [Silent] = []
  private var silentHead = 0
  /// Connections that were looked for lately, each at the place of its number.
  private var recent = [Connection?](repeating: nil, count: Self.recentCount)

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
    if let key = connection.subscriber {
      let count = subscribers[key, default: 1] - 1
      subscribers[key] = count == 0 ? nil : count
    }
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

  /// A connection subscribed to something for the first time.
  ///
  /// - Returns: How many connections with its key have.
  mutating func subscribes(_ connection: Connection, key: Int64) -> Int {
    connection.subscriber = key
    subscribers[key, default: 0] += 1
    return subscribers[key, default: 0]
  }

  /// Takes the connections that were open too long without a use.
  mutating func overdue(_ now: ContinuousClock.Instant) -> [Connection] {
    var overdue: [Connection] = []
    while silentHead < silent.count, silent[silentHead].due <= now {
      let entry = silent[silentHead]
      silentHead += 1
      guard let connection = open[entry.slot], connection.floor == entry.floor,
        !connection.isInUse
      else { continue }
      overdue.append(connection)
      // Should it not end, its turn comes again.
      silent.append(
        .init(slot: entry.slot, floor: entry.floor, due: now.advanced(by: Self.silenceMax))
      )
    }
    if silentHead * 2 > silent.count {
      silent.removeFirst(silentHead)
      silentHead = 0
    }
    return overdue
  }

  private static func location(_ number: ConnectionNumber) -> Int {
    Int(truncatingIfNeeded: number.value) & (recentCount - 1)
  }
}
