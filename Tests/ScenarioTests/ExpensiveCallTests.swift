internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Calls that take long by themselves: who is answered first.
///
/// The expensive call and another user's fetch behind it are in the server's hands before it looks at any. A
/// server that works on calls in order answers the fetch last, whatever the speed of the machine.
@Suite(.endsServers) struct ExpensiveCallTests {
  private static func save(_ fields: [String: TidingsV1.FieldValue]) -> RawCall {
    RawCall(
      RawCall.modifyRecords,
      TidingsV1.ModifyRecordsRequest(
        recordsToSave: [.init("Texts", "t", fields)],
        savePolicy: .allKeys
      ).encoded()
    )
  }

  private static func fetch(as user: String) -> RawCall {
    RawCall(
      RawCall.fetchRecords,
      TidingsV1.FetchRecordsRequest(recordIDs: [.init("t")]).encoded(),
      as: user
    )
  }

  /// Saves beside another user's fetch, with what the same user asks for on the same connection behind it.
  private func expectAside(
    _ fields: [String: TidingsV1.FieldValue],
    then small: [String: TidingsV1.FieldValue],
    _ predicates: [String],
    firing: Int
  ) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "phone")
    for (number, predicate) in predicates.enumerated() {
      try await client.subscribe(.init("s\(number)", "Texts", where: predicate))
    }
    let later = Self.save(small)
    let answers = try await server.answers(
      to: [Self.save(fields), Self.fetch(as: "ada"), later, Self.fetch(as: "bob")]
    )
    // Ada's keep their order.
    #expect(answers.map(\.call) == [3, 0, 1, 2])
    let saved = try TidingsV1.ModifyRecordsResponse(decoding: answers[1].body)
    #expect(saved.results.first?.record != nil, "\(saved)")
    let fetched = try TidingsV1.FetchRecordsResponse(decoding: answers[2].body)
    #expect(fetched.results.first?.record?.fields == fields)
    let last = try await client.fetch([.init("t")]).first?.record
    #expect(last?.fields == small)
    // What the save fires is in the log with it.
    let log = try await client.feed().notifications
    #expect(log.count == firing, "\(log)")
  }

  @Test("a save with a large text waits for its own matching, and nobody else does")
  func text() async throws {
    // As much as fits: on a fast machine it is to take longer than to look at the next calls.
    let text = String(repeating: "Ünïcödé TEXT ", count: 50_000)
    try await expectAside(
      ["a": .init(.stringValue(text))],
      then: ["a": "small"],
      (0..<8).map { #"a LIKE[c] "*öd\#($0)*" OR a LIKE[c] "*text ünï*""# },
      firing: 8
    )
  }

  @Test("a save with a large list, too")
  func list() async throws {
    let members = (0..<60_000).map { "MEMBER \($0)" }
    try await expectAside(
      ["a": .init(.stringListValue(.init(values: members)))],
      then: ["a": .init(.stringListValue(.init(values: ["small"])))],
      (0..<3).map { #"ANY a ==[c] "member \#($0)" AND ANY a ENDSWITH "9999""# },
      firing: 3
    )
  }

  @Test("a call with many large subscriptions is written in pieces, in its order")
  func subscriptions() async throws {
    let server = try await TestServer.start()
    let wanted = (0..<398).map { number in
      let alternatives = (0..<100).map { "field\($0) = \(number * 1_000 + $0)" }
      return TidingsV1.Subscription(
        "s\(number)",
        "Texts",
        where: alternatives.joined(separator: " OR ")
      )
    }
    let call = RawCall(
      "tidings.v1.SubscriptionService/ModifySubscriptions",
      TidingsV1.ModifySubscriptionsRequest(
        subscriptionsToSave: wanted,
        subscriptionIDsToDelete: ["s7", "none"]
      ).encoded()
    )
    let fires = Self.save(["field3": .init(integerLiteral: 397_003)])
    let answers = try await server.answers(
      to: [call, fires, Self.fetch(as: "bob")]
    )
    #expect(answers.map(\.call) == [2, 0, 1])
    let response = try TidingsV1.ModifySubscriptionsResponse(decoding: answers[1].body)
    #expect(
      response.results.map(\.subscriptionID) == wanted.map(\.subscriptionID) + ["s7", "none"]
    )
    #expect(response.results.prefix(398).allSatisfy { $0.subscription != nil })
    #expect(response.results.suffix(2).first?.outcome == .deleted(true))
    #expect(response.results.last?.error?.code == .unknownItem)
    let client = try await server.client(as: "ada", device: "phone")
    #expect(try await client.feed().notifications.map(\.subscriptionID) == ["s397"])
  }

  @Test("a large call is read on another thread, and what it asks for is refused as ever")
  func largeCall() async throws {
    let server = try await TestServer.start()
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "x", count: 300_000)))
    var refused = Self.save(["a": text])
    refused.body = TidingsV1.ModifyRecordsRequest(
      recordsToSave: [.init("Texts", "u", ["a": text]), .init("No type", "v")],
      atomic: true
    ).encoded()
    let answers = try await server.answers(
      to: [Self.save(["a": text]), refused]
    )
    #expect(answers.map(\.call) == [0, 1])
    let response = try TidingsV1.ModifyRecordsResponse(decoding: answers[1].body)
    #expect(response.results.map { $0.error?.code } == [.batchRequestFailed, .invalidArguments])
  }

  @Test("what subscriptions take is bounded; replacing and deleting give it back")
  func subscriptionBytes() async throws {
    let server = try await TestServer.start(
      arguments: ["--limit", "subscription-bytes-per-user-max=4000"]
    )
    let client = try await server.client(as: "ada")
    func save(_ id: String, _ bytes: Int) async throws -> TidingsV1.SubscriptionResult? {
      try await client.subscriptions.modifySubscriptions(
        .init(subscriptionsToSave: [
          .init(id, "Texts", where: "a = '\(id)\(String(repeating: "x", count: bytes))'")
        ])
      ).results.first
    }
    #expect(try await save("a", 1_800)?.error == nil)
    #expect(try await save("b", 1_800)?.error == nil)
    let refused = try await save("c", 1_000)
    #expect(refused?.error?.code == .limitExceeded)
    #expect(refused?.error?.message.contains("may take 4000") ?? false)
    #expect(try await save("b", 500)?.error == nil)
    #expect(try await save("c", 1_000)?.error == nil)
    #expect(try await save("a", 2_800)?.error?.code == .limitExceeded)
    let again = try await server.client(as: "ada")
    _ = try await again.subscriptions.modifySubscriptions(.init(subscriptionIDsToDelete: ["b"]))
    #expect(try await save("a", 2_200)?.error == nil)
  }

  @Test(
    "many records of a call under many subscriptions that no field leads to are refused, one is not"
  )
  func openComparisons() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for batch in 0..<3 {
      let results = try await client.subscriptions.modifySubscriptions(
        .init(
          subscriptionsToSave: (0..<300).map {
            .init("s\(batch)-\($0)", "Texts", where: "NOT a = \(batch * 1_000 + $0)", on: .delete)
          }
        )
      ).results
      #expect(results.allSatisfy { $0.subscription != nil })
    }
    let records = (0..<300).map { TidingsV1.Record("Texts", "t\($0)", ["a": 1]) }
    let failed = await failure { _ = try await client.modify(records) }
    #expect(failed?.message.contains("at most 200000") ?? false, "\(String(describing: failed))")
    #expect(try await client.modify(Array(records.prefix(50))).allSatisfy { $0.record != nil })
  }

  @Test("a predicate that looks through whole texts too often is refused, and says why")
  func price() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let patterns = (0..<65).map { #"a LIKE "*x\#($0)*""# }
    let result = try await client.subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: [
        .init("s", "Texts", where: patterns.joined(separator: " OR "))
      ])
    ).results.first
    #expect(result?.error?.code == .invalidArguments)
    #expect(result?.error?.message.contains("at most 64") ?? false, "\(String(describing: result))")
  }
}

/// Queries and explanations that take long, of several users, beside the quick queries of another.
@Suite(.endsServers) struct SlowQueryTests {
  private static let query = "tidings.v1.RecordService/QueryRecords"

  /// Sends four slow queries of each user, and then quick ones of another user, before the server looks at any.
  private func expectQuickFirst(
    users: Int,
    _ records: [TidingsV1.Record],
    _ slow: TidingsV1.QueryRecordsRequest,
    quickCount: Int
  ) async throws {
    try await expectQuickFirst(
      users: users,
      records,
      nil,
      RawCall(Self.query, slow.encoded()),
      quickCount: quickCount
    )
  }

  /// The same with slow calls of any method, of users who have a subscription.
  private func expectQuickFirst(
    users: Int,
    _ records: [TidingsV1.Record],
    _ subscription: TidingsV1.Subscription?,
    _ slow: RawCall,
    quickCount: Int
  ) async throws {
    let server = try await TestServer.start()
    for user in 0..<users {
      let client = try await server.client(as: "flood\(user)")
      let results = try await client.modify(records)
      #expect(results.allSatisfy { $0.record != nil }, "\(results.compactMap(\.error))")
      if let subscription { try await client.subscribe(subscription) }
    }
    let quick = try await server.client(as: "quiet")
    try await quick.save(.init("Notes", "n", ["a": "x"]))
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    var calls: [RawCall] = []
    for user in 0..<users {
      let slow = RawCall(slow.header.method, slow.body, as: "flood\(user)")
      calls += [RawCall](repeating: slow, count: 4)
    }
    let notes = TidingsV1.QueryRecordsRequest(recordType: "Notes").encoded()
    for _ in 0..<quickCount { calls.append(RawCall(Self.query, notes, as: "quiet")) }
    try server.process.pause()
    for (position, call) in calls.enumerated() {
      var call = call
      call.header.callID = UInt64(position)
      try await socket.send([call.header.encoded(), call.body])
    }
    server.process.resume()
    for _ in 0..<quickCount {
      let (header, body) = try await RawCall.answer(socket.receive())
      #expect(header.status == 0, "\(header.message)")
      #expect(header.callID >= UInt64(users * 4), "a slow one was answered first")
      let response = try TidingsV1.QueryRecordsResponse(decoding: body)
      #expect(response.records.count == 1)
    }
  }

  private func predicate(_ count: Int, _ comparison: (Int) -> String) -> TidingsV1.Predicate {
    .init(text: (0..<count).map(comparison).joined(separator: " OR "))
  }

  @Test("quick queries are answered before any of the slow ones", arguments: [2, 10])
  func floods(users: Int) async throws {
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "some words ", count: 1_000)))
    try await expectQuickFirst(
      users: users,
      (0..<100).map { .init("Texts", "t\($0)", ["a": text]) },
      .init(
        recordType: "Texts",
        predicate: predicate(64) { #"a LIKE "*x\#($0)*""# },
        sortDescriptors: [.init(fieldName: "a")]
      ),
      quickCount: 10
    )
  }

  @Test("a quick query does not wait for the evaluation of one record", arguments: ["a", "self"])
  func expensiveRecord(field: String) async throws {
    let words = (0..<80_000).map { "Word\($0)" }.joined(separator: " ")
    // The words are found once for all comparisons, and each pattern is looked for.
    let predicate = predicate(450 + 64) {
      $0 < 450 ? #"\#(field) CONTAINS "x\#($0)""# : #"a LIKE[c] "*x\#($0)q*""#
    }
    // One for each thread that could work on the quick query.
    try await expectQuickFirst(
      users: 5,
      [.init("Texts", "t", ["a": .init(.stringValue(words))])],
      .init(recordType: "Texts", predicate: predicate),
      quickCount: 1
    )
  }

  @Test("a quick query does not wait for the explanation of a subscription")
  func explanation() async throws {
    // Nothing of it is to be fast: each is looked for in all of the text.
    let predicate = (0..<64).map { #"a LIKE[c] "*x\#($0)q*""# }.joined(separator: " OR ")
    let text = TidingsV1.FieldValue(.stringValue(String(repeating: "Some Words ", count: 60_000)))
    try await expectQuickFirst(
      users: 5,
      [.init("Texts", "t", ["a": "x"])],
      .init("s", "Texts", where: predicate),
      RawCall(
        "tidings.v1.SubscriptionService/ExplainSubscriptions",
        TidingsV1.ExplainSubscriptionsRequest(recordAfter: .init("Texts", "t", ["a": text]))
          .encoded()
      ),
      quickCount: 1
    )
  }
}
