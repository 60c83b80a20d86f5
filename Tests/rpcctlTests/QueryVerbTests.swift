import CommandLineTools
import Testing
import TidingsProto
import TidingsProtobuf

@testable import rpcctl

@Suite struct QueryVerbTests {
  private static func record(_ number: Int) -> TidingsV1.Record {
    .init(
      recordID: .init(recordName: "h\(number)"),
      recordType: "T",
      fields: ["price": .init(value: .int64Value(Int64(number)))]
    )
  }

  /// Seven records, at most three in a page, and an empty page before the last.
  private static func server(_ call: ScriptedTransport.Call) -> [[UInt8]] {
    guard let request = try? TidingsV1.QueryRecordsRequest(decoding: call.request) else {
      return []
    }
    let start = Int(request.cursor.first ?? 0)
    if request.cursor.count == 1, start == 6 {
      return [TidingsV1.QueryRecordsResponse(cursor: [6, 6]).encoded()]
    }
    let count = min(3, request.limit == 0 ? 3 : Int(request.limit), 7 - start)
    let end = start + count
    return [
      TidingsV1.QueryRecordsResponse(
        records: (start..<end).map { record($0 + 1) },
        cursor: end == 7 ? [] : [UInt8(end)]
      ).encoded()
    ]
  }

  private static func requests(_ run: ProgramRun) throws -> [TidingsV1.QueryRecordsRequest] {
    try run.calls.map { try .init(decoding: $0.request) }
  }

  @Test("all options are in the request")
  func request() async throws {
    let run = await ProgramRun(
      "query",
      "Houses",
      "--where",
      "city = %@ AND price > %@",
      "--arg",
      "Berlin",
      "--arg",
      "5",
      "--sort",
      "year,-title, distance(place, 52.5,-13.4)",
      "--desired-keys",
      "a,b",
      "--zone",
      "z",
      "--limit",
      "2",
      answer: Self.server
    )
    let request = try #require(try Self.requests(run).first)
    #expect(request.recordType == "Houses" && request.limit == 2)
    #expect(request.predicate?.text == "city = %@ AND price > %@")
    #expect(
      request.predicate?.arguments
        == [.init(value: .stringValue("Berlin")), .init(value: .int64Value(5))]
    )
    #expect(
      request.sortDescriptors == [
        .init(fieldName: "year"), .init(fieldName: "title", descending: true),
        .init(
          fieldName: "place",
          relativeLocation: .init(latitude: 52.5, longitude: -13.4)
        ),
      ]
    )
    #expect(request.zoneID?.zoneName == "z" && request.desiredKeys == .init(keys: ["a", "b"]))
  }

  @Test("spaces are allowed around sort keys, not in them")
  func sortSpaces() async throws {
    let run = await ProgramRun("query", "T", "--sort", " a b , -c", answer: Self.server)
    #expect(
      try Self.requests(run).first?.sortDescriptors
        == [.init(fieldName: "a b"), .init(fieldName: "c", descending: true)]
    )
  }

  @Test("without --zone the default zone is queried, with --all-zones all zones")
  func zones() async throws {
    let one = await ProgramRun("query", "T", answer: Self.server)
    #expect(try Self.requests(one).first?.zoneID?.zoneName == "_defaultZone")
    let all = await ProgramRun("query", "T", "--all-zones", answer: Self.server)
    #expect(try Self.requests(all).first?.zoneID == nil)
  }

  @Test("a limit above the page size reads several pages and prints the cursor")
  func limit() async throws {
    let run = await ProgramRun("query", "T", "--limit", "4", answer: Self.server)
    #expect(run.out.split(separator: "\n").count == 4)
    #expect(try Self.requests(run).map(\.limit) == [4, 1])
    #expect(run.err == "more records: rpcctl query --cursor BA==\n")
    let rest = await ProgramRun("query", "--cursor", "BA==", "--all", answer: Self.server)
    #expect(rest.out.split(separator: "\n").count == 3 && rest.err.isEmpty)
    #expect(try Self.requests(rest).first?.recordType == "")
  }

  @Test("--all reads all pages, empty ones too")
  func all() async throws {
    let run = await ProgramRun("query", "T", "--all", answer: Self.server)
    #expect(run.out.split(separator: "\n").count == 7 && run.err.isEmpty)
    #expect(try Self.requests(run).count == 4)
  }

  @Test("a table has a column for each field, JSON one object with the cursor")
  func formats() async {
    let table = await ProgramRun("query", "T", "--limit", "2", format: .table, answer: Self.server)
    #expect(
      table.out == """
        RECORD  price
        h1      1
        h2      2

        """
    )
    let json = await ProgramRun("query", "T", "--limit", "1", "-o", "json", answer: Self.server)
    #expect(json.out.hasPrefix("{\n  \"records\": [\n") && json.err.isEmpty)
    #expect(json.out.hasSuffix("  \"cursor\": \"AQ==\"\n}\n"))
    let none = await ProgramRun("query", "T", format: .table) { _ in
      [TidingsV1.QueryRecordsResponse().encoded()]
    }
    #expect(none.out.isEmpty && none.err == "no records\n")
  }

  @Test("a new table starts when a page has other fields")
  func columns() {
    let out = Recorder()
    var printer = QueryPrinter(
      output: Output(format: .table, writeData: { out.append($0) }, writeMessage: { _ in }),
      keys: nil,
      showsZones: true
    )
    printer.print([Self.record(1)])
    printer.print([Self.record(1_000_000)])
    var other = Self.record(2)
    other.fields["title"] = .init(value: .stringValue("a\nb"))
    printer.print([other])
    #expect(
      out.text == """
        RECORD  ZONE          price
        h1      _defaultZone  1
        h1000000  _defaultZone  1000000

        RECORD  ZONE          price  title
        h2      _defaultZone  2      a\\nb

        """
    )
  }

  @Test(
    "invalid sort orders are rejected",
    arguments: [
      "", "a,,b", "-", "--a", "distance(a,1)", "distance(a,91,0)", "f(a,1,2)", "a)", "(a",
    ]
  )
  func wrongSort(text: String) {
    #expect(throws: UsageError.self) { try SortText.descriptors(text) }
  }

  @Test("explain prints the steps")
  func explain() async throws {
    let response = TidingsV1.ExplainQueryResponse(
      steps: ["index city = \"Berlin\"", "filter"],
      predicate: "city = \"Berlin\"",
      indexField: "city",
      sortedByIndex: true,
      entriesVisited: 3,
      recordsVisited: 2,
      recordsMatched: 1,
      advice: "declare it"
    )
    let run = await ProgramRun("explain", "T", "--sort=-a", format: .table) { _ in
      [response.encoded()]
    }
    #expect(
      run.out == """
        predicate: city = "Berlin"
        1. index city = "Berlin"
        2. filter
        served by: index of city, also for sorting
        visited: 3 index entries, 2 records; 1 matched
        advice: declare it

        """
    )
    let named = await ProgramRun("explain", "T", format: .table) { _ in
      [TidingsV1.ExplainQueryResponse(steps: ["look up recordName = \"a\""]).encoded()]
    }
    #expect(named.out.contains("\n1. look up recordName = \"a\"\nserved by: no index\n"))
    let request = try TidingsV1.ExplainQueryRequest(decoding: run.calls[0].request)
    #expect(request.query?.sortDescriptors == [.init(fieldName: "a", descending: true)])
  }
}
