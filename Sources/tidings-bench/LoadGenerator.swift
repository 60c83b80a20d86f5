import BenchCore
import CZeroMQ
import Glibc
import TidingsKeys

/// Calls a server as fast as it answers, with so many calls in flight, from one thread.
///
/// The same for a server and for what it is compared with. Frames are built beforehand; a reply is
/// checked by its call id, its status and a look at its result.
final class LoadGenerator {
  private struct Flight {
    var id: UInt64
    var started: UInt64
  }

  private static let flightSlots = 4096

  private let sockets: [RawSocket]
  private let check: ReplyCheck
  private var template: CallTemplate
  private var numbers: NumberSequence
  private var pollItems: [zmq_pollitem_t]
  private let frames = FrameSlots(count: 2)
  private var flights = [Flight](
    repeating: Flight(id: 0, started: 0),
    count: LoadGenerator.flightSlots
  )
  private var callCount: UInt64 = 0

  /// The numbers say which records the calls are about, from one run to the next.
  init(
    _ context: RawContext,
    endpoint: String,
    connections: Int,
    keys: ClientKeys? = nil,
    _ template: CallTemplate,
    numbers: NumberSequence,
    check: ReplyCheck
  ) throws {
    sockets = try (0..<connections).map { _ in
      let socket = try RawSocket(context, kind: ZMQ_DEALER)
      if let keys { try socket.secure(keys) }
      try socket.connect(endpoint)
      return socket
    }
    pollItems = sockets.map {
      zmq_pollitem_t(socket: $0.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
    }
    self.template = template
    self.numbers = numbers
    self.check = check
  }

  /// Makes calls, and waits for all their replies.
  ///
  /// So many are in flight over all connections; connections that are more than that take turns.
  func run(calls: Int, inFlight: Int) throws -> Measurement {
    precondition(calls > 0 && (1...Self.flightSlots / 2).contains(inFlight), "a load")
    var latencies: [UInt64] = []
    latencies.reserveCapacity(calls)
    let takesTurns = inFlight < sockets.count
    var (issued, turn) = (0, 0)
    let started = Clock.now()
    while issued < min(inFlight, calls) {
      try send(on: issued % sockets.count)
      issued += 1
    }
    turn = issued % sockets.count
    while latencies.count < calls {
      try Interruption.check()
      try forEachReadySocket { index, waits in
        while latencies.count < calls, let latency = try receive(from: index, waits: waits) {
          latencies.append(latency)
          if issued < calls {
            issued += 1
            try send(on: takesTurns ? turn : index)
            turn = (turn + 1) % sockets.count
          }
          if waits || takesTurns { break }
        }
      }
    }
    return Measurement(latencies: latencies, elapsedNanoseconds: Clock.now() - started)
  }

  /// One connection is waited for in `recv`, the shortest way; several with `zmq_poll`.
  private func forEachReadySocket(_ body: (_ index: Int, _ waits: Bool) throws -> Void) throws {
    guard sockets.count > 1 else {
      try body(0, true)
      return try body(0, false)
    }
    let count = zmq_poll(&pollItems, CInt(pollItems.count), Int(RawSocket.timeoutMilliseconds))
    guard count >= 0 || zmq_errno() == EINTR else { throw BenchError(zmq: "polling") }
    if count == 0 { throw BenchError("the server did not answer") }
    for index in sockets.indices where pollItems[index].revents != 0 { try body(index, false) }
  }

  private func send(on index: Int) throws {
    let (name, serial) = numbers.take()
    template.set(call: callCount, name: name, serial: serial)
    let id = CallTemplate.callID(of: callCount)
    callCount += 1
    flights[Int(id) % Self.flightSlots] = Flight(id: id, started: Clock.now())
    try sockets[index].send(template.header, more: true)
    try sockets[index].send(template.body)
  }

  /// - Returns: The latency of the call answered; `nil` when no reply is there.
  private func receive(from index: Int, waits: Bool) throws -> UInt64? {
    guard try sockets[index].receive(into: frames.start, waits: waits) else { return nil }
    guard frames.hasMore(0) else { throw BenchError("a reply of one frame") }
    _ = try sockets[index].receive(into: frames.start + 1, waits: true)
    let now = Clock.now()
    guard let id = ReplyCheck.callID(of: frames[0]), check.accepts(frames[1]) else {
      throw BenchError("a call failed: \(RawClient.failure(header: frames[0], body: frames[1]))")
    }
    let slot = Int(id % UInt64(Self.flightSlots))
    guard flights[slot].id == id else { throw BenchError("a reply to a call that is not open") }
    flights[slot].id = 0
    return now - flights[slot].started
  }
}
