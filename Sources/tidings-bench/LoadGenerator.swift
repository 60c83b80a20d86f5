import BenchCore
import Glibc
import TidingsKeys

/// Calls a server as fast as it answers, with so many calls in flight, from one thread: a closed loop.
///
/// The same for a server and for what it is compared with.
final class LoadGenerator {
  private struct Flight {
    var call: UInt64
    var started: UInt64
  }

  private static let flightSlots = 4096
  private static let noCall = UInt64.max

  private let caller: RawCaller
  private let clock: ProcessClock
  private var flights = [Flight](
    repeating: Flight(call: LoadGenerator.noCall, started: 0),
    count: LoadGenerator.flightSlots
  )

  init(
    _ context: RawContext,
    _ server: ServerAddress,
    connections: Int = 1,
    keys: ClientKeys? = nil,
    _ calls: CallSequence
  ) throws {
    caller = try RawCaller(context, server, connections: connections, keys: keys, calls)
    clock = server.clock
  }

  /// Makes calls, and waits for all their replies.
  ///
  /// So many are in flight over all connections.
  func run(calls: Int, inFlight: Int) throws -> Measurement {
    precondition(calls > 0 && (1...Self.flightSlots / 2).contains(inFlight), "a load")
    var latencies: [UInt64] = []
    latencies.reserveCapacity(calls)
    var issued = min(inFlight, calls)
    let watch = Stopwatch(clock)
    for _ in 0..<issued { try send() }
    while latencies.count < calls {
      try Interruption.check()
      var waits = true
      while let call = try caller.receive(waits: waits) {
        waits = false
        latencies.append(try land(call))
        if issued < calls {
          issued += 1
          try send()
        }
        if latencies.count == calls { break }
      }
    }
    return watch.measurement(latencies)
  }

  private func send() throws {
    let started = Clock.now()
    let call = try caller.send().call
    flights[Int(call % UInt64(Self.flightSlots))] = Flight(call: call, started: started)
  }

  /// - Returns: How long a call took that is answered now.
  private func land(_ call: UInt64) throws -> UInt64 {
    let slot = Int(call % UInt64(Self.flightSlots))
    guard flights[slot].call == call else { throw BenchError("a reply to a call that is not open") }
    flights[slot].call = Self.noCall
    return Clock.now() - flights[slot].started
  }
}
