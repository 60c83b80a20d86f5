/// The connections that are open, by where they are and by their numbers.
///
/// A value without clock or socket. Messages name the descriptor of their connection and its number;
/// what happens to connections is reported by descriptor. The first message of a number joins the two.
struct ConnectionTable {
  /// An open connection.
  struct Open {
    let slot: ConnectionSlot
    /// The connection's number is higher.
    let floor: UInt64
    /// `nil`: it has sent nothing.
    var number: ConnectionNumber?
    /// It made a call that was begun, or subscribed to something.
    var isInUse = false
    /// Topics that it asked for.
    var topics = 0
    /// Whose key it has, if it subscribed to something.
    var subscriber: Int64?
    /// When it was accepted.
    let since: ContinuousClock.Instant
    /// Who made its first call.
    var caller: ConnectionCaller?
  }

  private struct Silent {
    let slot: ConnectionSlot
    let floor: UInt64
    let due: ContinuousClock.Instant
  }

  /// How long a connection may be open without a use.
  static let silenceMax = Duration.seconds(60)
  private static let recentCount = 1024

  private var open: [ConnectionSlot: Open] = [:]
  private var slots: [ConnectionNumber: ConnectionSlot] = [:]
  private var subscribers: [Int64: Int] = [:]
  /// In the order in which they are due.
  private var silent: [Silent] = []
  private var silentHead = 0
  /// Connections in use that were asked for lately, each at the place of its number.
  private var recent = [UInt64](repeating: 0, count: Self.recentCount)

  /// How many are open.
  var count: Int { open.count }

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
    open[slot] = Open(slot: slot, floor: floor, since: now)
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
    slots[number] = nil
    if let key = connection.subscriber {
      let count = subscribers[key, default: 1] - 1
      subscribers[key] = count == 0 ? nil : count
    }
    if recent[Self.location(number)] == number.value { recent[Self.location(number)] = 0 }
    return number
  }

  /// Whether a connection is open and in use.
  mutating func isInUse(_ number: ConnectionNumber) -> Bool {
    if recent[Self.location(number)] == number.value { return true }
    guard let slot = slots[number], open[slot]?.isInUse == true else { return false }
    recent[Self.location(number)] = number.value
    return true
  }

  /// Finds the connection of a message.
  ///
  /// - Parameters:
  ///   - number: What the message names.
  ///   - slot: The same.
  /// - Returns: `false` when the connection has ended.
  mutating func join(_ number: ConnectionNumber, _ slot: ConnectionSlot) -> Bool {
    if slots[number] != nil { return true }
    // A connection has one number.
    guard let connection = open[slot], connection.number == nil, number.value > connection.floor
    else { return false }
    open[slot]?.number = number
    slots[number] = slot
    return true
  }

  /// A call of the connection was begun, or it subscribed to something.
  ///
  /// - Returns: Whether it was for the first time.
  mutating func used(_ number: ConnectionNumber) -> Bool {
    guard recent[Self.location(number)] != number.value, let slot = slots[number] else {
      return false
    }
    recent[Self.location(number)] = number.value
    if open[slot]?.isInUse == true { return false }
    open[slot]?.isInUse = true
    return true
  }

  /// Who made the first call of a connection.
  mutating func identify(_ number: ConnectionNumber, _ caller: ConnectionCaller) {
    guard let slot = slots[number] else { return }
    open[slot]?.caller = caller
  }

  /// Those that were used, in no order.
  var used: [Open] { open.values.filter { $0.isInUse && $0.number != nil } }

  /// A connection subscribed to something for the first time.
  ///
  /// - Returns: How many connections with its key have.
  mutating func subscribes(_ number: ConnectionNumber, key: Int64) -> Int {
    guard let slot = slots[number] else { return 0 }
    open[slot]?.subscriber = key
    subscribers[key, default: 0] += 1
    return subscribers[key, default: 0]
  }

  /// A connection that is open; `nil`: it has ended, or sent nothing.
  func connection(_ number: ConnectionNumber) -> Open? { slots[number].flatMap { open[$0] } }

  /// The connection asked for one more topic.
  ///
  /// - Returns: How many topics it has asked for.
  mutating func addTopic(_ number: ConnectionNumber) -> Int {
    guard let slot = slots[number] else { return 0 }
    open[slot]?.topics += 1
    return open[slot]?.topics ?? 0
  }

  /// Takes the connections that were open too long without a use.
  mutating func overdue(_ now: ContinuousClock.Instant) -> [Open] {
    var overdue: [Open] = []
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
