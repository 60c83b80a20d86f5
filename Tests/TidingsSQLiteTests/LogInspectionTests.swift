internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQLite

/// What is read of a log agrees with SQLite, which wrote it.
@Suite struct LogInspectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func inspect(_ bytes: [UInt8]) -> LogInspection {
    LogInspection(fileBytes: UInt64(bytes.count)) { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
  }

  private func inspect() throws -> LogInspection { inspect(try folder.read("db-wal")) }

  private func makeConnection() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: folder.file("db"))
    try connection.execute("CREATE TABLE IF NOT EXISTS t (n, b)")
    return connection
  }

  private func insert(_ connection: SQLiteConnection, bytes: Int = 100) throws {
    try connection.execute("INSERT INTO t VALUES (1, randomblob(\(bytes)))")
  }

  @Test("the frames of each commit are counted as SQLite does")
  func commits() throws {
    let connection = try makeConnection()
    for index in 0..<20 {
      try insert(connection, bytes: 1000 * index)
      let seen = try inspect()
      #expect(Int(seen.committedFrames) == connection.logFrames && seen.header?.pageBytes == 4096)
      #expect(seen.validFrames == seen.committedFrames && seen.hasFirstPage)
    }
  }

  @Test("a log that is begun again follows the one before it, and no other")
  func restarts() throws {
    let connection = try makeConnection()
    var logs: [LogID] = []
    for _ in 0..<4 {
      try insert(connection)
      logs.append(try #require(try inspect().position?.log))
      let (frames, moved) = try connection.checkpoint()
      #expect(frames == moved && frames > 0)
    }
    for (index, log) in logs.enumerated() {
      for (other, earlier) in logs.enumerated() {
        #expect(log.follows(earlier) == (index > other))
      }
    }
    var foreign = logs[1]
    foreign.salt1 &+= 1
    #expect(!foreign.follows(logs[0]))
    // An overwritten log is longer than what it holds now.
    let seen = try inspect()
    #expect(Int(seen.committedFrames) == connection.logFrames && !seen.hasFirstPage)
  }

  @Test("a cut log ends with its last whole commit")
  func cuts() throws {
    let connection = try makeConnection()
    var ends: [Int] = []
    for _ in 0..<5 {
      try insert(connection, bytes: 10_000)
      ends.append(connection.logFrames)
    }
    let bytes = try folder.read("db-wal")
    for frames in 0...ends[4] {
      for extra in [0, 1, 23, 4096] where frames < ends[4] || extra == 0 {
        let seen = inspect(Array(bytes.prefix(32 + frames * 4120 + extra)))
        // The table was created by the first commit.
        #expect(Int(seen.validFrames) == frames)
        #expect(ends.allSatisfy { $0 > frames || Int(seen.committedFrames) >= $0 })
        #expect(Int(seen.committedFrames) <= frames)
      }
    }
    for length in 0..<32 { #expect(inspect(Array(bytes.prefix(length))).header == nil) }
  }

  @Test("one wrong bit ends the log before its frame, or with its header")
  func flips() throws {
    let seed = Seed.make("logFlips")
    var random = SplitMix64(seed: seed)
    let connection = try makeConnection()
    for _ in 0..<10 { try insert(connection, bytes: 3000) }
    let bytes = try folder.read("db-wal")
    for _ in 0..<200 {
      var damaged = bytes
      let location = random.below(random.oneIn(4) ? 32 : bytes.count)
      damaged[location] ^= 1 << UInt8(random.below(8))
      let seen = inspect(damaged)
      if location < 32 {
        #expect(seen.header == nil, "seed \(seed), byte \(location)")
      } else {
        #expect(Int(seen.validFrames) == (location - 32) / 4120, "seed \(seed), byte \(location)")
      }
    }
  }
}
