internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct InterruptionTests {
  private struct Interrupted: Error {}

  @Test("a query that goes through many records can be ended; the reader answers the next one")
  func scan() throws {
    let harness = try ZoneStore()
    for batch in 0..<3 {
      try harness.modify(
        .default,
        saves: (0..<200).map {
          Record(
            recordID: RecordID(recordName: "r\(batch)-\($0)"),
            recordType: "Note",
            fields: RecordFields([])
          )
        }
      )
    }
    let query = RecordQuery(
      database: ZoneStore.database,
      recordType: "Note",
      predicate: try Predicate(text: "text = 'nowhere'")
    )
    func run() throws {
      _ = try harness.reader.records(
        matching: query,
        for: "ada",
        limit: 0,
        at: SteadyTime(milliseconds: harness.time)
      ) { _ in }
    }
    #expect(throws: Interrupted.self) {
      try harness.reader.withSnapshot(checking: { throw Interrupted() }, run)
    }
    try harness.reader.withSnapshot(run)
  }
}
