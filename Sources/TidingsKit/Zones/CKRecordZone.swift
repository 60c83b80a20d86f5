public import Foundation
internal import TidingsProto

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the default zone, as older code names it.
public let CKRecordZoneDefaultName = CKRecordZone.ID.defaultZoneName
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Stands for the current user as an owner.
public let CKCurrentUserDefaultName = "__defaultOwner__"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Stands for the current user as an owner, as older code names it.
public let CKOwnerDefaultName = CKCurrentUserDefaultName

/// A part of a database whose records are saved atomically and whose changes are ordered.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Nothing of it changes.

  /// What a zone can do.
  public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Capabilities from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It has a change feed.
    public static let fetchChanges = Capabilities(rawValue: 1 << 0)
    /// Saves several records or none: custom zones do, default zones do not.
    public static let atomic = Capabilities(rawValue: 1 << 1)
    /// Its records can be shared.
    public static let sharing = Capabilities(rawValue: 1 << 2)
    /// It can be shared as a whole.
    public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
  }

  /// The zone's name and owner.
  public let zoneID: CKRecordZone.ID
  /// What it can do; of a zone that was not fetched, what is known of all such zones.
  public let capabilities: Capabilities
  /// The share of the whole zone, if it is shared.
  public let share: CKRecord.Reference?

  /// A zone of the current user.
  public convenience init(zoneName: String) { self.init(zoneID: .init(zoneName: zoneName)) }

  /// A zone.
  public convenience init(zoneID: CKRecordZone.ID) {
    let all: Capabilities = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    self.init(
      zoneID: zoneID,
      capabilities: zoneID.zoneName == CKRecordZone.ID.defaultZoneName ? .fetchChanges : all,
      share: nil
    )
  }

  init(zoneID: CKRecordZone.ID, capabilities: Capabilities, share: CKRecord.Reference?) {
    self.zoneID = zoneID
    self.capabilities = capabilities
    self.share = share
    super.init()
  }

  /// The zone that every database has.
  public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  /// Itself: zones do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Its identity.
  open override var description: String { "<CKRecordZone: \(zoneID)>" }

  /// Zones can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the identity and the capabilities.
  open func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: "zoneID")
    coder.encode(Int64(capabilities.rawValue), forKey: "capabilities")
    coder.encode(share, forKey: "share")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    guard let id = coder.object(of: CKRecordZone.ID.self, forKey: "zoneID") else {
      return nil
    }
    zoneID = id
    capabilities = .init(rawValue: UInt(clamping: coder.decodeInt64(forKey: "capabilities")))
    share = coder.object(of: CKRecord.Reference.self, forKey: "share")
    super.init()
  }
}
/// The identity of a zone: a name and whose it is.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The name of the zone that every database has.
  public static let defaultZoneName = "_defaultZone"
  /// The default zone of the current user.
  public static let `default` = CKRecordZoneID(zoneName: defaultZoneName)

  /// 1 to 255 bytes of ASCII.
  public let zoneName: String
  /// The record name of the user whose zone it is; `CKCurrentUserDefaultName`: the current user.
  public let ownerName: String

  /// The identity of a zone.
  public init(
    zoneName: String = CKRecordZoneID.defaultZoneName,
    ownerName: String = CKCurrentUserDefaultName
  ) {
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// Identities are equal when their names and owners are.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return zoneName == other.zoneName && ownerName == other.ownerName
  }

  /// Of name and owner.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  /// The name and the owner.
  public override var description: String { "\(zoneName):\(ownerName)" }

  /// Itself: identities do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the name and the owner.
  public func encode(with coder: NSCoder) {
    coder.encode(zoneName as NSString, forKey: "zoneName")
    coder.encode(ownerName as NSString, forKey: "ownerName")
  }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let name = coder.object(of: NSString.self, forKey: "zoneName"),
      let owner = coder.object(of: NSString.self, forKey: "ownerName")
    else { return nil }
    zoneName = String(describing: name)
    ownerName = String(describing: owner)
  }
}

extension CKRecordZone {
  /// The identity of a zone.
  public typealias ID = CKRecordZoneID
}

extension CKRecordZone.ID {
  convenience init(_ id: TidingsV1.ZoneID) {
    self.init(
      zoneName: id.zoneName.isEmpty ? Self.defaultZoneName : id.zoneName,
      ownerName: id.ownerName.isEmpty ? CKCurrentUserDefaultName : id.ownerName
    )
  }

  var wire: TidingsV1.ZoneID {
    .init(
      zoneName: zoneName == Self.defaultZoneName ? "" : zoneName,
      ownerName: ownerName == CKCurrentUserDefaultName ? "" : ownerName
    )
  }
}
