internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQLite

/// Calls of a group, whose rows are inserted together, answer and fail one by one.
@Suite(.endsServers) struct QueuedRowTests {
  @Test("calls that follow each other at once find what those before them did")
  func following() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "laptop")
    try await client.subscribe(.init("all", "Houses", keys: ["n"]))
    // The server has them in the order in which they are sent, most of them in one group.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<40 {
        group.addTask {
          let name = "h\(writer)"
          let first = try await client.save(.init("Houses", name, ["n": 1]))
          async let read = client.fetch([.init(name)])
          async let second = client.modify([.init("Houses", name, ["n": 2])], policy: .allKeys)
          let found = try await read[0].record?.fields
          #expect(found == ["n": 1] || found == ["n": 2])
          #expect(try await second[0].record?.changeTag != first.changeTag)
          if writer % 2 == 0 { _ = try await client.modify(delete: [.init(name)]) }
        }
      }
      try await group.waitForAll()
    }
    for writer in 0..<40 {
      let record = try await client.fetch([.init("h\(writer)")])[0].record
      #expect(record?.fields == (writer % 2 == 0 ? nil : ["n": 2]))
    }
    let phone = try await server.client(as: "ada", device: "phone")
    // Of the creation and the change of each.
    let notifications = try await phone.feed().notifications
    #expect(notifications.count == 80)
  }

  @Test("a row that cannot be inserted fails its call, and no other one", .embeddedOnly)
  func refused() async throws {
    var server = try await TestServer.start()
    try await server.client(as: "ada").save(.init("Houses", "first"))
    try await server.stop()
    do {
      let connection = try SQLiteConnection(path: server.folder.file("data/tidings.sqlite"))
      try connection.execute(
        """
        CREATE TRIGGER refusal BEFORE INSERT ON records WHEN NEW.name LIKE 'bad%'
          BEGIN SELECT RAISE(FAIL, 'made to fail'); END
        """
      )
    }
    server = try await server.restarted()
    let clients = try await [
      server.client(as: "ada", device: "laptop", retries: false),
      server.client(as: "bob", device: "laptop", retries: false),
      server.client(as: "eve", device: "laptop", retries: false),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<240 {
        group.addTask {
          let client = clients[number % 3]
          let isBad = number % 12 == 5
          let name = "\(isBad ? "bad" : "good")\(number)"
          let error = await failure {
            let results = try await client.modify([.init("Houses", name)])
            #expect(results[0].record != nil, "\(name): \(results[0])")
          }
          #expect((error != nil) == isBad, "\(name): \(String(describing: error))")
          let found = try await client.fetch([.init(name)])[0].record
          #expect((found == nil) == isBad, "\(name)")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await server.stop() == .code(0))
  }
}
