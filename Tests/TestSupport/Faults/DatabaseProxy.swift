internal import Foundation
internal import RandomSupport
internal import Synchronization

/// Stands between `rpcd` and a PostgreSQL server, delivers everything in parts, and disturbs commits.
///
/// Which commits, and how, follows from its seed. It reads the messages of PostgreSQL's protocol, so connections must
/// not be encrypted (`sslmode=disable`).
public final class DatabaseProxy: Sendable {
  /// What happens to a commit.
  public enum Fault: CaseIterable, Sendable {
    /// Both sides lose the connection, and the server has not seen the `COMMIT`.
    case cutBefore
    /// Both sides lose the connection, and the server has seen a part of the `COMMIT`.
    case cutWithin
    /// The server gets the `COMMIT`, and the client loses the connection before the answer.
    case cutAfter
    /// The client loses the connection within the answer.
    case cutWithinAnswer
    /// The client loses the connection, and the server notices it later: until then it waits for the `COMMIT`, with all
    /// locks.
    case abandoned
    /// The `COMMIT` comes late.
    case late

    fileprivate var isSlow: Bool { self == .abandoned || self == .late }
  }

  private struct State {
    var random: SplitMix64
    var period: Int?
    var mercy: Int
    /// How many commits pass before the next one is disturbed.
    var untouchedCount = 0
    var faults: [Fault: Int] = [:]
    var open: [ObjectIdentifier: ProxiedConnection] = [:]
  }

  /// The port of 127.0.0.1 where clients connect.
  public var port: UInt16 { listener.port }
  private let listener: ProxyListener
  private let state: Mutex<State>

  /// How many commits were disturbed, by what happened to them.
  public var faults: [Fault: Int] { state.withLock(\.faults) }

  /// Passes on to a port of this machine.
  ///
  /// - Parameters:
  ///   - target: The port.
  ///   - period: Of so many commits one is disturbed.
  ///   - mercy: So many commits pass after one that was disturbed.
  ///   - seed: Decides which commits, and how.
  /// - Throws: `WaitingFailure` when no port is left.
  public init(to target: UInt16, oneCommitIn period: Int, mercy: Int, seed: UInt64) throws {
    state = Mutex(State(random: SplitMix64(seed: seed), period: period, mercy: mercy))
    listener = try ProxyListener()
    listener.accept { [weak self] client in
      guard let self else { return false }
      self.serve(client, target)
      return true
    }
  }

  deinit { for connection in state.withLock({ Array($0.open.values) }) { connection.cut() } }

  /// Disturbs nothing any more.
  public func behave() { state.withLock { $0.period = nil } }

  private func serve(_ client: Int32, _ target: UInt16) {
    guard let server = ProxyListener.connect(to: target) else {
      close(client)
      return
    }
    let connection = ProxiedConnection(client: client, server: server)
    let randoms = state.withLock { state in
      state.open[ObjectIdentifier(connection)] = connection
      return (state.random.fork(), state.random.fork())
    }
    let pump = DatabasePump(connection)
    Thread.detachNewThread { [weak self] in
      pump.passToServer(randoms.0) { self?.nextFault() }
    }
    Thread.detachNewThread { [weak self] in
      pump.passToClient(randoms.1)
      self?.state.withLock { $0.open[ObjectIdentifier(connection)] = nil }
    }
  }

  /// What happens to the commit at hand; `nil`: nothing.
  private func nextFault() -> Fault? {
    state.withLock { state in
      guard let period = state.period else { return nil }
      guard state.untouchedCount == 0 else {
        state.untouchedCount -= 1
        return nil
      }
      guard state.random.oneIn(period) else { return nil }
      let isSlow = state.random.oneIn(40)
      let fault = state.random.pick(Fault.allCases.filter { $0.isSlow == isSlow })
      state.faults[fault, default: 0] += 1
      state.untouchedCount = state.mercy
      return fault
    }
  }
}

/// Passes on what the two sides of one connection send.
private final class DatabasePump: Sendable {
  /// What becomes of answers.
  private enum Answers {
    case pass
    /// All but the last bytes of the next one pass; then the connection is cut.
    case cutWithin
  }

  private let connection: ProxiedConnection
  private let answers = Mutex(Answers.pass)

  init(_ connection: ProxiedConnection) { self.connection = connection }

  /// Passes requests on until an end is closed, or a fault ends them.
  func passToServer(_ random: SplitMix64, _ nextFault: () -> DatabaseProxy.Fault?) {
    var (random, buffer) = (random, [UInt8](repeating: 0, count: 65_536))
    var messages = DatabaseMessages()
    while true {
      let bytes = ProxiedConnection.receive(from: connection.client, into: &buffer)
      guard !bytes.isEmpty else { break }
      messages.append(bytes)
      while let (message, isCommit) = messages.next() {
        let fault = isCommit ? nextFault() : nil
        switch fault {
        case nil: break
        case .cutBefore: return connection.cut()
        case .cutWithin:
          let part = message.prefix(random.below(message.count))
          _ = ProxiedConnection.send(part, to: connection.server)
          return connection.cut()
        case .cutAfter:
          shutdown(connection.client, Int32(SHUT_RDWR))
          _ = ProxiedConnection.send(message, to: connection.server)
          shutdown(connection.server, Int32(SHUT_WR))
          return
        case .cutWithinAnswer: answers.withLock { $0 = .cutWithin }
        case .abandoned:
          shutdown(connection.client, Int32(SHUT_RDWR))
          // The database server notices the end so much later.
          Thread.sleep(forTimeInterval: 2)
          return connection.cut()
        case .late:
          // The message comes so late.
          Thread.sleep(forTimeInterval: 1)
        }
        guard pass(message, to: connection.server, &random) else { return connection.cut() }
      }
    }
    connection.cut()
  }

  /// Passes answers on until an end is closed, or a fault ends them.
  func passToClient(_ random: SplitMix64) {
    var (random, buffer) = (random, [UInt8](repeating: 0, count: 65_536))
    while true {
      let bytes = ProxiedConnection.receive(from: connection.server, into: &buffer)
      // The end of an answer to a whole batch: the server is ready for the next one.
      let isEnd = bytes.suffix(6).starts(with: [0x5a, 0, 0, 0, 5])
      if isEnd, answers.withLock({ $0 }) == .cutWithin {
        // The answer to COMMIT alone has 33 bytes.
        let rest = bytes.dropLast(1 + random.below(33))
        _ = ProxiedConnection.send(rest, to: connection.client)
        return connection.cut()
      }
      guard !bytes.isEmpty, pass(bytes, to: connection.client, &random) else { break }
    }
    connection.cut()
  }

  /// Sends bytes in two parts, the second one later.
  private func pass(_ bytes: ArraySlice<UInt8>, to end: Int32, _ random: inout SplitMix64) -> Bool {
    let half = bytes.prefix(1 + random.below(bytes.count))
    guard ProxiedConnection.send(half, to: end) else { return false }
    // Usually it arrives together with the next part, and now and then alone.
    if random.oneIn(4) { usleep(UInt32(random.below(2_000))) }
    return ProxiedConnection.send(bytes[half.endIndex...], to: end)
  }
}

/// What a client of PostgreSQL sends, cut into what is passed on as a whole: messages, and the batch of a `COMMIT`.
private struct DatabaseMessages {
  private var bytes: [UInt8] = []
  private var hasStarted = false

  mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

  /// The next messages that have arrived, and whether they are a `COMMIT` up to the end of its batch.
  mutating func next() -> (ArraySlice<UInt8>, isCommit: Bool)? {
    guard hasStarted else {
      guard let end = end(ofMessageAt: 0, kindBytes: 0) else { return nil }
      hasStarted = true
      return (take(end), false)
    }
    var (end, hasCommit) = (0, false)
    while let next = self.end(ofMessageAt: end, kindBytes: 1) {
      let message = bytes[end..<next]
      let isParse = message.first == UInt8(ascii: "P")
      let isCommit = isParse && message.suffix(9).starts(with: "COMMIT\0".utf8)
      // What comes before a commit passes.
      if isCommit, end > 0 { return (take(end), false) }
      hasCommit = hasCommit || isCommit
      end = next
      if hasCommit, message.first == UInt8(ascii: "S") { return (take(end), true) }
    }
    return end > 0 && !hasCommit ? (take(end), false) : nil
  }

  private func end(ofMessageAt start: Int, kindBytes: Int) -> Int? {
    let header = bytes.dropFirst(start + kindBytes).prefix(4)
    guard header.count == 4 else { return nil }
    let end = start + kindBytes + header.reduce(0) { $0 << 8 | Int($1) }
    return end <= bytes.count ? end : nil
  }

  private mutating func take(_ end: Int) -> ArraySlice<UInt8> {
    defer { bytes.removeFirst(end) }
    return bytes[..<end]
  }
}
