internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Clients that count, each in a record of its own: a save that is lost, doubled or answered wrongly breaks the count.
///
/// Others read the records all the time: a number that was read is never less afterwards.
/// Half of them send an idempotency key with each save. Where the outcome of a call is unknown, they repeat it; the others look.
final class CountingWriters: Sendable {
  /// What was acknowledged and what failed.
  struct Results: Sendable {
    /// The last number that each writer knows to be saved.
    var numbers: [Int: Int64] = [:]
    /// Saves whose outcome was not what an answer said.
    var contradictions: [String] = []
    /// Calls that failed with nothing changed.
    var failedCount = 0
    /// Calls with an idempotency key that failed, with whatever outcome.
    var keyedFailureCount = 0
    /// Calls whose outcome was reported as unknown.
    var unknownCount = 0

    /// How many saves are known to be kept.
    var total: Int { Int(numbers.values.reduce(0, +)) }
  }

  private static let type = "Counter"
  private let users = ["ada", "bob"]
  private let results = Observed(Results())
  private let isStopping = Observed(false)
  private let tasks: [Task<Void, any Error>]
  private let readers: [Task<Void, any Error>]

  /// Subscribes the users to their counters, and begins to count.
  ///
  /// - Parameters:
  ///   - servers: Which they call, in turn; one that is started again on the same ports will do.
  ///   - count: How many writers there are.
  /// - Throws: When a client cannot connect.
  convenience init(_ servers: TestServer..., count: Int = 8) async throws {
    try await self.init(servers, count: count)
  }

  /// Subscribes the users to their counters, and begins to count.
  ///
  /// - Parameters:
  ///   - servers: Nodes of one database, which are called in turn.
  ///   - movesOn: Each client knows all of them, and repeats calls.
  ///   - count: How many writers there are.
  /// - Throws: When a client cannot connect.
  init(_ servers: [TestServer], movesOn: Bool = false, count: Int = 8) async throws {
    for user in users {
      let client = try await servers[0].client(as: user, device: "reader")
      _ = try await Self.untilAvailable {
        try await client.subscribe(.init("all", Self.type, keys: ["number"]))
      }
    }
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<count {
      let user = users[index % users.count]
      let server = servers[index % servers.count]
      let others = movesOn ? servers.filter { $0 !== server } : []
      let client = try await server.client(
        as: user,
        device: "writer-\(index)",
        or: others,
        retries: movesOn
      )
      tasks.append(
        Task { [results, isStopping] in
          var writer = Writer(index: index, client: client, results: results)
          while !isStopping.value { guard try await writer.save() else { return } }
          // The outcome of a save that failed last is found out by the next one.
          try await waitUntil("the last save of writer \(index)", pausing: .zero) {
            if writer.failures.isEmpty { return true }
            return try await !writer.save()
          }
        }
      )
    }
    self.tasks = tasks
    var readers: [Task<Void, any Error>] = []
    for (user, name) in users.enumerated() {
      let server = servers[user % servers.count]
      let others = movesOn ? servers.filter { $0 !== server } : []
      let client = try await server.client(
        as: name,
        device: "looker",
        or: others,
        retries: movesOn
      )
      let writers = Array(stride(from: user, to: count, by: users.count))
      readers.append(
        Task { [results, isStopping] in
          var reader = Reader(writers: writers, client: client, results: results)
          while !isStopping.value { try await reader.read() }
        }
      )
    }
    self.readers = readers
  }

  /// Waits until so many more saves are known to be kept, or a contradiction was found.
  @discardableResult
  func wait(forMore count: Int) async throws -> Results {
    let end = results.value.total + count
    return try await results.wait("saves") { $0.total >= end || !$0.contradictions.isEmpty }
  }

  /// Ends the writers, after some more saves that nothing disturbs.
  func stop() async throws -> Results {
    try await wait(forMore: 20)
    isStopping.update { $0 = true }
    for task in tasks + readers { try await task.value }
    return results.value
  }

  /// Compares what writers know with the records, and with the notifications: one for each save.
  func verify(on server: TestServer, _ seed: UInt64) async throws {
    let results = results.value
    #expect(results.contradictions == [], "seed \(seed)")
    for (user, name) in users.enumerated() {
      let client = try await server.client(as: name, device: "reader")
      var seen: [String: [Int64]] = [:]
      let feed = try await Self.untilAvailable { try await client.feed(pageLimit: 50) }
      for notification in feed.notifications {
        let record = notification.recordID?.recordName ?? ""
        guard case .int64Value(let number)? = notification.recordFields["number"]?.value else {
          continue
        }
        seen[record, default: []].append(number)
      }
      for writer in tasks.indices where writer % users.count == user {
        let last = results.numbers[writer] ?? 0
        let record = try await Self.untilAvailable {
          try await client.fetch([Writer.recordID(writer)])[0].record
        }
        #expect(record.map(Writer.number) == last, "writer \(writer), seed \(seed)")
        let numbers = seen["writer-\(writer)"] ?? []
        #expect(numbers == Array(1...max(1, last)), "writer \(writer), seed \(seed)")
      }
    }
  }

  /// Repeats a call until somebody leads: where commits are cut, a server may not for a moment.
  private static func untilAvailable<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    let end = ContinuousClock.now + .seconds(300)
    while true {
      do {
        return try await body()
      } catch let error as RPCError where error.code == .unavailable {
        guard .now < end else {
          throw WaitingFailure(description: "waited 300 s for a server that leads: \(error)")
        }
        // Between two calls others have the processor.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Reads the records of some writers.
  private struct Reader {
    let writers: [Int]
    let client: Client
    let results: Observed<Results>
    private var seen: [Int: Int64] = [:]

    init(writers: [Int], client: Client, results: Observed<Results>) {
      (self.writers, self.client, self.results) = (writers, client, results)
    }

    /// Reads the records once.
    ///
    /// - Throws: What no fault explains.
    mutating func read() async throws {
      do {
        let found = try await client.fetch(writers.map(Writer.recordID))
        for (writer, result) in zip(writers, found) {
          let number = result.record.map(Writer.number) ?? 0
          if number < seen[writer, default: 0] {
            results.update { [seen] in
              $0.contradictions.append(
                "writer \(writer): \(seen[writer] ?? 0) was read, then \(number)"
              )
            }
          }
          seen[writer] = number
        }
      } catch let error as RPCError {
        guard error.code == .unavailable else { throw error }
        // Whoever starts a server again needs the processor too.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// One of them.
  private struct Writer {
    let index: Int
    let client: Client
    let results: Observed<Results>
    var number: Int64 = 0
    var tag = ""
    /// Why calls failed since the last save that was kept.
    var failures: [RPCError] = []
    /// The outcome of a save is unknown: it may still be on its way through a node that has ended.
    var mayComeLate = false

    static func recordID(_ index: Int) -> TidingsV1.RecordID { .init("writer-\(index)") }

    static func number(_ record: TidingsV1.Record) -> Int64 {
      guard case .int64Value(let number)? = record.fields["number"]?.value else { return 0 }
      return number
    }

    private var usesKey: Bool { index % 4 < 2 }

    /// Saves the next number.
    ///
    /// - Returns: Whether to go on.
    /// - Throws: What no fault explains.
    mutating func save() async throws -> Bool {
      let next = TidingsV1.Record(
        CountingWriters.type,
        "writer-\(index)",
        tag: tag,
        ["number": .init(.int64Value(number + 1))]
      )
      do {
        let result = try await client.modify(
          [next],
          policy: .ifServerRecordUnchanged,
          key: usesKey ? "writer-\(index)/\(number + 1)" : nil
        )[0]
        // A save that was said to have failed was kept, or one was lost.
        if let record = result.record {
          keep(record)
        } else if mayComeLate, let late = result.serverRecord, Self.number(late) == number + 1 {
          keep(late)
        } else {
          return contradict("\(result)")
        }
      } catch let error as RPCError {
        guard error.code == .unavailable else { throw error }
        failures.append(error)
        let isUnknown = error.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN"))
        results.update { [usesKey] results in
          if usesKey { results.keyedFailureCount += 1 }
          if isUnknown { results.unknownCount += 1 } else { results.failedCount += 1 }
        }
        // Whoever starts a server again needs the processor too.
        try await Task.sleep(for: .milliseconds(20))
        if isUnknown, !usesKey { return try await look() }
      }
      return true
    }

    /// Finds out what became of the last save.
    private mutating func look() async throws -> Bool {
      let end = ContinuousClock.now + .seconds(300)
      while true {
        do {
          let record = try await client.fetch([Self.recordID(index)])[0].record
          let found = record.map(Self.number) ?? 0
          guard found == number || found == number + 1 else {
            return contradict("\(found) after a save of unknown outcome")
          }
          if found > number, let record { keep(record) } else { mayComeLate = true }
          return true
        } catch let error as RPCError {
          guard error.code == .unavailable else { throw error }
          guard .now < end else {
            throw WaitingFailure(description: "waited 300 s for writer \(index)'s record: \(error)")
          }
          // Whoever starts a server again needs the processor too.
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }

    private mutating func keep(_ record: TidingsV1.Record) {
      (number, tag, mayComeLate, failures) = (number + 1, record.changeTag, false, [])
      results.update { [index, number] in $0.numbers[index] = number }
    }

    private func contradict(_ what: String) -> Bool {
      results.update { [index, number, failures] in
        $0.contradictions.append(
          "writer \(index) after \(number), and \(failures): \(what)"
        )
      }
      return false
    }
  }
}
