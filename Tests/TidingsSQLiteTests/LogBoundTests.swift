internal import Foundation
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// The log has a bound, whatever readers do.
@Suite struct LogBoundTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("snapshots that overlap all the time do not let the log grow, and wait for nothing else")
  func overlappingSnapshots() throws {
    let path = folder.file("db")
    let thresholds = LogThresholds(bytesMax: 4_000_000)
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let checkpointer = Checkpointer(path: path, thresholds: thresholds)
    let isStopping = Mutex(false)
    let snapshots = Mutex(0)
    let done = DispatchGroup()
    for _ in 0..<3 {
      done.enter()
      Thread.detachNewThread {
        defer { done.leave() }
        do {
          let reader = try SQLiteConnection(path: path, readsOnly: true)
          let count = try reader.prepare("SELECT count(*) FROM t")
          while !isStopping.withLock(\.self) {
            checkpointer.gate.enter()
            defer { checkpointer.gate.leave() }
            try reader.execute("BEGIN")
            for _ in 0..<50 where !checkpointer.gate.mustEnd { try count.run() }
            try reader.execute("COMMIT")
            snapshots.withLock { $0 += 1 }
          }
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    let insert = try writer.prepare("INSERT INTO t (b) VALUES (zeroblob(20000))")
    var (longest, restarts) = (0, 0)
    defer { isStopping.withLock { $0 = true } }
    try blockUntil("the log to be restarted four times", pausing: .zero) {
      if checkpointer.isLogFull {
        _ = checkpointer.waitForRestart(of: writer, atMost: .seconds(60))
      }
      let before = writer.logFrames
      try insert.run()
      if writer.logFrames < before { restarts += 1 }
      longest = max(longest, writer.logFrames)
      checkpointer.logGrew(to: writer.logFrames)
      checkpointer.restartLog(on: writer)
      return restarts >= 4
    }
    #expect(longest < thresholds.writesWait + 20)
    #expect(snapshots.withLock(\.self) > 0)
    isStopping.withLock { $0 = true }
    done.wait()
    checkpointer.stop()
  }

  @Test("a log that another connection is moving is not taken for one that is moved")
  func movedByAnother() throws {
    let path = folder.file("db")
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
    try writer.execute("BEGIN IMMEDIATE")
    let done = DispatchGroup()
    done.enter()
    Thread.detachNewThread {
      defer { done.leave() }
      do {
        // It waits for the writer, and has the lock of those who move the log meanwhile.
        let mover = try SQLiteConnection(path: path)
        try mover.execute("PRAGMA busy_timeout = 60000")
        let move = try mover.prepare("PRAGMA wal_checkpoint(FULL)")
        try blockUntil("the log to be moved", pausing: .zero) {
          defer { move.reset() }
          return try move.step() && move.int64(0) == 0
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    let third = try SQLiteConnection(path: path)
    var refusal: SQLError?
    try blockUntil("a refusal, because another connection moves the log", pausing: .zero) {
      do throws(SQLError) { try third.moveWholeLog() } catch { refusal = error }
      return refusal != nil
    }
    #expect(refusal?.kind == .busy)
    try writer.execute("COMMIT")
    done.wait()
    try third.moveWholeLog()
  }

  @Test("a snapshot that is open for long does not keep others waiting for the log's restart")
  func longSnapshot() throws {
    let path = folder.file("db")
    let thresholds = LogThresholds(bytesMax: 4_000_000)
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let moved = DispatchSemaphore(value: 0)
    let checkpointer = Checkpointer(
      path: path,
      thresholds: thresholds,
      snapshotPatience: .seconds(600),
      writerPatience: .seconds(600),
      report: { _ in moved.signal() }
    )
    defer { checkpointer.stop() }
    let gate = checkpointer.gate
    gate.enter()
    let insert = try writer.prepare("INSERT INTO t (b) VALUES (zeroblob(20000))")
    while writer.logFrames < thresholds.snapshotsWait { try insert.run() }
    checkpointer.logGrew(to: writer.logFrames)
    // From now on the log is to be restarted.
    try #require(moved.wait(timeout: .now() + 300) == .success, "the log was not moved")
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for _ in 0..<200 {
        gate.enter()
        gate.leave()
        // A pause, so that the checkpointer has looked between the first and the last of them.
        usleep(2_000)
      }
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    gate.leave()
    // Without snapshots it is restarted.
    try blockUntil("the restart of the log to be due") { checkpointer.isRestartDue }
    checkpointer.restartLog(on: writer)
    try insert.run()
    #expect(writer.logFrames < thresholds.snapshotsWait)
  }

  @Test("the thread for which the checkpointer waits does not wait for it")
  func writerReads() throws {
    let path = folder.file("db")
    let thresholds = LogThresholds(bytesMax: 4_000_000)
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let checkpointer = Checkpointer(
      path: path,
      thresholds: thresholds,
      writerPatience: .seconds(600)
    )
    defer { checkpointer.stop() }
    let gate = checkpointer.gate
    #expect(gate.enterIfOpen())
    gate.leave()
    let insert = try writer.prepare("INSERT INTO t (b) VALUES (zeroblob(20000))")
    while writer.logFrames < thresholds.snapshotsWait { try insert.run() }
    checkpointer.logGrew(to: writer.logFrames)
    try blockUntil("the restart of the log to be due") { checkpointer.isRestartDue }
    #expect(!gate.enterIfOpen())
    checkpointer.restartLog(on: writer)
    // Opens when the checkpointer has seen it.
    gate.enter()
    gate.leave()
  }

  @Test(
    "a transaction that takes long keeps no snapshot waiting, and the log is restarted after it"
  )
  func longTransaction() throws {
    let path = folder.file("db")
    let thresholds = LogThresholds(bytesMax: 4_000_000)
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let woken = DispatchSemaphore(value: 0)
    let checkpointer = Checkpointer(
      path: path,
      thresholds: thresholds,
      writerPatience: .seconds(600),
      wakeWriter: { woken.signal() }
    )
    defer { checkpointer.stop() }
    let insert = try writer.prepare("INSERT INTO t (b) VALUES (zeroblob(20000))")
    while writer.logFrames < thresholds.snapshotsWait { try insert.run() }
    // It appends to the log: if the log had been moved before, its first row would restart it.
    try writer.execute("BEGIN IMMEDIATE")
    try insert.run()
    checkpointer.logGrew(to: writer.logFrames)
    for _ in 0..<2 {
      #expect(woken.wait(timeout: .now() + 60) == .success)
      #expect(!checkpointer.gate.enterIfOpen())
      checkpointer.postponeRestart()
      checkpointer.gate.enter()
      checkpointer.gate.leave()
    }
    try writer.execute("COMMIT")
    checkpointer.logGrew(to: writer.logFrames)
    try blockUntil("the restart of the log to be due") { checkpointer.isRestartDue }
    checkpointer.restartLog(on: writer)
    try insert.run()
    #expect(writer.logFrames < thresholds.snapshotsWait)
  }

  @Test("a log that is restarted keeps its file up to the size that was set")
  func keepsFile() throws {
    let writer = try SQLiteConnection(path: folder.file("db"))
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    func bytesAfterRestart() throws -> Int {
      try writer.execute("INSERT INTO t (b) VALUES (zeroblob(70 << 20)); DELETE FROM t")
      try writer.moveWholeLog()
      try writer.execute("INSERT INTO t (b) VALUES (NULL)")
      return try FileManager.default.attributesOfItem(atPath: folder.file("db-wal"))[.size] as? Int
        ?? 0
    }
    #expect(try bytesAfterRestart() <= 64 << 20)
    try writer.keepLog(bytesMax: 300 << 20)
    #expect(try bytesAfterRestart() > 70 << 20)
    try writer.keepLog(bytesMax: 1 << 20)
    #expect(try bytesAfterRestart() <= 1 << 20)
  }

  @Test("a log that cannot be moved is counted, reported, and full at its bound")
  func failures() throws {
    let path = folder.file("db")
    let thresholds = LogThresholds(bytesMax: 200_000)
    let writer = try SQLiteConnection(path: path)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let reported = Observed(0)
    let checkpointer = Checkpointer(
      path: path,
      thresholds: thresholds,
      report: { outcome in
        if case .failed = outcome { reported.update { $0 += 1 } }
      }
    )
    defer { checkpointer.stop() }
    // A frame that differs cannot be moved.
    try writer.execute("INSERT INTO t (b) VALUES (zeroblob(9000))")
    let log = try #require(FileHandle(forUpdatingAtPath: path + "-wal"))
    for frame in 0..<writer.logFrames {
      try log.seek(toOffset: UInt64(32 + frame * LogThresholds.frameBytes + 24 + 2_000))
      try log.write(contentsOf: [0xff])
    }
    try blockUntil("the log to be full", pausing: .zero) {
      guard !checkpointer.isLogFull else { return true }
      try writer.execute("INSERT INTO t (b) VALUES (zeroblob(9000))")
      checkpointer.logGrew(to: writer.logFrames)
      return false
    }
    #expect(writer.logFrames < thresholds.writesWait + 20)
    #expect(!checkpointer.waitForRestart(of: writer, atMost: .milliseconds(10)))
    try blockUntil("a failure to move the log to be reported", pausing: .zero) {
      guard reported.value == 0 else { return true }
      _ = checkpointer.waitForRestart(of: writer, atMost: .milliseconds(10))
      return false
    }
    #expect(checkpointer.failureCount > 0)
  }
}
