internal import Testing
internal import TidingsSQL

@testable internal import TidingsPostgres

@Suite struct ValueFormatTests {
  private func read<Value>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    bytes.withUnsafeBytes { body($0) }
  }

  private func words(_ words: Int...) -> [UInt8] {
    words.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

  @Test("decimal numbers as PostgreSQL sends them")
  func numeric() throws {
    // Digits, weight, sign, decimals, then the digits to the base 10,000.
    for (bytes, number, text) in [
      (words(0, 0, 0, 0), 0, "0"),
      (words(1, 0, 0, 0, 7), 7, "7"),
      (words(2, 1, 0x4000, 0, 3, 45), -30_045, "-30045"),
      (words(1, 1, 0, 0, 2), 20_000, "20000"),
      (words(2, 0, 0, 2, 12, 3_400), 12, "12.34"),
      (words(1, -1, 0, 4, 5), 0, "0.0005"),
      (words(5, 4, 0, 0, 9_999, 0, 0, 0, 0), Int64.max, "99990000000000000000"),
    ] as [([UInt8], Int64, String)] {
      let value = try #require(read(bytes) { Numeric($0) })
      #expect(value.int64 == number && value.description == text)
    }
    for bytes in [words(0, 0, 0xc000, 0), words(1, 0, 0, 0), [1, 2], []] {
      #expect(read(bytes) { Numeric($0) } == nil)
    }
  }

  @Test("numbers of all widths, truth, and what is read as another type")
  func columns() {
    #expect(read([0xff, 0xfe]) { ColumnType.integer.int64($0) } == -2)
    #expect(read([0, 0, 1, 0]) { ColumnType.integer.int64($0) } == 256)
    #expect(
      read([0x7f] + Array(repeating: 0xff, count: 7)) { ColumnType.integer.int64($0) } == 1 << 61
    )
    #expect(
      read([1]) { ColumnType.boolean.int64($0) } == 1
        && read([0]) { ColumnType.boolean.string($0) } == "0"
    )
    #expect(read([0x3f, 0xc0, 0, 0]) { ColumnType.float4.string($0) } == "1.5")
    #expect(read([0x7f, 0xf8, 0, 0, 0, 0, 0, 0]) { ColumnType.float8.int64($0) } == 0)
    #expect(read(Array("-12".utf8)) { ColumnType.text.int64($0) } == -12)
    #expect(read(Array("no".utf8)) { ColumnType.text.int64($0) } == 0)
    #expect(read([]) { ColumnType.integer.int64($0) } == 0)
    #expect(ColumnType(oid: 1_560) == nil && ColumnType(oid: 1_184) == nil)
  }

  @Test("parameters keep their types when they are null, so that a statement is prepared once")
  func signatures() {
    var parameters = Parameters([1, 3])
    #expect(parameters.signature == [nil, .integer, nil])
    parameters.bind("a", at: 1)
    parameters.bind([1] as [UInt8], at: 3)
    let signature = parameters.signature
    parameters.bindNull(of: nil, at: 1)
    parameters.bindNull(of: .bytes, at: 3)
    #expect(parameters.signature == signature)
    parameters.bind(1 as Int64, at: 1)
    #expect(parameters.signature == [.integer, .integer, .bytes])
    var bytes: [UInt8] = []
    let ranges = parameters.encoded(into: &bytes)
    #expect(ranges == [0..<8, nil, nil] && bytes == [0, 0, 0, 0, 0, 0, 0, 1, 0])
  }

  @Test(
    "an error's SQLSTATE decides what a caller can do",
    arguments: [
      ("40001", .conflict), ("40P01", .conflict), ("40003", .uncertain), ("57P01", .disconnected),
      ("57P03", .disconnected), ("25P03", .disconnected), ("08006", .disconnected),
      ("08007", .uncertain),
      ("53100", .storage), ("53300", .disconnected), ("58030", .storage), ("57014", .interrupted),
      ("28P01", .denied), ("42501", .denied), ("23505", .statement), ("42601", .statement),
      ("22021", .statement), ("XX001", .damaged), ("", .statement),
    ] as [(String, SQLError.Kind)]
  )
  func states(state: String, kind: SQLError.Kind) {
    let error = SQLError(state: state, "words")
    #expect(error.kind == kind && error.state == state && error.message == "words")
  }

  @Test("pauses double up to a maximum, differ, and end with success")
  func pauses() {
    let start = ContinuousClock.now
    var schedule = ReconnectSchedule()
    #expect(schedule.wait(at: start) == nil)
    var pauses: [Duration] = []
    for _ in 0..<9 {
      schedule.failed(at: start, share: 1)
      pauses.append(schedule.wait(at: start) ?? .zero)
    }
    #expect(pauses.prefix(3) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
    #expect(pauses.last == ReconnectSchedule.longestPause)
    #expect(schedule.wait(at: start.advanced(by: .seconds(5))) == nil)
    schedule.failed(at: start, share: 0)
    #expect(schedule.wait(at: start) == .seconds(4))
    schedule.succeeded()
    #expect(schedule.wait(at: start) == nil)
  }

  @Test("each fact that rpcd depends on has its sentence")
  func facts() {
    var fit = PostgresFacts()
    fit.version = 150_004
    fit.encoding = "UTF8"
    fit.schema = "public"
    #expect(fit.problems.isEmpty)
    let changes: [(inout PostgresFacts) -> Void] = [
      { $0.version = 120_009 }, { $0.encoding = "SQL_ASCII" }, { $0.isDurable = false },
      { $0.isCrashSafe = false }, { $0.commitsWait = false }, { $0.isStandby = true },
      { $0.schema = "" },
      { $0.canCreate = false }, { $0.deniedTable = "records" },
      { $0.unorderedColumn = "records.name" },
    ]
    for change in changes {
      var facts = fit
      change(&facts)
      #expect(facts.problems.count == 1)
    }
  }
}
