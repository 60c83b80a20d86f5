internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// The life of a schema, in a real server: learned, indexed, refused, deployed.
@Suite(.endsServers) struct SchemaTests {
  private func database(_ environment: TidingsV1.Environment) -> TidingsV1.DatabaseID {
    .init(container: "homes", environment: environment, scope: .private)
  }

  private func save(
    _ record: TidingsV1.Record,
    _ environment: TidingsV1.Environment,
    _ client: Client
  ) async throws -> TidingsV1.ItemError? {
    try await client.modify([record], in: database(environment))[0].error
  }

  private func text(
    _ client: Client,
    _ environment: TidingsV1.Environment = .development
  ) async throws -> TidingsV1.FetchSchemaResponse {
    try await client.schemas.fetchSchema(.init(container: "homes", environment: environment))
  }

  /// Asks until the index is built, which the server does between calls.
  private func waitForIndex(_ client: Client) async throws {
    let ready = TidingsV1.FieldIndex(
      recordType: "House",
      fieldName: "price",
      ordered: true,
      state: .ready
    )
    try await waitUntil("the index to be built") { try await text(client).indexes == [ready] }
  }

  @Test("learned in development, indexed, refused in production, deployed, accepted, kept")
  func lifeCycle() async throws {
    var server = try await TestServer.startLasting()
    var client = try await server.client(as: "ada")
    #expect(try await save(.init("House", "h1", ["price": 5]), .development, client) == nil)
    let learned = try await text(client).text
    #expect(
      learned == """
        DEFINE SCHEMA

            RECORD TYPE House (
                price INT64,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

        """
    )

    let indexed = learned.replacing("INT64", with: "INT64 QUERYABLE")
    let changes = try await client.schemas.applySchema(.init(container: "homes", text: indexed))
      .changes
    #expect(
      changes == [
        .init(kind: .changed, subject: "House.price", before: "INT64", after: "INT64 QUERYABLE")
      ]
    )
    try await waitForIndex(client)

    // Nobody deployed it: whatever is asked of production is refused.
    let refused = await failure { _ = try await text(client, .production) }
    #expect(refused?.code == .invalidArgument)
    #expect(refused?.message.contains("schema deploy") == true)
    let write = await failure {
      _ = try await save(.init("House", "h1", ["price": 5]), .production, client)
    }
    #expect(write?.message == refused?.message)
    let read = try await client.records.fetchRecords(
      .init(databaseID: database(.production), recordIDs: [.init("h1")])
    )
    #expect(read.results[0].error?.code == .badContainer)
    let zones = await failure {
      _ = try await client.zones.fetchRecordZones(.init(databaseID: database(.production)))
    }
    #expect(zones?.message == refused?.message)
    let feed = await failure {
      _ = try await client.notifications.fetchNotificationChanges(
        .init(container: "homes", environment: .production)
      )
    }
    #expect(feed?.message == refused?.message)

    let dry = try await client.schemas.deploySchema(.init(container: "homes", dryRun: true)).changes
    #expect(dry.map(\.subject).prefix(2) == ["House", "House.price"])
    #expect(await failure { _ = try await text(client, .production) } != nil)
    #expect(
      try await client.schemas.deploySchema(.init(container: "homes")).changes == dry
    )
    #expect(try await save(.init("House", "h1", ["price": 5]), .production, client) == nil)
    let unknown = try await save(.init("House", "h1", ["size": 5]), .production, client)
    #expect(unknown?.code == .invalidArguments)
    #expect(
      unknown?.message.contains(
        "Cannot create or modify field 'size' in record 'House' in production schema"
      ) == true
    )

    let before = try await text(client, .production)
    await client.close()
    try await server.crash()
    server = try await server.restarted()
    client = try await server.client(as: "ada")
    let after = try await text(client, .production)
    #expect(after.text == before.text && after.text == indexed)
    #expect(try await text(client).text == indexed)
    #expect(try await save(.init("Boat", "b", [:]), .production, client)?.code == .invalidArguments)
    await client.close()
    try await server.stop()
  }

  @Test("a text that is no schema is refused with its place; nothing changes")
  func badText() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let error = await failure {
      _ = try await client.schemas.applySchema(
        .init(container: "homes", text: "DEFINE SCHEMA\nRECORD TYPE T (\n  a INT63\n);")
      )
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("the text is no schema: line 3, column 5: expected a") == true)
    #expect(error?.message.hasSuffix("\n    a INT63\n      ^") == true)
    #expect(try await text(client).text == "DEFINE SCHEMA\n")

    let large = await failure {
      _ = try await client.schemas.applySchema(
        .init(text: "DEFINE SCHEMA" + String(repeating: " ", count: 1 << 20))
      )
    }
    #expect(large?.code == .resourceExhausted)
    let anonymous = try await server.client(as: "")
    let noUser = await failure { _ = try await text(anonymous) }
    #expect(noUser?.code == .unauthenticated)
  }
}
