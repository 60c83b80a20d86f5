internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What clients call the current user is the caller, or refused in words; it is never stored.
@Suite(.endsServers) struct CurrentUserTests {
  private static let name = "__defaultOwner__"
  private static let me = TidingsV1.FieldValue(
    .referenceValue(.init(recordID: .init(name), action: .none))
  )

  private func found(_ predicate: TidingsV1.Predicate, by client: Client) async throws -> [String] {
    try await client.records.queryRecords(
      .init(databaseID: .init(scope: .public), recordType: "Notes", predicate: predicate)
    ).records.compactMap { $0.recordID?.recordName }
  }

  @Test("queries and references resolve it to the caller")
  func resolved() async throws {
    let server = try await TestServer.start()
    let (ada, ben) = (try await server.client(as: "ada"), try await server.client(as: "ben"))
    let database = TidingsV1.DatabaseID(scope: .public)
    let fields = [
      "by": Self.me,
      "all": .init(
        .referenceListValue(
          .init(values: [
            .init(recordID: .init(Self.name), action: .none)
          ])
        )
      ),
    ]
    for (client, user) in [(ada, "ada"), (ben, "ben")] {
      let saved = try await client.modify([.init("Notes", "n-\(user)", fields)], in: database)[0]
      let record = try #require(saved.record, "\(saved)")
      let stored = try await client.records.fetchRecords(
        .init(databaseID: database, recordIDs: [record.recordID ?? .init()])
      ).results[0].record
      guard case .referenceValue(let by)? = stored?.fields["by"]?.value,
        case .referenceListValue(let all)? = stored?.fields["all"]?.value
      else { throw WaitingFailure(description: "\(String(describing: stored))") }
      #expect(by.recordID?.recordName == user && all.values[0].recordID?.recordName == user)
    }
    for predicate in [
      TidingsV1.Predicate(text: "creatorUserRecordID == %@", arguments: [Self.me]),
      .init(text: "creatorUserRecordID == '\(Self.name)'"),
      .init(text: "___modifiedBy IN {'\(Self.name)'}"),
      .init(text: "by == %@", arguments: [Self.me]),
      .init(text: "by == @reference('\(Self.name)')"),
      .init(nodes: [
        .init(
          node: .comparison(
            .init(fieldName: "creatorUserRecordID", operator: .equal, values: [Self.me])
          )
        )
      ]),
    ] {
      #expect(try await found(predicate, by: ada) == ["n-ada"], "\(predicate)")
      #expect(try await found(predicate, by: ben) == ["n-ben"], "\(predicate)")
    }
  }

  @Test("a subscription with it fires for the caller's records")
  func subscriptions() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    let saved = try await ada.subscribe(
      .init("mine", "Notes", where: "creatorUserRecordID == %@", arguments: [Self.me])
    )
    #expect(saved.predicate?.text.contains("\"ada\"") == true)
    let phone = try await server.client(as: "ada", device: "phone")
    try await phone.save(.init("Notes", "n1"))
    #expect(try await ada.feed().notifications.map(\.recordID?.recordName) == ["n1"])
  }

  @Test("as a record's name it is refused, and the owner of a zone may be called so")
  func names() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    let results =
      try await ada.modify([.init("Users", Self.name)]) + ada.modify(delete: [.init(Self.name)])
      + ada.fetch([.init(Self.name)])
    for result in results {
      #expect(result.error?.code == .invalidArguments, "\(result)")
      #expect(result.error?.message.contains("FetchUserRecordID") == true, "\(result)")
    }
    var record = TidingsV1.Record("Notes", "n1", zone: "_defaultZone")
    record.recordID?.zoneID?.ownerName = Self.name
    #expect(try await ada.modify([record])[0].record != nil)
  }

  @Test("a call without a user that uses it is refused in words")
  func anonymous() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "")
    let error = await failure {
      _ = try await found(.init(text: "creatorUserRecordID == '\(Self.name)'"), by: client)
    }
    #expect(error?.message.contains("no user") == true, "\(String(describing: error))")
  }
}
