internal import Foundation
internal import RandomSupport
internal import Synchronization

/// Stands between clients and a port of a server, and cuts connections in the middle of whatever they carry, lets what
/// they carry vanish while they stay open, or is slow.
///
/// Where it cuts, and how long it delays what passes, follows from its seed and from the bytes that pass, never from
/// the clock.
public final class CallProxy: Sendable {
  /// Ways that bytes take.
  public struct Directions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let toServer = Self(rawValue: 1)
    public static let toClients = Self(rawValue: 2)
    public static let both: Self = [.toServer, .toClients]
  }

  fileprivate struct State {
    var random: SplitMix64
    var bytesMax: Int?
    var delayMax = Duration.zero
    var answerBytesPerSecond: Int?
    var cutCount = 0
    var servedCount = 0
    var swallowed: Directions = []
    var swallowedBytes = 0
    var open: [ObjectIdentifier: (connection: ProxiedConnection, number: Int)] = [:]

    /// How much the next connection carries, either way: of two, one gets far, since who repeats a call a few times must not
    /// have bad luck each time.
    mutating func budgets() -> [Int] {
      servedCount += 1
      let least = servedCount.isMultiple(of: 2) ? (bytesMax ?? 0) / 2 : 0
      return (0..<2).map { _ in bytesMax.map { 1 + least + random.below($0 - least) } ?? .max }
    }
  }

  /// Where clients connect.
  public var endpoint: String { "tcp://127.0.0.1:\(listener.port)" }
  private let listener: ProxyListener
  private let state: Mutex<State>

  /// How many connections were cut.
  public var cutCount: Int { state.withLock(\.cutCount) }

  /// How many connections clients have made.
  public var connectionCount: Int { state.withLock(\.servedCount) }

  /// The numbers of those that are open, in the order in which they were made; the first one is 1.
  public var openConnections: Set<Int> {
    state.withLock { state in Set(state.open.values.map { $0.number }) }
  }

  /// How many bytes have vanished.
  public var swallowedBytes: Int { state.withLock(\.swallowedBytes) }

  /// Passes on to a port of this machine; a connection carries at most so many bytes either way.
  public convenience init(to endpoint: String, cutWithin bytesMax: Int, seed: UInt64) throws {
    try self.init(endpoint, cutWithin: bytesMax, seed)
  }

  /// Passes everything on to a port of this machine.
  public convenience init(to endpoint: String) throws {
    try self.init(endpoint, cutWithin: nil, 0)
  }

  private init(_ endpoint: String, cutWithin bytesMax: Int?, _ seed: UInt64) throws {
    guard let target = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw WaitingFailure(description: "no port in \(endpoint)")
    }
    listener = try ProxyListener()
    state = Mutex(State(random: SplitMix64(seed: seed), bytesMax: bytesMax))
    listener.accept { [weak self] client in
      guard let self else { return false }
      self.serve(client, target)
      return true
    }
  }

  deinit {
    let open = state.withLock { state in state.open.values.map { $0.connection } }
    for connection in open { connection.cut() }
  }

  /// Delays each piece that passes, by any time up to this: a piece in a thousand by ten times as much.
  public func delay(upTo duration: Duration) { state.withLock { $0.delayMax = duration } }

  /// Carries at most so many bytes a second to each client; a connection that is made before may keep more on its way.
  public func carry(bytesPerSecond: Int) {
    state.withLock { $0.answerBytesPerSecond = bytesPerSecond }
  }

  /// Cuts and delays no more.
  public func behave() { state.withLock { ($0.bytesMax, $0.delayMax) = (nil, .zero) } }

  /// From now on, what goes these ways vanishes; nobody is notified, since connections stay open.
  ///
  /// A connection of which something has vanished carries nothing that way any more, also when this ends: TCP knows
  /// no gaps.
  public func swallow(_ directions: Directions) { state.withLock { $0.swallowed = directions } }

  /// Ends the connections that are open now.
  public func cut() {
    for (connection, _) in state.withLock({ Array($0.open.values) }) { connection.cut() }
  }

  /// Whether bytes vanish: those of this connection do already, or those that go their way do now.
  private func swallows(_ count: Int, _ direction: Directions, _ isSilent: Bool) -> Bool {
    state.withLock { state in
      guard isSilent || state.swallowed.contains(direction) else { return false }
      state.swallowedBytes += count
      return true
    }
  }

  /// Lets the time pass that so many bytes take.
  private func pause(_ count: Int, _ direction: Directions) {
    let pause = state.withLock { state in
      let rate = direction == .toClients ? state.answerBytesPerSecond : nil
      let carrying = rate.map { count * 1_000_000 / $0 } ?? 0
      let most = Int(state.delayMax / .microseconds(1))
      guard most > 0 else { return carrying }
      return carrying + state.random.below(most) * (state.random.oneIn(1_000) ? 10 : 1)
    }
    // What is passed on comes so late.
    if pause > 0 { usleep(UInt32(pause)) }
  }

  private func serve(_ client: Int32, _ target: UInt16) {
    guard let server = ProxyListener.connect(to: target) else {
      close(client)
      return
    }
    let connection = ProxiedConnection(client: client, server: server)
    let budgets = state.withLock { state in
      let made = state.budgets()
      state.open[ObjectIdentifier(connection)] = (connection, state.servedCount)
      return made
    }
    let ways: [(Int32, Int32, Directions)] = [
      (client, server, .toServer), (server, client, .toClients),
    ]
    for (budget, (from, to, direction)) in zip(budgets, ways) {
      Thread.detachNewThread { [weak self] in
        var isSilent = false
        let isCut = connection.pump(
          from: from,
          to: to,
          atMost: budget,
          except: { count in
            isSilent = self?.swallows(count, direction, isSilent) ?? false
            return isSilent
          },
          while: { count in
            self?.pause(count, direction)
            return self?.state.withLock { $0.bytesMax != nil } ?? false
          }
        )
        self?.state.withLock { state in
          if isCut { state.cutCount += 1 }
          state.open[ObjectIdentifier(connection)] = nil
        }
      }
    }
  }
}

extension ProxiedConnection {
  /// Passes bytes on until an end is closed or so many went through; then both are.
  ///
  /// - Returns: Whether it was cut here.
  fileprivate func pump(
    from: Int32,
    to: Int32,
    atMost budget: Int,
    except swallows: (_ count: Int) -> Bool,
    while cuts: (_ count: Int) -> Bool
  ) -> Bool {
    defer { cut() }
    var (buffer, rest) = ([UInt8](repeating: 0, count: 65_536), budget)
    while true {
      var bytes = Self.receive(from: from, into: &buffer)
      guard !bytes.isEmpty else { return false }
      if swallows(bytes.count) { continue }
      let mayCut = cuts(bytes.count)
      let isLast = bytes.count >= rest && mayCut
      if isLast { bytes = bytes.prefix(rest) }
      rest -= min(rest, bytes.count)
      guard Self.send(bytes, to: to) else { return false }
      if isLast { return true }
    }
  }
}
