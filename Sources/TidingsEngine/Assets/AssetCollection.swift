internal import TidingsModel
internal import TidingsSQL

/// Forgets assets that no record has named for long enough.
///
/// Contents that are in the store are removed in the same transaction, files after the commit: a crash in between
/// leaves files without rows, never rows without files.
final class AssetCollection: MaintenanceTask, TransactionParticipant {
  private let retentionMilliseconds: Int64
  private let usage: UsageTable
  private let catalog: Catalog
  private let contents: (any AssetContents)?
  private let select: any SQLStatement
  private let delete: any SQLStatement
  private let deleteUploads: any SQLStatement
  private let selectOther: any SQLStatement
  private var collected: [[UInt8]] = []
  private let holds = AssetHold.Count()

  /// One piece of work; each asset costs four statements.
  private static let countMax: Int64 = 100

  init(
    _ connection: any SQLConnection,
    limits: Limits,
    usage: UsageTable,
    catalog: Catalog,
    contents: (any AssetContents)?
  ) throws {
    (self.usage, self.catalog, self.contents) = (usage, catalog, contents)
    retentionMilliseconds = Int64(limits.assetRetentionHours) * 3_600_000
    select = try connection.prepare(
      """
      SELECT database_id, checksum, size, payer FROM assets WHERE released IS NOT NULL AND released <= ?1
      ORDER BY released LIMIT ?2
      """
    )
    delete = try connection.prepare("DELETE FROM assets WHERE database_id = ?1 AND checksum = ?2")
    deleteUploads = try connection.prepare(
      "DELETE FROM asset_uploads WHERE database_id = ?1 AND checksum = ?2"
    )
    selectOther = try connection.prepare("SELECT 1 FROM assets WHERE checksum = ?1 LIMIT 1")
  }

  /// Forgets nothing until the hold is released.
  func hold() -> AssetHold { AssetHold(holds) }

  func work(at moment: Moment) throws -> Duration {
    guard !holds.isHeld else { return Self.heldPause }
    var due: [(database: Int64, checksum: [UInt8], size: Int64, payer: String?)] = []
    select.bind(moment.steady.milliseconds - retentionMilliseconds, at: 1)
    select.bind(Self.countMax, at: 2)
    try select.forEachRow {
      due.append(
        (
          select.int64(0), select.bytes(1), select.int64(2),
          select.isNull(3) ? nil : select.string(3)
        )
      )
    }
    for (database, checksum, size, payer) in due {
      if let payer {
        let container = try catalog.database(numbered: database).id.container
        try usage.add(-size, to: payer, in: container)
      }
      for statement in [delete, deleteUploads] {
        statement.bind(database, at: 1)
        statement.bind(checksum, at: 2)
        try statement.run()
      }
      try contents?.lock(checksum)
      if try !isKept(checksum) {
        try contents?.remove(checksum)
        collected.append(checksum)
      }
    }
    return due.count == Self.countMax ? .zero : pause
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    swap(&collected, &transaction.collectedAssets)
  }

  func didRollback() { collected = [] }

  private func isKept(_ checksum: [UInt8]) throws(SQLError) -> Bool {
    selectOther.bind(checksum, at: 1)
    defer { selectOther.reset() }
    return try selectOther.step()
  }

  private static let heldPause = Duration.seconds(1)

  /// An asset is kept longer than promised by a part of the time at most.
  private var pause: Duration {
    .milliseconds(min(max(retentionMilliseconds / 24, 100), 3_600_000))
  }
}
