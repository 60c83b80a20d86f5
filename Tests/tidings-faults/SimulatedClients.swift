#if DEBUG
internal import RandomSupport
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel

/// Clients on a network that loses requests and answers, delays them and delivers them twice.
///
/// Each adds 1 to a record of its own, again and again, with an idempotency key that it repeats until an answer
/// arrives. So the number is exactly that of the calls that were answered, or one more.
struct SimulatedClients {
  private struct Request {
    let client: Int
    let serial: Int
  }

  private struct Client {
    /// Calls whose answers arrived.
    var answered = 0
    /// The call under way.
    var serial = 0
  }

  private static let zone = ZoneID.default
  private var clients: [Client]
  /// Requests on their way, also those that were delivered before.
  private var requests: [Request] = []

  init(count: Int) { clients = Array(repeating: Client(), count: count) }

  /// Clients send, the network delivers; the calls of the requests that arrive now.
  mutating func arrivals(_ random: inout SplitMix64) -> [(client: Int, serial: Int)] {
    for index in clients.indices where random.oneIn(3) {
      if clients[index].serial == clients[index].answered { clients[index].serial += 1 }
      // A request that was not answered is repeated.
      requests.append(Request(client: index, serial: clients[index].serial))
    }
    var arrived: [(client: Int, serial: Int)] = []
    var waiting: [Request] = []
    for request in requests.shuffled(using: &random) {
      switch random.below(8) {
      case 0: break  // Lost.
      case 1, 2: waiting.append(request)
      case 3:  // Doubled.
        waiting.append(request)
        arrived.append((request.client, request.serial))
      default: arrived.append((request.client, request.serial))
      }
    }
    requests = Array(waiting.prefix(100))
    return arrived
  }

  /// A call was acknowledged: its answer arrives, or is lost.
  mutating func answer(_ client: Int, _ serial: Int, _ random: inout SplitMix64) {
    guard !random.oneIn(4), clients[client].answered < serial else { return }
    clients[client].answered = serial
  }

  /// The clients after a power loss that came before later answers.
  ///
  /// - Parameter later: The same clients after the call that was under way.
  /// - Returns: They know the answers that arrived, and the calls that they sent.
  func afterPowerLoss(sending later: Self) -> Self {
    var clients = self
    for index in clients.clients.indices {
      clients.clients[index].serial = later.clients[index].serial
    }
    return clients
  }

  /// What the server does for a request.
  static func call(_ client: Int, _ serial: Int) -> RandomCalls.Call {
    let key = "client \(client) call \(serial)"
    return { engine in
      let idempotent = Array(key.utf8).withUnsafeBytes {
        IdempotentCall(owner: "ada", key: key, method: "add", request: $0)
      }
      guard try engine.answer(to: idempotent) == nil else { return }
      let id = RecordID(recordName: "counter \(client)", zoneID: zone)
      let record = Record(
        recordID: id,
        recordType: "Counter",
        fields: ["n": .int64(try number(id, engine) + 1)]
      )
      let changes = RecordChanges(
        database: RandomCalls.home,
        saves: [record],
        deletions: [],
        policy: .allKeys
      )
      for case .failed(_, let error, _) in try engine.modifyRecords(
        changes,
        caller: RandomCalls.ada
      ).outcomes { throw error }
      try engine.keep([1], for: idempotent)
    }
  }

  /// What a store says of all clients.
  ///
  /// - Throws: `Failure` when a call was lost, or done twice.
  func check(_ engine: Engine) throws {
    for (index, client) in clients.enumerated() {
      let id = RecordID(recordName: "counter \(index)", zoneID: Self.zone)
      let number = Int(try Self.number(id, engine))
      guard (client.answered...client.serial).contains(number) else {
        throw Failure(
          "client \(index) got \(client.answered) answers to \(client.serial) calls, and the server counts \(number)"
        )
      }
    }
  }

  private static func number(_ id: RecordID, _ engine: Engine) throws -> Int64 {
    var number: Int64 = 0
    do {
      try engine.withRecord(id, in: RandomCalls.home, caller: RandomCalls.ada) {
        if case .int64(let value)? = try BodyCodec().decodeRecord($0).fields["n"] {
          number = value
        }
      }
    } catch let error as ItemError where error.code == .unknownItem || error.code == .zoneNotFound {
    }
    return number
  }
}
#endif
