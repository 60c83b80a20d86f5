public import TidingsEncryption
internal import TidingsFiles

/// Errors of sealing and opening values.
public enum EncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The ring does not have the key that the value was sealed with.
  case missingKey(field: String, keyID: [UInt8])
  /// The value was modified, or sealed for another field, record, zone, owner, environment or container.
  case notOpened(field: String)
  /// Lists, references and assets cannot be sealed.
  case notEncryptable(field: String)
  /// No key ring is set, and the default one in the user's data folder does not exist.
  case noKeyRing(field: String, path: String)
  /// The default key ring cannot be used.
  case keyRing(KeyRingError)
  /// The ring has no key for sealing.
  case noSealingKey
  /// The record has no name yet.
  case noRecordName
  /// The owner of the zone is unknown.
  case noUser

  /// The reason and what to do; does not contain keys.
  public var description: String {
    switch self {
    case .missingKey(let field, let keyID):
      "field '\(field)' is sealed with the key \(keyID.hexadecimal), which is not in the key ring: "
        + "get the key from the user who saved the field, and add it"
    case .notOpened(let field):
      "field '\(field)' cannot be opened: it was modified, or sealed for another field, record, zone or "
        + "container; save it again"
    case .notEncryptable(let field):
      "field '\(field)' cannot be encrypted: only strings, numbers, bytes, timestamps and locations can; "
        + "encode the value as bytes"
    case .noKeyRing(let field, let path):
      "field '\(field)' is sealed, and the key ring '\(path)' does not exist: copy it from the device that "
        + "created it, or use another"
    case .keyRing(let error): "\(error)"
    case .noSealingKey: "the key ring has no key for sealing: add one"
    case .noRecordName:
      "the record has no name, and values are bound to a record: set the name before sealing"
    case .noUser:
      "the owner of the private database is unknown: pass the user's record name to the sealer"
    }
  }
}
