internal import TidingsProto

extension CKShare {
  /// What a participant may do.
  public enum ParticipantPermission: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Nothing.
    case none = 1
    /// Reads.
    case readOnly = 2
    /// Reads, creates, changes and deletes.
    case readWrite = 3

    init(_ permission: TidingsV1.ParticipantPermission) {
      // Unspecified is the same as none.
      let number = Int(permission.rawValue)
      self = number == 0 ? .none : ParticipantPermission(rawValue: number) ?? .unknown
    }

    var wire: TidingsV1.ParticipantPermission { .init(rawValue: Int32(rawValue)) }
  }

  /// How a participant comes to the share.
  public enum ParticipantRole: Int, Sendable {
    /// Not yet, or not known.
    case unknown = 0
    /// Owns what is shared.
    case owner = 1
    /// Changes the share for its owner.
    case administrator = 2
    /// Was invited, by name or with a one-time URL.
    case privateUser = 3
    /// Came with the URL.
    case publicUser = 4

    init(_ role: TidingsV1.ParticipantRole) {
      self = ParticipantRole(rawValue: Int(role.rawValue)) ?? .unknown
    }

    var wire: TidingsV1.ParticipantRole { .init(rawValue: Int32(rawValue)) }
  }

  /// Whether a participant joined.
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Was invited.
    case pending = 1
    /// Joined.
    case accepted = 2
    /// Left.
    case removed = 3

    init(_ status: TidingsV1.AcceptanceStatus) {
      let number = Int(status.rawValue)
      self = number == 0 ? .pending : ParticipantAcceptanceStatus(rawValue: number) ?? .unknown
    }
  }
}

extension CKShare.Participant {
  /// What a participant may do.
  public typealias Permission = CKShare.ParticipantPermission
  /// How a participant comes to the share.
  public typealias Role = CKShare.ParticipantRole
  /// Whether a participant joined.
  public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
}

/// What a participant may do, as older code names it.
public typealias CKShareParticipantPermission = CKShare.ParticipantPermission
/// How a participant comes to the share, as older code names it.
public typealias CKShareParticipantRole = CKShare.ParticipantRole
/// Whether a participant joined, as older code names it.
public typealias CKShareParticipantAcceptanceStatus = CKShare.ParticipantAcceptanceStatus
