/// Counts the results of records, and tracks up to where the file is complete.
struct ImportTally {
  private struct Done {
    let endOffset: Int
    let endLine: Int
    let saved: Int
    let failed: Int
    let isWaiting: Bool
  }

  /// The position to resume from.
  private(set) var progress: ImportProgress
  private(set) var savedCount: Int
  private(set) var deletedCount = 0
  private(set) var failedCount: Int
  /// Records of this run, saved or not.
  private(set) var countOfThisRun = 0

  /// Batches that completed before an earlier one.
  private var ahead: [Int: Done] = [:]
  /// A batch has records to retry: the file is complete up to it.
  private var isBlocked = false
  private var last: Done?
  private var lastNumber: Int

  init(_ progress: ImportProgress) {
    self.progress = progress
    savedCount = progress.savedCount
    failedCount = progress.failedCount
    lastNumber = progress.batchNumber - 1
  }

  /// Records the completion of a batch.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - done: The number of its records that were saved or deleted.
  ///   - failed: The number of its lines that failed permanently.
  ///   - isWaiting: Some of its records will be retried: neither failed nor saved.
  mutating func finish(_ batch: ImportBatch, done: Int, failed: Int, isWaiting: Bool) {
    let saved = batch.isDeletion ? 0 : done
    savedCount += saved
    deletedCount += done - saved
    failedCount += failed
    countOfThisRun += batch.count
    let ended = Done(
      endOffset: batch.endOffset,
      endLine: batch.endLine,
      saved: saved,
      failed: failed,
      isWaiting: isWaiting
    )
    if batch.number > lastNumber { (last, lastNumber) = (ended, batch.number) }
    guard !isBlocked else { return }
    ahead[batch.number] = ended
    while let next = ahead.removeValue(forKey: progress.batchNumber) {
      if next.isWaiting {
        isBlocked = true
        ahead = [:]
        return
      }
      progress.batchNumber += 1
      progress.offset = next.endOffset
      progress.lineCount = next.endLine
      progress.savedCount += next.saved
      progress.failedCount += next.failed
    }
  }

  /// Counts records that were saved in a retry.
  mutating func save(_ count: Int) { savedCount += count }

  /// Counts a record that failed permanently in a retry.
  mutating func fail() { failedCount += 1 }

  /// No batch is in flight and no record is pending: everything that was read is complete.
  mutating func settle() {
    isBlocked = false
    ahead = [:]
    guard let last else { return }
    progress.batchNumber = lastNumber + 1
    progress.offset = last.endOffset
    progress.lineCount = last.endLine
    progress.savedCount = savedCount
    progress.failedCount = failedCount
  }
}
