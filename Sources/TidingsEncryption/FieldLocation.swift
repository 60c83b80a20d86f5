/// The field that a sealed value belongs to: what was sealed for one place opens in no other, so that
/// nobody can pass one value off for another by moving it.
public struct FieldLocation: Hashable, Sendable {
  /// The container.
  public var container: String
  /// `development` or `production`.
  public var environment: String
  /// The user in whose private database the zone is, for participants of a share too.
  public var zoneOwner: String
  /// The zone; that of the default zone is `_defaultZone`.
  public var zoneName: String
  /// The record.
  public var recordName: String
  /// The field.
  public var field: String

  /// A place from its parts.
  public init(
    container: String,
    environment: String,
    zoneOwner: String,
    zoneName: String,
    recordName: String,
    field: String
  ) {
    self.container = container
    self.environment = environment
    self.zoneOwner = zoneOwner
    self.zoneName = zoneName
    self.recordName = recordName
    self.field = field
  }

  /// What is authenticated with a value: each part after its length, two bytes, the larger first.
  var bytes: [UInt8] {
    let parts = [
      "tidings.v1.EncryptedValue", container, environment, zoneOwner, zoneName, recordName, field,
    ]
    var bytes: [UInt8] = []
    for part in parts {
      // Names have 255 bytes at most; what is longer is no name, and opens nowhere but here.
      let part = part.utf8.prefix(Int(UInt16.max))
      bytes += [UInt8(part.count >> 8), UInt8(part.count & 0xff)]
      bytes += part
    }
    return bytes
  }
}
