internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Who may do what, as a table: scope and type, operation, caller.
///
/// The records are ann's; eve has the role `editor`; `none` has no account.
@Suite(.endsServers) struct AuthorizationTests {
  private static let schema = """
    DEFINE SCHEMA
        CREATE ROLE editor;
        RECORD TYPE Open ( n INT64,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator" );
        RECORD TYPE Team ( n INT64, GRANT CREATE TO "_icloud", GRANT READ TO "_creator",
            GRANT READ, WRITE TO "editor" );
        RECORD TYPE Own ( n INT64,
            GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator" );
        RECORD TYPE Wiki ( n INT64,
            GRANT READ TO "_world", GRANT CREATE, WRITE TO "_icloud" );
        RECORD TYPE Desk ( n INT64,
            GRANT READ TO "_icloud", GRANT CREATE, WRITE TO "editor" );
        RECORD TYPE Box ( n INT64,
            GRANT READ, WRITE TO "editor", GRANT CREATE TO "_icloud" );
        RECORD TYPE Closed ( n INT64 );
    """

  /// - `yes`: done, or shown.
  /// - `no`: permissionFailure.
  /// - `login`: notAuthenticated.
  /// - `-`: as if the record was not there.
  ///
  /// The columns: fetch, query, feed, subscribe, create, change, delete.
  private static let table = """
    public  Open    none  yes   yes   yes  login login login login
    public  Open    ann   yes   yes   yes  yes   yes   yes   yes
    public  Open    bob   yes   yes   yes  yes   yes   no    no
    public  Open    eve   yes   yes   yes  yes   yes   no    no
    public  Team    none  -     login -    login login login login
    public  Team    ann   yes   yes   yes  yes   yes   no    no
    public  Team    bob   -     -     -    yes   yes   no    -
    public  Team    eve   yes   yes   yes  yes   yes   yes   yes
    public  Own     none  -     login -    login login login login
    public  Own     ann   yes   yes   yes  yes   yes   yes   yes
    public  Own     bob   -     -     -    yes   yes   no    -
    public  Own     eve   -     -     -    yes   yes   no    -
    public  Wiki    none  yes   yes   yes  login login login login
    public  Wiki    ann   yes   yes   yes  yes   yes   yes   yes
    public  Wiki    bob   yes   yes   yes  yes   yes   yes   yes
    public  Wiki    eve   yes   yes   yes  yes   yes   yes   yes
    public  Desk    none  -     login -    login login login login
    public  Desk    ann   yes   yes   yes  yes   no    no    no
    public  Desk    bob   yes   yes   yes  yes   no    no    no
    public  Desk    eve   yes   yes   yes  yes   yes   yes   yes
    public  Box     none  -     login -    login login login login
    public  Box     ann   -     no    -    no    yes   no    -
    public  Box     bob   -     no    -    no    yes   no    -
    public  Box     eve   yes   yes   yes  yes   yes   yes   yes
    public  Closed  none  -     login -    login login login login
    public  Closed  ann   -     no    -    no    no    no    -
    public  Closed  bob   -     no    -    no    no    no    -
    public  Closed  eve   -     no    -    no    no    no    -
    private Closed  none  login login login login login login login
    private Closed  ann   yes   yes   yes  yes   yes   yes   yes
    private Closed  bob   -     -     -    yes   yes   yes   -
    """

  private static let operations = [
    "fetch", "query", "feed", "subscribe", "create", "change", "delete",
  ]

  /// One row: who calls, on which record of ann's.
  private struct Fixture {
    let database: TidingsV1.DatabaseID
    let type: String
    let record: String
    let client: Client

    func outcome(of operation: String) async throws -> String {
      do {
        return try await attempt(operation)
      } catch let error as RPCError {
        switch error.code {
        case .unauthenticated: return "login"
        case .permissionDenied: return "no"
        default: return "\(error)"
        }
      }
    }

    private func attempt(_ operation: String) async throws -> String {
      switch operation {
      case "fetch":
        let answer = try await client.records.fetchRecords(
          .init(databaseID: database, recordIDs: [.init(record)])
        )
        return text(answer.results[0].error)
      case "query":
        let answer = try await client.records.queryRecords(
          .init(databaseID: database, recordType: type)
        )
        return answer.records.contains { $0.recordID?.recordName == record } ? "yes" : "-"
      case "feed":
        let answer = try await client.records.fetchRecordZoneChanges(
          .init(databaseID: database, zones: [.init()])
        )
        let records = answer.zones[0].changedRecords
        return records.contains { $0.recordID?.recordName == record } ? "yes" : "-"
      case "subscribe":
        let answer = try await client.subscriptions.modifySubscriptions(
          .init(databaseID: database, subscriptionsToSave: [.init("s-\(type)", type)])
        )
        return text(answer.results[0].error)
      case "create": return try await save(.init(type, record + "-new", ["n": 1]))
      case "change": return try await save(.init(type, record, ["n": 2]))
      default:
        let answer = try await client.modify(delete: [.init(record)], in: database)
        return text(answer[0].error)
      }
    }

    private func save(_ record: TidingsV1.Record) async throws -> String {
      text(try await client.modify([record], in: database)[0].error)
    }

    private func text(_ error: TidingsV1.ItemError?) -> String {
      switch error?.code {
      case nil: "yes"
      case .permissionFailure: "no"
      case .unknownItem: "-"
      case .notAuthenticated: "login"
      default: "\(error?.message ?? "")"
      }
    }
  }

  @Test("the table holds in a real server")
  func table() async throws {
    let server = try await TestServer.start()
    let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    var clients: [String: Client] = [:]
    for user in ["none", "ann", "bob", "eve"] {
      clients[user] = try await server.client(as: user == "none" ? "" : user)
    }
    guard let ann = clients["ann"] else { return }
    let admin = TidingsV1.AdminService.Client(ann.transport)
    _ = try await admin.createUser(.init(name: "eve", roles: ["t/editor"]))
    func database(_ scope: String) -> TidingsV1.DatabaseID {
      .init(container: "t", scope: scope == "public" ? .public : .private)
    }
    // Before the grants are what they will be.
    for row in rows {
      let record = TidingsV1.Record(row[1], row[0...2].joined(separator: "-"), ["n": 0])
      let result = try await ann.modify([record], in: database(row[0]))
      #expect(result[0].error == nil)
    }
    _ = try await ann.schemas.applySchema(.init(container: "t", text: Self.schema))

    for row in rows {
      guard let client = clients[row[2]] else { continue }
      let fixture = Fixture(
        database: database(row[0]),
        type: row[1],
        record: row[0...2].joined(separator: "-"),
        client: client
      )
      for (operation, expected) in zip(Self.operations, row[3...]) {
        var outcome = try await fixture.outcome(of: operation)
        // Whoever cannot see a record learns nothing from its deletion, and does nothing to it.
        if operation == "delete", outcome == "yes" {
          let owner = expected == "-" ? clients[row[1] == "Box" ? "eve" : "ann"] : nil
          if let owner, row[1] != "Closed" || row[0] == "private" {
            let left = try await owner.records.fetchRecords(
              .init(databaseID: fixture.database, recordIDs: [.init(fixture.record)])
            )
            #expect(left.results[0].record != nil, "\(row) deletes what is not there")
          }
          if expected == "-" { outcome = "-" }
        }
        #expect(outcome == expected, "\(row[0...2].joined(separator: " ")) \(operation)")
      }
    }
    // What a refusal says: which right on which type, and who can grant it.
    let refused = try await ann.modify([.init("Desk", "d", [:])], in: database("public"))[0].error
    for words in ["CREATE", "'Desk'", "rpcctl schema apply", "rpcctl users roles"] {
      #expect(refused?.message.contains(words) == true, "\(refused?.message ?? "")")
    }
    for client in clients.values { await client.close() }
    try await server.stop()
  }
}
