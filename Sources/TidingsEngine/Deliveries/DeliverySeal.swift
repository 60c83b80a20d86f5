public import TidingsEncryption
internal import TidingsModel

/// Returns the key ring that seals the addresses of delivery targets; makes one if there is none and one is wanted.
public typealias DeliveryKeys = (_ isMade: Bool) throws -> KeyRing?

/// Seals the addresses of targets: who has the store alone cannot send to them.
///
/// A sealed address is the ID of the key, 8 bytes, and what `EncryptionKey` seals for the target.
final class DeliverySeal {
  private let keys: DeliveryKeys
  /// For hashes of addresses.
  private let secret: [UInt8]
  private var ring: KeyRing?

  init(_ keys: @escaping DeliveryKeys, secret: [UInt8]) {
    (self.keys, self.secret) = (keys, secret)
  }

  /// Seals an address for its target.
  ///
  /// - Throws: `ItemError` `internalError` when there is no key to seal with; what the keys throw.
  func seal(_ address: [UInt8], of id: Int64, in inbox: Inbox) throws -> [UInt8] {
    guard let key = try opened(true)?.sealingKey else {
      throw ItemError(.internalError, "the key ring of delivery targets has no key that seals")
    }
    return key.id + key.seal(address, for: Self.location(id, inbox))
  }

  /// Opens the address of a target; `nil`: the key is not there, or it was changed.
  func open(_ sealed: [UInt8], of id: Int64, in inbox: Inbox) -> [UInt8]? {
    let count = EncryptionKey.idByteCount
    guard sealed.count > count, let key = try? opened(false)?.key(Array(sealed[..<count])) else {
      return nil
    }
    return key.open(Array(sealed[count...]), from: Self.location(id, inbox))
  }

  /// Throws when there are keys that cannot be read now.
  func check() throws { _ = try opened(false) }

  /// A hash by which the same address is recognized.
  func identity(of address: [UInt8]) -> [UInt8] {
    Cryptography.hash(Array("delivery-target".utf8) + address, key: secret, bytes: 32)
  }

  private func opened(_ isMade: Bool) throws -> KeyRing? {
    if let ring { return ring }
    ring = try keys(isMade)
    return ring
  }

  private static func location(_ id: Int64, _ inbox: Inbox) -> FieldLocation {
    FieldLocation(
      container: inbox.container,
      environment: "\(inbox.environment.rawValue)",
      zoneOwner: inbox.user,
      zoneName: "",
      recordName: DeliveryTarget.text(of: id),
      field: "delivery-target"
    )
  }
}
