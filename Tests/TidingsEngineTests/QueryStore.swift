internal import EngineTestSupport
internal import TestSupport
internal import TidingsCodec
internal import TidingsModel

@testable internal import TidingsEngine

/// A store that is queried.
final class QueryStore: EngineHarness {
  static let user = "ada"
  let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: user
  )

  var now: Timestamp {
    get { Timestamp(millisecondsSince1970: time) }
    set { time = newValue.millisecondsSince1970 }
  }
  var steady: SteadyTime { SteadyTime(milliseconds: time) }

  func write<Value>(_ body: () throws -> Value) throws -> Value { try commit { _ in try body() } }

  func makeZone(_ name: String) throws {
    _ = try write {
      try engine.saveZone(
        ZoneID(zoneName: name),
        in: database,
        caller: Caller(user: "ada", device: "laptop")
      )
    }
  }

  func save(_ records: [Record], delete: [RecordID] = []) throws {
    _ = try write {
      let result = try engine.modifyRecords(
        RecordChanges(
          database: database,
          saves: records,
          deletions: delete,
          policy: .allKeys,
          isAtomic: false
        ),
        caller: Caller(user: Self.user, device: "")
      )
      for case .failed(_, let error, _) in result.outcomes { throw error }
    }
  }

  func declare(_ field: String, _ kind: IndexKind = .ordered, type: String = "T") throws {
    try write {
      try engine.schema.indexes.declare(
        container: database.container,
        environment: database.environment,
        recordType: type,
        field: field,
        kind: kind
      )
    }
  }

  func drop(_ field: String, _ kind: IndexKind = .ordered, type: String = "T") throws {
    try write {
      try engine.schema.indexes.drop(
        container: database.container,
        environment: database.environment,
        recordType: type,
        field: field,
        kind: kind
      )
    }
  }

  struct Page {
    var records: [Record] = []
    var answer = QueryAnswer()
  }

  func page(
    _ query: RecordQuery,
    cursor: [UInt8] = [],
    limit: Int = 0,
    user: String = user,
    from reader: EngineReader? = nil
  ) throws -> Page {
    let reader = reader ?? self.reader
    var page = Page()
    try reader.withSnapshot {
      let deliver: (UnsafeRawBufferPointer) throws -> Void = { [codec] in
        page.records.append(try codec.decodeRecord($0))
      }
      page.answer =
        cursor.isEmpty
        ? try reader.records(matching: query, for: user, limit: limit, at: steady, deliver)
        : try reader.records(after: cursor, for: user, limit: limit, at: steady, deliver)
    }
    return page
  }

  /// A page as a server answers it: begun on the loop if it is quick, then in slices of a row.
  func sliced(_ query: RecordQuery, limit: Int) throws -> (page: Page, isQuick: Bool) {
    var (page, work) = (Page(), QueryPage(of: query, limit: limit))
    var sliceCount = 0
    repeat {
      let answer = try reader.withSnapshot {
        try reader.advance(
          &work,
          for: Self.user,
          at: steady,
          until: { sliceCount > 0 },
          effort: sliceCount == 0 ? .brief : sliceCount == 1 ? .cheapRows : .any
        ) { page.records.append(try self.codec.decodeRecord($0)) }
      }
      if let answer {
        page.answer = answer
        return (page, sliceCount == 0)
      }
      sliceCount += 1
    } while true
  }

  /// All pages together.
  func all(_ query: RecordQuery, limit: () -> Int = { 0 }) throws -> [Record] {
    var (records, cursor) = ([] as [Record], [] as [UInt8])
    repeat {
      let page = try page(query, cursor: cursor, limit: limit())
      records += page.records
      cursor = page.answer.cursor
    } while !cursor.isEmpty
    return records
  }

  func query(
    _ predicate: String = "TRUEPREDICATE",
    sort: [RecordQuery.SortKey] = [],
    zone: String? = nil,
    type: String = "T"
  ) throws -> RecordQuery {
    RecordQuery(
      database: database,
      recordType: type,
      predicate: try Predicate(text: predicate),
      sortKeys: sort,
      zoneID: zone.map { ZoneID(zoneName: $0) }
    )
  }
}

func record(
  _ name: String,
  zone: String = "_defaultZone",
  type: String = "T",
  _ fields: RecordFields = [:]
) -> Record {
  Record(
    recordID: RecordID(recordName: name, zoneID: ZoneID(zoneName: zone)),
    recordType: type,
    fields: fields
  )
}
