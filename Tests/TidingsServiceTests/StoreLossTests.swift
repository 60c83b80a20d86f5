internal import TestSupport
internal import Testing
internal import TidingsSQLite

@testable internal import TidingsService

/// What the files and the database's own label show to be lost.
@Suite struct StoreLossTests {
  private let folder: TemporaryFolder
  private let connection: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    connection = try SQLiteConnection(path: folder.file("db"))
    try connection.execute("CREATE TABLE t (n)")
  }

  private func log() throws -> LogInspection {
    let bytes = try folder.read("db-wal")
    return LogInspection(fileBytes: UInt64(bytes.count)) { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
  }

  private func commit() throws { try connection.execute("INSERT INTO t VALUES (1)") }

  private func files(_ state: StoreState?, _ log: LogInspection?) -> StoreFiles {
    StoreFiles(
      databaseBytes: 4096,
      firstPageVersion: 3,
      log: log,
      hasStateFile: state != nil,
      state: state
    )
  }

  private func state(_ log: LogInspection, stopped: Bool = false) -> StoreState {
    StoreState(
      incarnation: [1, 2, 3, 4, 5, 6, 7, 8],
      run: 5,
      isStopped: stopped,
      position: log.position,
      firstPageVersion: 3
    )
  }

  @Test("a state that is some commits behind its log is no loss, one that is ahead is")
  func lag() throws {
    var logs: [LogInspection] = []
    for index in 0..<8 {
      try commit()
      logs.append(try log())
      // The log is begun again between them.
      if index == 3 { _ = try connection.checkpoint() }
    }
    for (index, noted) in logs.enumerated() {
      for (other, found) in logs.enumerated() {
        let loss = StoreLoss(files(state(noted), found))
        #expect((loss == nil) == (other >= index), "noted \(index), found \(other): \(loss as Any)")
      }
    }
  }

  @Test("a log that is gone is a loss, unless the run was ended cleanly")
  func missing() throws {
    try commit()
    let log = try log()
    #expect(StoreLoss(files(state(log), nil)) == .log(frames: log.committedFrames))
    #expect(StoreLoss(files(state(log, stopped: true), nil)) == nil)
    #expect(StoreLoss(files(nil, nil)) == nil)
    #expect(StoreLoss(files(nil, log)) == nil)
  }

  @Test("the log of another database is refused, unless the run was ended cleanly")
  func foreign() throws {
    try commit()
    let other = try SQLiteConnection(path: folder.file("other"))
    try other.execute("CREATE TABLE t (n)")
    let bytes = try folder.read("other-wal")
    let foreign = LogInspection(fileBytes: UInt64(bytes.count)) { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    #expect(StoreLoss(files(state(try log()), foreign)) == .otherLog)
    // Another program may have changed the database meanwhile.
    #expect(StoreLoss(files(state(try log(), stopped: true), foreign)) == nil)
  }

  @Test("an older database file under a newer log is noticed by the first page")
  func olderFile() throws {
    try commit()
    _ = try connection.checkpoint()
    try commit()
    let found = try log()
    #expect(!found.hasFirstPage)
    var older = files(state(found), found)
    older.firstPageVersion = 2
    #expect(StoreLoss(older) == .olderDatabaseFile)
  }

  @Test("an earlier run is an older copy, a later one a crash before it was noted")
  func runs() throws {
    try commit()
    let noted = state(try log())
    func loss(_ run: Int64, _ incarnation: [UInt8]) -> StoreLoss? {
      StoreLoss(files(noted, nil), label: (incarnation, run))
    }
    #expect(loss(4, noted.incarnation) == .olderDatabase(run: 4, expected: 5))
    #expect(loss(5, noted.incarnation) == nil && loss(6, noted.incarnation) == nil)
    let other: [UInt8] = [9, 9, 9, 9, 9, 9, 9, 9]
    #expect(loss(5, other) == .otherStore(incarnation: other, expected: noted.incarnation))
  }
}
