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
    /// Changes the share for its owner.
    case administrator = 2
    /// Was invited, by name or with a one-time URL.
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
    /// The user's record name; empty: whoever accepts the one-time URL first.
    public var user: String
    /// The owner makes and unmakes administrators; the rest is set by the server.
    public var role: Role
    /// What the user may do.
    public var permission: Permission
    /// Set by the server.
    public var status: Status
    /// Names an invitation with a one-time URL within the share; empty: invited by name.
    public var id = ""
    /// Of an invitation that nobody has accepted; set by the server.
    public var oneTimeURL = ""
    /// When the one-time URL stops working; `nil`: never.
    public var expires: Timestamp?

    /// An invitation that nobody has accepted.
    public var isOpen: Bool { user.isEmpty }

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

  /// A user who asked for access.
  public struct Requester: Hashable, Sendable {
    /// The user's record name.
    public var user: String
    /// When the user asked; set by the server.
    public var requested: Timestamp?

    /// A requester from the parts.
    public init(user: String, requested: Timestamp?) {
      self.user = user
      self.requested = requested
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
  /// Who has the URL and may not accept may ask.
  public var allowsAccessRequests = false
  /// Who asked, oldest first.
  public var requesters: [Requester] = []
  /// Users who cannot ask, and cannot join with a URL.
  public var blockedUsers: [String] = []

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

  /// The participant with a user's name; nobody's are the invitations that are open.
  public func participant(_ user: String) -> Participant? {
    user.isEmpty ? nil : participants.first { $0.user == user }
  }
}
