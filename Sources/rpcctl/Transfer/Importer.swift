internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Saves the records of a file in batches, several of which are in flight at a time.
///
/// One task reads and encodes; calls are tasks of their own. Memory does not grow with the file: it is
/// bounded by the batches in flight and by `pendingBytesMax`.
struct Importer {
  /// Largest batch, in bytes.
  static let batchBytesMax = 4 << 20
  /// Most bytes of records that wait for the targets of their references.
  static let pendingBytesMax = 64 << 20
  /// Most retries of such records.
  static let roundsMax = 100
  private static let progressInterval = Duration.seconds(1)

  private let sender: BatchSender
  private let zones: ZoneCreation
  private let report: ImportReport
  private let batchesMax: Int
  private let size: Int?
  /// The file of the state; `nil`: none.
  private let progressPath: String?

  private var batches: BatchReader
  private var tally: ImportTally
  private var pending = PendingRecords()
  private var progressAt = ContinuousClock.now
  /// A batch was read: from now on there is a state to resume from.
  private var hasBegun = false

  init(
    sender: BatchSender,
    zones: ZoneCreation,
    report: ImportReport,
    batchesMax: Int,
    size: Int?,
    progressPath: String?,
    batches: BatchReader,
    progress: ImportProgress
  ) {
    self.sender = sender
    self.zones = zones
    self.report = report
    self.batchesMax = batchesMax
    self.size = size
    self.progressPath = progressPath
    self.batches = batches
    tally = ImportTally(progress)
  }

  /// Imports the file.
  ///
  /// - Returns: Whether all lines were imported.
  /// - Throws: The error that stopped it; the state is saved then.
  mutating func run() async throws -> Bool {
    do {
      try await sendAll()
      try await sendPending()
    } catch {
      report.endProgress()
      guard Task.isCancelled else {
        if hasBegun { try? keepProgress() }
        throw error
      }
      if hasBegun { try keepProgress() }
      throw interrupted
    }
    if let progressPath { AtomicFile.remove(progressPath) }
    batches.warnIfIncomplete()
    report.finish(
      saved: tally.savedCount,
      deleted: tally.deletedCount,
      failed: tally.failedCount,
      count: tally.countOfThisRun
    )
    return tally.failedCount == 0
  }

  private mutating func sendAll() async throws {
    let sender = sender
    let runID = tally.progress.runID
    try await withThrowingTaskGroup(of: ImportOutcome.self) { group in
      var inFlight: [Int: Set<UInt64>] = [:]
      while let batch = try batches.next() {
        try Task.checkCancellation()
        if !hasBegun {
          hasBegun = true
          // The keys of the calls must be on disk before the first call.
          try keepProgress()
        }
        if !batch.newZoneNames.isEmpty { try await zones.create(batch.newZoneNames, report) }
        if batch.count == 0 {
          try take(ImportOutcome(batch: batch, failures: []))
          continue
        }
        // Two saves of one record keep the order of the file.
        while inFlight.count >= batchesMax
          || inFlight.values.contains(where: { !$0.isDisjoint(with: batch.names) })
          || pending.bytesCount > Self.pendingBytesMax && !inFlight.isEmpty
        {
          guard let outcome = try await group.next() else { break }
          inFlight[outcome.batch.number] = nil
          try take(outcome)
        }
        if pending.bytesCount > Self.pendingBytesMax { try await sendPending() }
        inFlight[batch.number] = batch.names
        group.addTask { try await sender.send(batch, key: "\(runID)-\(batch.number)") }
      }
      for try await outcome in group { try take(outcome) }
    }
  }

  private mutating func take(_ outcome: ImportOutcome) throws {
    let batch = outcome.batch
    let isWaiting = outcome.failures.contains { $0.reason.isMissingTarget }
    let failed = outcome.failures.filter { !$0.reason.isMissingTarget }
    for failure in failed { try report.fail(line: failure.line, failure.reason) }
    pending.forget(outcome)
    for failure in outcome.failures where failure.reason.isMissingTarget { pending.add(failure) }
    tally.finish(
      batch,
      done: outcome.doneCount,
      failed: failed.count + batch.failedLineCount,
      isWaiting: isWaiting
    )
    report.progress(
      saved: tally.savedCount,
      offset: batch.endOffset,
      size: size
    )
    let now = ContinuousClock.now
    if now - progressAt >= Self.progressInterval {
      progressAt = now
      try keepProgress()
    }
  }

  /// Retries records whose targets were missing, as long as some succeed.
  ///
  /// No other batch may be in flight. A record that references a later line is often itself referenced
  /// by an earlier one, so every other round goes backwards.
  private mutating func sendPending() async throws {
    var round = 0
    while !pending.isEmpty, round < Self.roundsMax {
      round += 1
      let waiting = pending.takeAll(backwards: round % 2 == 1)
      var savedCount = 0
      for batch in BatchReader.batches(of: waiting, countMax: batches.countMax) {
        let key = "\(tally.progress.runID)-r\(round)-\(batch.contentHash)"
        let outcome = try await sender.send(batch, key: key)
        for failure in outcome.failures {
          if failure.reason.isMissingTarget {
            pending.add(failure)
          } else {
            tally.fail()
            try report.fail(line: failure.line, failure.reason)
          }
        }
        tally.save(outcome.doneCount)
        savedCount += outcome.doneCount
      }
      if savedCount == 0 { break }
    }
    for failure in pending.takeAll(backwards: false) {
      tally.fail()
      try report.fail(line: failure.line, failure.reason)
    }
    tally.settle()
  }

  private var interrupted: Interrupted {
    let records = counted(tally.savedCount, "record")
    guard hasBegun else { return Interrupted("interrupted before any call") }
    guard progressPath != nil else {
      return Interrupted("interrupted: \(records) saved, and those in flight may be saved, too")
    }
    let line = tally.progress.lineCount
    return Interrupted(
      "interrupted: \(records) saved, complete up to line \(line); continue with --resume"
    )
  }

  private func keepProgress() throws {
    guard let progressPath else { return }
    try AtomicFile.write(tally.progress.text, to: progressPath)
  }
}
