// The names of nested types in CloudKit's Swift interface, and the names with underscores that they stand for there.

// swift-format-ignore: NoLeadingUnderscores

extension CKOperation {
  /// The name of an operation.
  public typealias ID = String
}

extension CKContainer {
  /// Called with whether a permission is given.
  public typealias ApplicationPermissionBlock =
    @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

  /// What an application may do.
  public enum Application {
    /// What users may let others know.
    public typealias Permissions = CKContainer.ApplicationPermissions
    /// Whether a permission is given.
    public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
    /// Called with whether a permission is given.
    public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
  }
}

extension CKReference {
  /// What becomes of the record with a reference when the target is deleted.
  public typealias Action = CKRecord.ReferenceAction
}

extension CKShare {
  /// How a participant comes to a share, as older code names it.
  public typealias ParticipantType = CKShare.ParticipantRole
}

extension CKShareParticipant {
  /// The name of a participant within the share.
  public typealias ID = String
  /// How a participant comes to the share, as older code names it.
  public typealias ParticipantType = CKShare.ParticipantType

  /// How they come to the share, as older code names it.
  public var type: ParticipantType {
    get { role }
    set { role = newValue }
  }
}

/// What becomes of the record with a reference when the target is deleted.
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction
/// What users may let others know.
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
/// Whether a permission is given.
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// Called with whether a permission is given.
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
/// What a participant may do.
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// How a participant comes to the share.
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// How a participant comes to the share, as older code names it.
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType
/// Whether a participant joined.
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// How a participant comes to the share, as older code names it.
public typealias CKShareParticipantType = CKShare.ParticipantType
