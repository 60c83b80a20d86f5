public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// A share as one who may join sees it.
public final class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, Sendable {
  let wire: TidingsV1.ShareMetadata
  /// Who asked.
  let user: String

  /// The share; of the participants one sees the owner and oneself until one has joined.
  public let share: CKShare
  /// The record that is shared, if it was asked for and the user may read it.
  public let rootRecord: CKRecord?

  init(
    _ wire: TidingsV1.ShareMetadata,
    user: String,
    share: CKShare,
    rootRecord: CKRecord?
  ) {
    self.wire = wire
    self.user = user
    self.share = share
    self.rootRecord = rootRecord
    super.init()
  }

  /// The container of the zone.
  public var containerIdentifier: String { wire.container.isEmpty ? "default" : wire.container }
  /// The record that is shared with all below it; `nil`: the zone is shared.
  public var hierarchicalRootRecordID: CKRecord.ID? {
    wire.rootRecordName.isEmpty
      ? nil : CKRecord.ID(recordName: wire.rootRecordName, zoneID: share.recordID.zoneID)
  }
  /// The record that is shared with all below it; of a shared zone the share.
  public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }
  /// Whose zone it is.
  public var ownerIdentity: CKUserIdentity { share.owner.userIdentity }

  private var participant: TidingsV1.Participant? {
    wire.participant.flatMap { $0.role == .unspecified ? nil : $0 }
  }
  /// How the user comes to the share.
  public var participantRole: CKShare.ParticipantRole {
    participant.map { .init($0.role) } ?? .publicUser
  }
  /// How the user comes to the share, as older code names it.
  public var participantType: CKShare.ParticipantRole { participantRole }
  /// Whether the user joined.
  public var participantStatus: CKShare.ParticipantAcceptanceStatus {
    participant.map { .init($0.acceptanceStatus) } ?? .pending
  }
  /// What the user may do after joining.
  public var participantPermission: CKShare.ParticipantPermission {
    participant.map { .init($0.permission) } ?? share.publicPermission
  }

  /// Equal when the share is the same, seen at the same state.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareMetadata)?.wire == wire
  }

  /// Of the share.
  public override var hash: Int { share.recordID.hash }

  /// Itself: it does not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// It can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all of it.
  public func encode(with coder: NSCoder) {
    coder.encode(Data(wire.encoded()) as NSData, forKey: "metadata")
    coder.encode(NSString(string: user), forKey: "user")
    coder.encode(share, forKey: "share")
    coder.encode(rootRecord, forKey: "rootRecord")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "metadata"),
      let wire = try? TidingsV1.ShareMetadata(decoding: Array(Data(referencing: data))),
      let user = coder.object(of: NSString.self, forKey: "user"),
      let share = coder.object(of: CKShare.self, forKey: "share")
    else { return nil }
    self.init(
      wire,
      user: String(describing: user),
      share: share,
      rootRecord: coder.object(of: CKRecord.self, forKey: "rootRecord")
    )
  }
}

extension CKShare {
  /// A share as one who may join sees it.
  public typealias Metadata = CKShareMetadata
}

extension CKContainer {
  /// What the server says of a share, for this user.
  func metadata(
    _ answer: TidingsV1.ShareMetadata,
    rootKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> CKShare.Metadata {
    let user = try await link.userName()
    var wire = answer
    // Records of one's own zones name no owner.
    if wire.zoneID?.ownerName == user { wire.zoneID?.ownerName = "" }
    let zone = wire.zoneID
    let database = zone?.ownerName.isEmpty == false ? sharedCloudDatabase : privateCloudDatabase
    guard var stored = wire.share else {
      throw CKError(.internalError, "the server's answer does not have the share")
    }
    stored.recordID?.zoneID = zone
    guard let share = try await database.receive(stored, wantsFiles: false) as? CKShare else {
      throw CKError(.internalError, "the server's answer does not have the share")
    }
    var root: CKRecord?
    if var record = wire.rootRecord {
      record.recordID?.zoneID = zone
      if let rootKeys { record.fields = record.fields.filter { rootKeys.contains($0.key) } }
      root = try await database.receive(record)
    }
    // They are there as objects.
    (wire.share, wire.rootRecord) = (nil, nil)
    return CKShare.Metadata(wire, user: user, share: share, rootRecord: root)
  }
}
