internal import TidingsModel
internal import TidingsSQL

/// The rows of invitations with one-time URLs: they follow the records of shares.
final class ShareInvitationTable {
  private static let hashBytes = 32

  private let insert: any SQLStatement
  private let delete: any SQLStatement
  private let deleteOfShare: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    insert = try connection.prepare(
      """
      INSERT INTO share_invitations (token_hash, share_id, participant_id) VALUES (?1, ?2, ?3)
      """
    )
    delete = try connection.prepare(
      "DELETE FROM share_invitations WHERE share_id = ?1 AND participant_id = ?2"
    )
    deleteOfShare = try connection.prepare("DELETE FROM share_invitations WHERE share_id = ?1")
  }

  /// What the store keeps of the token of a one-time URL.
  static func hash(ofToken token: [UInt8]) -> [UInt8] {
    Cryptography.hash(token, bytes: hashBytes)
  }

  /// The list of a share has changed.
  ///
  /// An invitation that is taken keeps its row, for who repeats the acceptance.
  func follow(
    _ participants: [Share.Participant],
    replacing old: [Share.Participant],
    of share: Int64
  ) throws {
    var gone = Set(old.lazy.filter { !$0.id.isEmpty }.map(\.id))
    for participant in participants where !participant.id.isEmpty {
      guard gone.remove(participant.id) == nil else { continue }
      guard let url = ShareURL(participant.oneTimeURL) else {
        throw SQLError(.damaged, "the invitation '\(participant.id)' has no URL")
      }
      insert.bind(Self.hash(ofToken: url.token), at: 1)
      insert.bind(share, at: 2)
      insert.bind(participant.id, at: 3)
      try insert.run()
    }
    for id in gone {
      delete.bind(share, at: 1)
      delete.bind(id, at: 2)
      try delete.run()
    }
  }

  /// The share has ended.
  func deleteAll(of share: Int64) throws {
    deleteOfShare.bind(share, at: 1)
    try deleteOfShare.run()
  }
}
