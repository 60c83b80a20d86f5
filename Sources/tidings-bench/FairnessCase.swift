import BenchCore
import CZeroMQ
import Glibc

/// What a quiet caller notices of another caller's flood: fetches one after the other, alone and beside
/// it.
enum FairnessCase {
  /// The user of the floods.
  static let floodingUser = "flood"

  static func run(_ bench: Bench) throws -> [Figure] {
    let server = try bench.startServer()
    defer { server.stop() }
    try server.fill(bench.context, count: Calls.recordCount)
    let quiet = try LoadGenerator(
      bench.context,
      server.address,
      CallSequence(Calls.fetch(), .existing(Calls.recordCount), check: .oneRecord)
    )
    _ = try quiet.run(calls: bench.settings.warmup, inFlight: 1)
    return try Flood.allCases.map { flood in
      var (alone, beside): ([Measurement], [Measurement]) = ([], [])
      for round in 1...bench.settings.rounds {
        bench.say("fairness, \(flood.rawValue): round \(round) of \(bench.settings.rounds)")
        alone.append(try quiet.run(calls: callCount, inFlight: 1))
        let process = try bench.startBare("flood", flood.rawValue, server.endpoint)
        defer { process.stop() }
        beside.append(try quiet.run(calls: callCount, inFlight: 1))
      }
      return Figure(
        name: "fairness.\(flood.rawValue)",
        connections: flood.connections,
        inFlight: flood.inFlight,
        measured: Measurement(medianOf: beside),
        baseline: Measurement(medianOf: alone),
        score: Score(
          rounds: zip(beside, alone).map { $0.p99 / $1.p99 },
          unit: "× p99 alone",
          .atMost
        )
      )
    }
  }

  private static let callCount = 500
}

/// Calls that a process makes for as long as it is let.
enum Flood: String, CaseIterable {
  /// Fetches on one connection.
  case fetches
  /// Fetches on many connections.
  case connections
  /// Saves of 400 records on one connection.
  case saves

  var connections: Int { self == .connections ? 64 : 1 }
  var inFlight: Int {
    switch self {
    case .fetches: 10_000
    case .connections: 6_400
    case .saves: 20
    }
  }

  private var template: CallTemplate {
    let metadata = ["tidings-user": FairnessCase.floodingUser, "tidings-device": "generator"]
    guard self == .saves else { return Calls.fetch(as: metadata) }
    let records = (0..<400).map { Calls.record(Calls.digits($0), serial: Calls.digits($0)) }
    return Calls.save(records, updates: true, as: metadata)
  }

  /// Keeps so many calls in flight until standard input ends; says when the first is answered.
  func run(_ endpoint: String) throws {
    let context = try RawContext()
    let sockets = try (0..<connections).map { _ in
      let socket = try RawSocket(context, kind: ZMQ_DEALER)
      try socket.connect(endpoint)
      return socket
    }
    var pollItems = sockets.map {
      zmq_pollitem_t(socket: $0.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
    }
    var (template, count) = (template, UInt64(0))
    pollItems.append(
      zmq_pollitem_t(socket: nil, fd: STDIN_FILENO, events: Int16(ZMQ_POLLIN), revents: 0)
    )
    func call(on socket: RawSocket) throws {
      template.set(call: count, name: Int(count % 10_000), serial: 0)
      count += 1
      try socket.send(template.header, more: true)
      try socket.send(template.body)
    }
    for index in 0..<inFlight { try call(on: sockets[index % sockets.count]) }
    let frames = FrameSlots(count: 2)
    var isAnnounced = false
    while true {
      try Interruption.check()
      guard zmq_poll(&pollItems, CInt(pollItems.count), Int(RawSocket.timeoutMilliseconds)) > 0
      else { throw BenchError("the server did not answer the flood") }
      if !isAnnounced {
        print("flood ready rpc=\(endpoint)")
        fflush(nil)
      }
      isAnnounced = true
      // Whoever wanted the flood is gone.
      if pollItems[sockets.count].revents != 0 { return }
      for (index, socket) in sockets.enumerated() where pollItems[index].revents != 0 {
        // A bound, so that all sockets have their turn.
        for _ in 0..<100 {
          guard try socket.receive(into: frames.start, waits: false) else { break }
          _ = try socket.receive(into: frames.start + 1, waits: true)
          try call(on: socket)
        }
      }
    }
  }
}
