internal import TidingsModel
internal import TidingsSQL

/// Removes the participants, the invitations and the records of the ended shares of a deleted zone, a few at a time.
final class EndedShareRows {
  private let selectNext: any SQLStatement
  private let selectParticipants: any SQLStatement
  private let deleteParticipant: any SQLStatement
  private let selectInvitations: any SQLStatement
  private let deleteInvitation: any SQLStatement
  private let selectRecords: any SQLStatement
  private let deleteRecord: any SQLStatement
  /// The last share without rows, in a zone: a zone may have thousands.
  private var position: (zone: Int64, share: Int64) = (0, 0)

  init(_ connection: any SQLConnection) throws {
    selectNext = try connection.prepare(
      """
      SELECT id FROM shares WHERE zone_id = ?1 AND ended IS NOT NULL AND id > ?2 ORDER BY id LIMIT 1
      """
    )
    selectParticipants = try connection.prepare(
      "SELECT user FROM share_participants WHERE share_id = ?1 LIMIT ?2"
    )
    deleteParticipant = try connection.prepare(
      "DELETE FROM share_participants WHERE share_id = ?1 AND user = ?2"
    )
    selectInvitations = try connection.prepare(
      "SELECT participant_id FROM share_invitations WHERE share_id = ?1 LIMIT ?2"
    )
    deleteInvitation = try connection.prepare(
      "DELETE FROM share_invitations WHERE share_id = ?1 AND participant_id = ?2"
    )
    selectRecords = try connection.prepare(
      "SELECT name FROM shared_records WHERE share_id = ?1 LIMIT ?2"
    )
    deleteRecord = try connection.prepare(
      "DELETE FROM shared_records WHERE share_id = ?1 AND name = ?2"
    )
  }

  /// Removes some rows.
  ///
  /// - Returns: How many, a share without rows being one too; fewer than `limit`: none is left.
  func removeSome(of zone: Int64, limit: Int) throws -> Int {
    var count = 0
    if position.zone != zone { position = (zone, 0) }
    while count < limit, let share = try nextShare() {
      count += try remove(selectParticipants, deleteParticipant, of: share, limit: limit - count)
      guard count < limit else { break }
      count += try remove(selectInvitations, deleteInvitation, of: share, limit: limit - count)
      guard count < limit else { break }
      count += try remove(selectRecords, deleteRecord, of: share, limit: limit - count)
      guard count < limit else { break }
      position.share = share
      count += 1
    }
    return count
  }

  /// A transaction was rolled back: looks at everything again.
  func forget() { position = (0, 0) }

  private func nextShare() throws(SQLError) -> Int64? {
    selectNext.bind(position.zone, at: 1)
    selectNext.bind(position.share, at: 2)
    defer { selectNext.reset() }
    return try selectNext.step() ? selectNext.int64(0) : nil
  }

  private func remove(
    _ select: any SQLStatement,
    _ delete: any SQLStatement,
    of share: Int64,
    limit: Int
  ) throws -> Int {
    var names: [String] = []
    select.bind(share, at: 1)
    select.bind(Int64(limit), at: 2)
    try select.forEachRow { names.append(select.string(0)) }
    for name in names {
      delete.bind(share, at: 1)
      delete.bind(name, at: 2)
      try delete.run()
    }
    return names.count
  }
}
