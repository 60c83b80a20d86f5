public import Foundation
internal import TidingsProto

/// A relation to another record, as the value of a field.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, __CKRecordObjCValue, Sendable {
  /// The record to which it leads.
  public let recordID: CKRecord.ID
  /// What becomes of the record with the reference when the target is deleted.
  public let action: CKRecord.ReferenceAction

  /// A relation to a record.
  public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
    self.recordID = recordID
    self.action = action
  }

  /// A relation to a record.
  public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
    self.init(recordID: record.recordID, action: action)
  }

  /// What is stored.
  public var recordContent: CKRecordContent { .init(.referenceValue(wire)) }

  /// References are equal when their targets and actions are.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKReference else { return false }
    return recordID == other.recordID && action == other.action
  }

  /// Of the target.
  public override var hash: Int { recordID.hash }

  /// Itself: references do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// References can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the target and the action.
  public func encode(with coder: NSCoder) {
    coder.encode(recordID, forKey: "recordID")
    coder.encode(Int64(action.rawValue), forKey: "action")
  }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let id = coder.object(of: CKRecord.ID.self, forKey: "recordID"),
      let action = CKRecord.ReferenceAction(
        rawValue: UInt(clamping: coder.decodeInt64(forKey: "action"))
      )
    else { return nil }
    recordID = id
    self.action = action
  }
}

extension CKRecord {
  /// A relation to another record.
  public typealias Reference = CKReference

  /// What becomes of the record with a reference when the target is deleted.
  public enum ReferenceAction: UInt, Sendable {
    /// Nothing.
    case none = 0
    /// It is deleted too.
    case deleteSelf = 1
  }
}

/// What becomes of a reference, as older code names it.
public typealias CKReferenceAction = CKRecord.ReferenceAction

extension CKRecord.Reference {
  convenience init(_ reference: TidingsV1.Reference) {
    let action: CKRecord.ReferenceAction = reference.action == .deleteSelf ? .deleteSelf : .none
    self.init(recordID: .init(reference.recordID ?? .init()), action: action)
  }

  var wire: TidingsV1.Reference {
    .init(recordID: recordID.wire, action: action == .deleteSelf ? .deleteSelf : .none)
  }
}
