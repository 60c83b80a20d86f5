internal import Glibc
internal import RandomSupport
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What is acknowledged survives `kill -9` at any moment.
@Suite(.endsServers) struct CrashTests {
  /// One save: the `counter`-th of its record.
  private struct Save: Hashable, Sendable {
    var name: String
    var counter: Int64
    var price: Int64
    /// Large records make commits long, so that more crashes come before their end.
    var blobBytes = 10
    var tag = ""

    var record: TidingsV1.Record {
      .init(
        "Houses",
        name,
        [
          "counter": .init(.int64Value(counter)), "price": .init(.int64Value(price)),
          "blob": .init(.bytesValue([UInt8](repeating: UInt8(counter & 0xff), count: blobBytes))),
        ]
      )
    }
    var key: String { "\(name)/\(counter)" }
  }

  private static let threshold: Int64 = 100
  private static let killCount = 15

  @Test("kill -9 under load loses no acknowledged save and no notification, and doubles none")
  func killUnderLoad() async throws {
    let seed = Seed.make("killUnderLoad")
    var random = SplitMix64(seed: seed)
    var server = try await TestServer.startLasting()
    let laptop = try await server.client(as: "realty", device: "laptop")
    try await laptop.subscribe(
      .init(
        "pricey",
        "Houses",
        where: "price > \(Self.threshold)",
        keys: ["counter", "price"]
      )
    )
    let stream = Collector(laptop)

    let acknowledged = Observed<[Save]>([])
    let isStopping = Observed(false)
    let killer = Killer()
    let writers = try await (0..<4).asyncMap { index in
      let client = try await server.client(as: "realty", device: "writer-\(index)")
      let seed = random.next()
      return Task {
        try await Self.write(
          as: index,
          with: client,
          seed,
          killer,
          into: acknowledged,
          until: isStopping
        )
      }
    }

    for _ in 0..<Self.killCount {
      killer.arm(server.process, after: random.below(60))
      try await server.process.waitForExit()
      server = try await server.restarted()
    }
    let moment = acknowledged.value.count + 20
    try await acknowledged.wait("saves after the last crash") { $0.count > moment }
    isStopping.update { $0 = true }
    for writer in writers { try await writer.value }

    let saves = acknowledged.value
    try await expectRecords(saves, in: laptop, seed)
    try await expectNotifications(saves, in: laptop.feed(pageLimit: 7).notifications, seed)
    let matching = saves.count { $0.price > Self.threshold }
    let last = Save(name: "last", counter: 1, price: Self.threshold + 1)
    try await server.client(as: "realty", device: "writer").save(last.record)
    try await expectNotifications(saves + [last], in: stream.wait(for: matching + 1), seed)
    try await stream.stop()
    try await expectFirstAnswers(saves, in: server, seed)
  }

  @Test("an answer never leaves before its group is committed")
  func answersFollowCommit() async throws {
    var server = try await TestServer.startLasting()
    try await server.client(as: "ada", device: "laptop").subscribe(.init("all", "Houses"))
    for round in 0..<5 {
      // Calls that arrive together: an answer that does not wait for the commit of the group comes long before it.
      let burst = try await SaveBurst(
        "r\(round)",
        calls: 60,
        records: 30,
        at: server,
        together: true
      )
      try await burst.acknowledged.wait("answers") { $0.count > round * 4 }
      try await server.crash()
      let ids = await burst.end().map { TidingsV1.RecordID("\($0)-29") }
      server = try await server.restarted()
      let client = try await server.client(as: "ada", device: "laptop")
      #expect(try await client.fetch(ids).allSatisfy { $0.record != nil })
      let seen = Set(try await client.feed().notifications.map(\.recordID))
      #expect(ids.allSatisfy(seen.contains))
    }
  }

  /// Saves one record after the other, each until it is acknowledged, always with the same key.
  private static func write(
    as index: Int,
    with client: Client,
    _ seed: UInt64,
    _ killer: Killer,
    into acknowledged: Observed<[Save]>,
    until isStopping: Observed<Bool>
  ) async throws {
    var random = SplitMix64(seed: seed)
    var counters: [String: Int64] = [:]
    while !isStopping.value {
      let name = "r\(index)-\(random.below(5))"
      counters[name, default: 0] += 1
      var save = Save(
        name: name,
        counter: counters[name] ?? 0,
        price: Int64.random(in: 0..<2 * threshold, using: &random),
        blobBytes: random.oneIn(3) ? 200_000 : 10
      )
      // Whoever starts the server again needs the processor too.
      try await waitUntil("\(name) to be saved", pausing: .milliseconds(20)) {
        do {
          let result = try await client.modify([save.record], key: save.key)[0]
          guard let record = result.record else {
            throw WaitingFailure(description: "refused: \(result)")
          }
          killer.acknowledged()
          save.tag = record.changeTag
          return true
        } catch let error as RPCError {
          guard error.code == .unavailable || error.code == .deadlineExceeded else { throw error }
          return false
        }
      }
      acknowledged.update { [save] in $0.append(save) }
    }
  }

  private func expectRecords(_ saves: [Save], in client: Client, _ seed: UInt64) async throws {
    let newest = Dictionary(saves.map { ($0.name, $0) }) { $0.counter > $1.counter ? $0 : $1 }
    let names = newest.keys.sorted()
    for (name, result) in zip(names, try await client.fetch(names.map { .init($0) })) {
      let isSame = result.record?.fields == newest[name]?.record.fields
      #expect(isSame, "seed \(seed), \(name)")
      #expect(result.record?.changeTag == newest[name]?.tag, "seed \(seed)")
    }
  }

  private func expectNotifications(
    _ saves: [Save],
    in seen: [TidingsV1.Notification],
    _ seed: UInt64
  ) throws {
    let expected = saves.filter { $0.price > Self.threshold }.map(\.key).sorted()
    let keys = seen.map { notification in
      guard case .int64Value(let counter)? = notification.recordFields["counter"]?.value else {
        return "no counter"
      }
      return "\(notification.recordID?.recordName ?? "")/\(counter)"
    }
    #expect(keys.sorted() == expected, "seed \(seed)")
    #expect(
      seen.compactMap(\.position?.sequenceNumber) == Array(1...UInt64(max(1, expected.count))),
      "seed \(seed)"
    )
  }

  /// A call that is sent again gets its first answer, and changes nothing.
  private func expectFirstAnswers(
    _ saves: [Save],
    in server: TestServer,
    _ seed: UInt64
  )
    async throws
  {
    try await server.crash()
    let server = try await server.restarted()
    let client = try await server.client(as: "realty", device: "writer-again")
    let before = try await client.feed()
    for save in saves.suffix(40) {
      let result = try await client.modify([save.record], key: save.key)[0]
      #expect(result.record?.changeTag == save.tag, "seed \(seed)")
    }
    #expect(try await client.feed(after: before.token).notifications == [], "seed \(seed)")
    try await expectRecords(saves, in: client, seed)

    let refused = await failure {
      _ = try await client.modify([.init("Houses", "other")], key: saves[saves.count - 1].key)
    }
    #expect(refused?.code == .failedPrecondition, "\(String(describing: refused))")
  }
}

/// Kills a server in the moment in which a writer is notified of an acknowledgement.
private final class Killer: Sendable {
  private let target = Mutex<(process: ServerProcess, countdown: Int)?>(nil)

  func arm(_ process: ServerProcess, after count: Int) {
    target.withLock { $0 = (process, count) }
  }

  func acknowledged() {
    target.withLock { target in
      guard let (process, countdown) = target else { return }
      target = countdown > 0 ? (process, countdown - 1) : nil
      if countdown == 0 { process.send(9) }
    }
  }
}

extension Sequence {
  /// Maps one element after the other.
  func asyncMap<R>(_ transform: (Element) async throws -> R) async rethrows -> [R] {
    var results: [R] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
