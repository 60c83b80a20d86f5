internal import TidingsModel

/// How many records one call may look at besides its own, to find what shares contain: in all zones,
/// databases and rounds together.
///
/// Everybody waits meanwhile.
final class SharingBudget {
  private(set) var recordsLeft: Int
  private var bytesLeft: Int
  private let recordsMax: Int

  init(_ limits: Limits) {
    recordsMax = limits.sharedRecordsPerCallMax
    recordsLeft = recordsMax
    bytesLeft = limits.sharingBytesPerCallMax
  }

  /// A record is looked at.
  ///
  /// - Throws: `limitExceeded`.
  func takeRecord() throws(ItemError) {
    guard recordsLeft > 0 else { throw exceeded("more than \(recordsMax) records") }
    recordsLeft -= 1
  }

  /// A record is read as a whole.
  ///
  /// - Throws: `limitExceeded`.
  func takeBytes(_ count: Int) throws(ItemError) {
    guard count <= bytesLeft else { throw exceeded("too many bytes of records") }
    bytesLeft -= count
  }

  private func exceeded(_ what: String) -> ItemError {
    ItemError(
      .limitExceeded,
      "to find what is shared, this call would examine \(what) above and below its own: move or share "
        + "fewer at once, a large tree part by part, or let an operator raise --limit "
        + "shared-records-per-call-max"
    )
  }
}
