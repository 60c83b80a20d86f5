/// What a record of the type `cloudkit.share` shares, and with whom.
public struct Share: Hashable, Sendable {
  /// The type of the records that are shares.
  public static let recordType = "cloudkit.share"
  /// The record name of the share of a whole zone.
  public static let zoneWideName = "cloudkit.zoneshare"

  /// What a participant may do.
  ///
  /// The numbers are those of `CKShare.ParticipantPermission`.
  public enum Permission: Int32, Hashable, Sendable {
    /// Nothing.
    case none = 1
    /// Reads.
    case readOnly = 2
    /// Reads, creates, changes and deletes.
    case readWrite = 3
  }

  /// Who a participant is.
  ///
  /// The numbers are those of `CKShare.ParticipantRole`.
  public enum Role: Int32, Hashable, Sendable {
    /// Owns what is shared.
    case owner = 1
    /// Was invited by name.
    case privateUser = 3
    /// Came with the share's URL.
    case publicUser = 4
  }

  /// Whether a participant joined.
  ///
  /// The numbers are those of `CKShare.ParticipantAcceptanceStatus`.
  public enum Status: Int32, Hashable, Sendable {
    /// Invited.
    case pending = 1
    /// Joined.
    case accepted = 2
    /// Left.
    case removed = 3
  }

  /// A user to whom something is shared.
  public struct Participant: Hashable, Sendable {
    /// The user's record name.
    public var user: String
    /// Set by the server.
    public var role: Role
    /// What the user may do.
    public var permission: Permission
    /// Set by the server.
    public var status: Status

    /// A participant from the parts.
    public init(
      user: String,
      role: Role = .privateUser,
      permission: Permission,
      status: Status = .pending
    ) {
      self.user = user
      self.role = role
      self.permission = permission
      self.status = status
    }
  }

  /// The record that is shared with its descendants; empty: the whole zone.
  public var rootRecordName: String
  /// What anyone may do who accepts with the URL.
  public var publicPermission: Permission
  /// The owner first, once the share is saved.
  public var participants: [Participant]
  /// What to give to those who are to accept; set by the server.
  public var url = ""

  /// A share that was never saved.
  public init(
    rootRecordName: String,
    publicPermission: Permission = .none,
    participants: [Participant] = []
  ) {
    self.rootRecordName = rootRecordName
    self.publicPermission = publicPermission
    self.participants = participants
  }

  /// Whether it shares a whole zone.
  public var isZoneWide: Bool { rootRecordName.isEmpty }

  /// The participant with a user's name.
  public func participant(_ user: String) -> Participant? {
    participants.first { $0.user == user }
  }
}
