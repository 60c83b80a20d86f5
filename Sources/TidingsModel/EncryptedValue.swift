/// A value that a client sealed: the server keeps it, and can neither read it nor find records by it.
public struct EncryptedValue: Hashable, Sendable {
  /// The type of the value inside.
  ///
  /// The numbers are the wire's.
  public enum ValueType: Int32, Hashable, Sendable, CaseIterable {
    case string = 1
    case int64 = 2
    case double = 3
    case bytes = 4
    case timestamp = 5
    case location = 6
  }

  /// Length of a key's name, in bytes.
  public static let keyIDBytes = 8
  /// What sealing adds to a value, in bytes: a nonce of 24, a tag of 16.
  public static let overheadBytes = 40

  /// The type of the value inside, as the client says.
  public var type: ValueType
  /// Names the key, 8 bytes.
  public var keyID: [UInt8]
  /// A nonce, then the sealed value; at least `overheadBytes`.
  public var sealed: [UInt8]

  /// A sealed value from its parts.
  public init(type: ValueType, keyID: [UInt8], sealed: [UInt8]) {
    self.type = type
    self.keyID = keyID
    self.sealed = sealed
  }
}

extension EncryptedValue {
  /// The kind of such values.
  var kind: FieldValue.Kind {
    switch type {
    case .string: .encryptedString
    case .int64: .encryptedInt64
    case .double: .encryptedDouble
    case .bytes: .encryptedBytes
    case .timestamp: .encryptedTimestamp
    case .location: .encryptedLocation
    }
  }

  /// What no stored value may be, in words; `nil`: nothing is wrong.
  var problem: String? {
    if keyID.count != Self.keyIDBytes {
      return "the key id of the encrypted value has \(keyID.count) bytes, and must have "
        + "\(Self.keyIDBytes): seal the value with a client library"
    }
    guard sealed.count < Self.overheadBytes else { return nil }
    return "the encrypted value has \(sealed.count) bytes, and a sealed one at least "
      + "\(Self.overheadBytes): seal it with a client library"
  }
}

extension FieldValue.Kind {
  /// It is a kind of encrypted values.
  public var isEncrypted: Bool { plain != nil }

  /// The kind of the values inside; `nil` for a kind that is not encrypted.
  public var plain: Self? {
    switch self {
    case .encryptedString: .string
    case .encryptedInt64: .int64
    case .encryptedDouble: .double
    case .encryptedBytes: .bytes
    case .encryptedTimestamp: .timestamp
    case .encryptedLocation: .location
    default: nil
    }
  }

  /// The kind of encrypted values of this kind; `nil`: they cannot be encrypted.
  public var encrypted: Self? {
    switch self {
    case .string: .encryptedString
    case .int64: .encryptedInt64
    case .double: .encryptedDouble
    case .bytes: .encryptedBytes
    case .timestamp: .encryptedTimestamp
    case .location: .encryptedLocation
    default: nil
    }
  }
}
