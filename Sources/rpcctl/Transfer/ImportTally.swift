/// Counts what became of records, and knows up to where the file is done for good.
struct ImportTally {
  private struct Done {
    let endOffset: Int
    let endLine: Int
    let saved: Int
    let failed: Int
    let isWaiting: Bool
  }

  /// Where an import that breaks off now goes on.
  private(set) var progress: ImportProgress
  private(set) var savedCount: Int
  private(set) var deletedCount = 0
  private(set) var failedCount: Int
  /// Records of this run, saved or not.
  private(set) var countOfThisRun = 0

  /// Batches that ended before an earlier one did.
  private var ahead: [Int: Done] = [:]
  /// A batch has records that wait: the file is done up to it.
  private var isHeld = false
  private var last: Done?
  private var lastNumber: Int

  init(_ progress: ImportProgress) {
    self.progress = progress
    savedCount = progress.savedCount
    failedCount = progress.failedCount
    lastNumber = progress.batchNumber - 1
  }

  /// Notes the end of a batch.
  ///
  /// - Parameters:
  ///   - batch: Which one.
  ///   - done: How many of its records were saved or deleted.
  ///   - failed: How many of its lines failed for good.
  ///   - isWaiting: Some of its records will be sent again: not failed, not saved.
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
    guard !isHeld else { return }
    ahead[batch.number] = ended
    while let next = ahead.removeValue(forKey: progress.batchNumber) {
      if next.isWaiting {
        isHeld = true
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

  /// Counts records that were sent again and are saved now.
  mutating func save(_ count: Int) { savedCount += count }

  /// Counts a record that was sent again and failed for good.
  mutating func fail() { failedCount += 1 }

  /// Nothing is under way and nothing waits: everything that was read is done.
  mutating func settle() {
    isHeld = false
    ahead = [:]
    guard let last else { return }
    progress.batchNumber = lastNumber + 1
    progress.offset = last.endOffset
    progress.lineCount = last.endLine
    progress.savedCount = savedCount
    progress.failedCount = failedCount
  }
}
