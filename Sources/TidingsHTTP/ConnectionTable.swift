/// The connections of a server, and which of them is closed for a new one when little room is left.
///
/// A connection waits from its beginning until a request has arrived as a whole, and again behind each answer; each part
/// of a body begins the wait again. Whoever opens many of them, and calls or not, closes the own ones: of the network with
/// the most that wait, the one that has waited longest.
struct ConnectionTable {
  private struct Entry {
    let network: PeerNetwork
    let descriptor: CInt
    /// The number of the moment at which it began to wait; `nil`: a request is being answered.
    var waitingSince: UInt64?
  }

  private let countMax: Int
  private var entries: [UInt64: Entry] = [:]
  private var waiting = WaitingConnections()
  private var lastNumber: UInt64 = 0

  /// - Parameter connectionsMax: Most connections; a sixteenth of them is kept free as long as any waits.
  init(connectionsMax: Int) { countMax = connectionsMax - connectionsMax / 16 }

  /// A connection was accepted, and waits.
  ///
  /// - Returns: Its number, and the descriptor of the connection to close for it.
  mutating func open(from network: PeerNetwork, _ descriptor: CInt) -> (UInt64, displaced: CInt?) {
    let displaced = entries.count >= countMax ? takeLongestWaiting() : nil
    lastNumber += 1
    entries[lastNumber] = Entry(network: network, descriptor: descriptor)
    beginWait(of: lastNumber)
    return (lastNumber, displaced)
  }

  /// A request has arrived as a whole.
  mutating func begin(_ number: UInt64) { endWait(of: number) }

  /// A part of a request's body has arrived, or the request was answered.
  mutating func wait(_ number: UInt64) {
    guard entries[number] != nil else { return }
    endWait(of: number)
    lastNumber += 1
    beginWait(of: number)
  }

  /// The connection has ended.
  mutating func close(_ number: UInt64) {
    endWait(of: number)
    entries[number] = nil
  }

  private mutating func beginWait(of number: UInt64) {
    guard let network = entries[number]?.network else { return }
    entries[number]?.waitingSince = lastNumber
    waiting.begin(.init(connection: number, since: lastNumber), from: network)
  }

  private mutating func endWait(of number: UInt64) {
    guard let entry = entries[number], entry.waitingSince != nil else { return }
    entries[number]?.waitingSince = nil
    waiting.end(from: entry.network) { [entries] in entries[$0.connection]?.waitingSince == $0.since
    }
  }

  private mutating func takeLongestWaiting() -> CInt? {
    let longest = waiting.longest { [entries] in
      entries[$0.connection]?.waitingSince == $0.since
    }
    guard let longest, let entry = entries[longest] else { return nil }
    close(longest)
    return entry.descriptor
  }
}

/// Where connections come from: an address, of IPv6 the network, in which a host has all addresses.
struct PeerNetwork: Hashable {
  private let high: UInt64
  private let low: UInt32

  /// - Parameter bytes: An address of 4 or 16 bytes; others are one network.
  init(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    let isMapped = bytes.count == 16 && bytes[..<12].elementsEqual(Self.mapped)
    let four = isMapped ? bytes[12...] : bytes.count == 4 ? bytes[...] : []
    low = four.reduce(0) { $0 << 8 | UInt32($1) }
    high = four.isEmpty ? bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } : 0
  }

  /// What IPv4 begins with in IPv6.
  private static let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
