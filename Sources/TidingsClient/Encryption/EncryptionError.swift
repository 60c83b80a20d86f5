public import TidingsEncryption
internal import TidingsFiles

/// Why a value could not be sealed or opened, and what to do.
public enum EncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The ring does not have the key that the value was sealed with.
  case missingKey(field: String, keyID: [UInt8])
  /// The value was changed, or sealed for another field, record, zone, owner, environment or container.
  case notOpened(field: String)
  /// Lists, references and assets cannot be sealed.
  case notEncryptable(field: String)
  /// No key ring is named, and the one in the user's data folder is not there.
  case noKeyRing(field: String, path: String)
  /// The key ring in the user's data folder cannot be used.
  case keyRing(KeyRingError)
  /// The ring has no key that seals.
  case noSealingKey
  /// The record has no name yet.
  case noRecordName
  /// It is not known whose zone it is.
  case noUser

  /// For the person who has the ring; shows no key.
  public var description: String {
    switch self {
    case .missingKey(let field, let keyID):
      "field '\(field)' is sealed with the key \(keyID.hexadecimal), which is not in the key ring: "
        + "get it from whoever saved the field, and add it"
    case .notOpened(let field):
      "field '\(field)' cannot be opened: it was changed, or sealed for another field, record, zone or "
        + "container; save it again"
    case .notEncryptable(let field):
      "field '\(field)' cannot be encrypted: strings, numbers, bytes, timestamps and locations can; "
        + "encode the value into bytes"
    case .noKeyRing(let field, let path):
      "field '\(field)' is sealed, and there is no key ring '\(path)': copy it from the device that made it, "
        + "or name another"
    case .keyRing(let error): "\(error)"
    case .noSealingKey: "the key ring has no key that seals: add one"
    case .noRecordName:
      "the record has no name, and values are sealed for one record: name it before it is sealed"
    case .noUser:
      "the owner of the private database is not known: pass the user's record name to the sealer"
    }
  }
}
