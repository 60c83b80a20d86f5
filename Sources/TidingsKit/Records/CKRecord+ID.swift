public import Foundation
internal import TidingsProto

/// The identity of a record: a name within a zone.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// 1 to 255 bytes of ASCII.
  public let recordName: String
  /// The zone that the record is in.
  public let zoneID: CKRecordZone.ID

  /// The identity of a record.
  ///
  /// - Parameters:
  ///   - recordName: By default a random UUID.
  ///   - zoneID: By default the default zone.
  public init(
    recordName: String = UUID().uuidString,
    zoneID: CKRecordZone.ID = CKRecordZone.ID.default
  ) {
    self.recordName = recordName
    self.zoneID = zoneID
  }

  /// Identities are equal when their names and zones are.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordID else { return false }
    return recordName == other.recordName && zoneID == other.zoneID
  }

  /// Of name and zone.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID)
    return hasher.finalize()
  }

  /// The name and the zone.
  public override var description: String { "<CKRecordID: \(recordName); \(zoneID)>" }

  /// Itself: identities do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the name and the zone.
  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: "recordName")
    coder.encode(zoneID, forKey: "zoneID")
  }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let name = coder.object(of: NSString.self, forKey: "recordName"),
      let zoneID = coder.object(of: CKRecordZone.ID.self, forKey: "zoneID")
    else { return nil }
    recordName = String(describing: name)
    self.zoneID = zoneID
  }
}

extension CKRecord {
  /// The identity of a record.
  public typealias ID = CKRecordID
}

extension CKRecord.ID {
  convenience init(_ id: TidingsV1.RecordID) {
    self.init(recordName: id.recordName, zoneID: .init(id.zoneID ?? .init()))
  }

  var wire: TidingsV1.RecordID { .init(recordName: recordName, zoneID: zoneID.wire) }
}
