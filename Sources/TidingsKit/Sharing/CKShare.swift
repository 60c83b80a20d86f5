public import Foundation
internal import Synchronization
internal import TidingsProto

/// A record that says with whom a record and all below it, or a whole zone, is shared.
///
/// Saved, changed and deleted like any record: by the owner in the private database, where deleting it
/// ends the share; a participant who deletes it in the shared database leaves. Administrators change it in
/// the shared database.
open class CKShare: CKRecord, @unchecked Sendable {
  // State is in `contents`, behind its lock.

  /// Shares a record with all below it; both are saved in one operation.
  public convenience init(rootRecord: CKRecord) {
    let zoneID = rootRecord.recordID.zoneID
    self.init(
      rootRecord: rootRecord,
      shareID: CKRecord.ID(recordName: "Share-\(UUID().uuidString)", zoneID: zoneID)
    )
  }

  /// Shares a record with all below it; both are saved in one operation.
  ///
  /// - Parameters:
  ///   - rootRecord: The record, in a custom zone of the private database.
  ///   - shareID: The identity of the share, in the same zone.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    super.init(Contents(shareID, of: rootRecord.recordID))
    rootRecord.contents.withLock { $0.share = .init(recordID: shareID, action: .none) }
  }

  /// Shares a zone.
  public init(recordZoneID: CKRecordZone.ID) {
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID)
    super.init(Contents(id, of: nil))
  }

  override init(_ contents: Contents) { super.init(contents) }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  var terms: ShareTerms { contents.withLock { $0.shareTerms } ?? ShareTerms() }

  /// What anyone may do who has the URL; with `none` only those who were invited may join.
  open var publicPermission: ParticipantPermission {
    get { terms.publicPermission }
    set { contents.withLock { $0.shareTerms?.publicPermission = newValue } }
  }

  /// What to give to those who are to join; `nil` before it was saved.
  open var url: URL? { terms.url.isEmpty ? nil : URL(string: terms.url) }

  /// All participants, the owner first.
  open var participants: [Participant] { terms.participants }

  /// Whose zone it is.
  open var owner: Participant {
    terms.participants.first { $0.role == .owner } ?? ShareTerms.selfAsOwner()
  }

  /// The current user among the participants.
  open var currentUserParticipant: Participant? {
    let terms = terms
    return terms.participants.first { $0.name == terms.currentUser }
      ?? terms.participants.first { $0.name == CKCurrentUserDefaultName }
  }

  /// Invites somebody; who is invited already gets what the new participant may do.
  open func addParticipant(_ participant: Participant) {
    contents.withLock { contents in
      let all = contents.shareTerms?.participants ?? []
      let id = participant.participantID
      if let known = all.first(where: { $0.participantID == id }) {
        if known !== participant { known.permission = participant.permission }
      } else {
        contents.shareTerms?.participants.append(participant)
      }
    }
  }

  /// Takes somebody out, but not the owner: with the next save they lose access.
  open func removeParticipant(_ participant: Participant) {
    let id = participant.participantID
    contents.withLock {
      $0.shareTerms?.participants.removeAll { $0.participantID == id && $0.role != .owner }
    }
  }

  /// A share with the same contents, which changes by itself.
  open override func copy(with zone: NSZone? = nil) -> Any {
    var copy = contents.withLock { $0 }
    copy.shareTerms?.separate()
    return CKShare(copy)
  }

  /// The names of a share's own fields.
  ///
  /// They are the plain names that the service has, not CloudKit's `cloudkit.title` and so on.
  public enum SystemFieldKey {
    /// What people read: a text.
    public static let title: CKRecord.FieldKey = "title"
    /// A small picture: bytes.
    public static let thumbnailImageData: CKRecord.FieldKey = "thumbnail"
    /// What kind of thing is shared: a text.
    public static let shareType: CKRecord.FieldKey = "type"
  }
}

extension CKRecord.Contents {
  /// A new share.
  fileprivate init(_ shareID: CKRecord.ID, of root: CKRecord.ID?) {
    self.init(recordType: CKRecordTypeShare, recordID: shareID)
    shareTerms = ShareTerms(rootName: root?.recordName ?? "")
    shareTerms?.participants = [ShareTerms.selfAsOwner()]
  }
}

// The names of constants are CloudKit's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The type of shares.
public let CKRecordTypeShare = "cloudkit.share"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the share of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field with the title of a share.
public let CKShareTitleKey = CKShare.SystemFieldKey.title
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field with the picture of a share.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The field with the kind of a share.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
