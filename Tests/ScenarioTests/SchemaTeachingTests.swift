internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Whose saves teach a schema, and who sees what they taught, on a server whose callers prove who they are.
@Suite(.endsServers) struct SchemaTeachingTests {
  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)

  private static func schema(_ client: Client) async throws -> String {
    try await client.schemas.fetchSchema(.init()).text
  }

  @Test("who is no developer adds no types and no fields, wherever the record is saved")
  func strangers() async throws {
    let secure = try await SecureServer.start()
    let dev = try await secure.client(
      try await secure.createUser("dev", roles: ["default/developer"])
    )
    let ann = try await secure.client(try await secure.createUser("ann", roles: []))
    let other = try await secure.client(
      try await secure.createUser("bob", roles: ["other/developer"])
    )
    for client in [ann, other] {
      for database in [nil, Self.publicDatabase] {
        let saves = (0..<300).map { TidingsV1.Record("T\($0)", "r\($0)") }
        let results = try await client.modify(saves, atomic: false, in: database)
        #expect(results.allSatisfy { $0.error?.code == .invalidArguments })
        #expect(results[0].error?.message.contains("'default/developer'") == true)
      }
    }
    #expect(try await Self.schema(dev).contains("RECORD TYPE") == false)
    let saved = try await dev.modify([.init("Notes", "n", ["n": 1])], in: Self.publicDatabase)
    #expect(saved[0].error == nil)
    #expect(try await ann.modify([.init("Notes", "own", ["n": 2])])[0].error == nil)
    let field = try await ann.modify([.init("Notes", "own", ["n": 2, "more": 1])])[0]
    #expect(
      field.error?.code == .invalidArguments && field.error?.message.contains("'more'") == true
    )
    #expect(
      try await other.modify(
        [.init("Mine", "m", ["n": 1])],
        in: .init(container: "other", scope: .private)
      )[0].error == nil
    )
    let refused = await failure {
      _ = try await other.schemas.applySchema(.init(text: "DEFINE SCHEMA"))
    }
    #expect(refused?.code == .permissionDenied)
    #expect(
      await failure {
        _ = try await dev.schemas.applySchema(
          .init(text: try await Self.schema(dev), dryRun: true)
        )
      } == nil
    )
  }

  @Test(
    "a type that private saves taught is seen by those whose saves need it, until it is declared"
  )
  func privateTypes() async throws {
    let secure = try await SecureServer.start()
    let dev = try await secure.client(try await secure.createUser("dev", roles: ["developer"]))
    let ann = try await secure.client(try await secure.createUser("ann", roles: []))
    let ben = try await secure.client(try await secure.createUser("ben", roles: []))
    try await dev.save(.init("Diary", "d", ["day": 1]))
    _ = try await dev.modify([.init("News", "n", ["day": 1])], in: Self.publicDatabase)
    #expect(try await Self.schema(dev).contains("Diary"))
    for client in [ann, ben] {
      let text = try await Self.schema(client)
      #expect(!text.contains("Diary") && text.contains("News"))
    }
    try await ann.save(.init("Diary", "own", ["day": 2]))
    #expect(try await Self.schema(ann).contains("Diary"))
    #expect(try await !Self.schema(ben).contains("Diary"))
    _ = try await dev.schemas.applySchema(.init(text: try await Self.schema(dev)))
    #expect(try await Self.schema(ben).contains("Diary"))
  }

  @Test("without keys everybody teaches, and sees everything")
  func development() async throws {
    let server = try await TestServer.start()
    let ann = try await server.client(as: "ann")
    let ben = try await server.client(as: "ben")
    try await ann.save(.init("Diary", "d", ["day": 1]))
    #expect(try await Self.schema(ben).contains("Diary"))
  }
}
