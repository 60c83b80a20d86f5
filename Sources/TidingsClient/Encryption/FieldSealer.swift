public import TidingsEncryption
public import TidingsProto
internal import TidingsProtobuf

/// Seals fields of records before they are saved, and opens those of records that come from the
/// server, so that the server can neither read nor change them.
///
///     let sealer = try await client.fieldSealer(.standard())
///     try sealer.seal(["pin"], of: &record)
///     _ = try await client.records.modifyRecords(.init(recordsToSave: [record]))
///
/// A record is sealed under its name and in its zone: give it a name before.
public struct FieldSealer: Sendable {
  private enum Keys: Sendable {
    case ring(KeyRing)
    case standard(DefaultKeyRing)
  }

  private let keys: Keys
  /// The database of the records.
  public let database: TidingsV1.DatabaseID
  /// The user in whose private database zones are that name no owner.
  public let user: String

  /// A sealer of the records of a database.
  ///
  /// - Parameters:
  ///   - keyRing: The keys.
  ///   - database: A private database or the shared one; a container without a name is `default`.
  ///   - user: The record name of the user that calls.
  public init(_ keyRing: KeyRing, database: TidingsV1.DatabaseID, user: String) {
    keys = .ring(keyRing)
    self.database = database
    self.user = user
  }

  /// A sealer with the ring of a user who names none: the first value that is sealed makes it.
  ///
  /// - Parameters:
  ///   - keyRing: The ring.
  ///   - database: A private database or the shared one; a container without a name is `default`.
  ///   - user: The record name of the user that calls.
  public init(_ keyRing: DefaultKeyRing, database: TidingsV1.DatabaseID, user: String) {
    keys = .standard(keyRing)
    self.database = database
    self.user = user
  }

  // MARK: Records

  /// Seals fields of a record.
  ///
  /// A field that the record does not have, that is removed or sealed already stays as it is.
  ///
  /// - Throws: `EncryptionError`; the record is then unchanged.
  public func seal(
    _ fields: some Sequence<String>,
    of record: inout TidingsV1.Record
  ) throws(EncryptionError) {
    var sealed = record.fields
    let id = record.recordID ?? .init()
    for field in fields {
      guard let value = sealed[field] else { continue }
      sealed[field] = try seal(value, in: field, of: id)
    }
    record.fields = sealed
  }

  /// Opens the sealed fields of a record.
  ///
  /// - Returns: By field, why it could not be opened: it stays sealed.
  @discardableResult
  public func open(_ record: inout TidingsV1.Record) -> [String: EncryptionError] {
    open(&record.fields, of: record.recordID ?? .init())
  }

  /// Opens the sealed values that a notification carries.
  ///
  /// - Returns: By field, why it could not be opened: it stays sealed.
  @discardableResult
  public func open(_ notification: inout TidingsV1.Notification) -> [String: EncryptionError] {
    open(&notification.recordFields, of: notification.recordID ?? .init())
  }

  private func open(
    _ fields: inout [String: TidingsV1.FieldValue],
    of id: TidingsV1.RecordID
  ) -> [String: EncryptionError] {
    var failures: [String: EncryptionError] = [:]
    for (name, value) in fields {
      guard case .encryptedValue? = value.value else { continue }
      do {
        fields[name] = try open(value, in: name, of: id)
      } catch {
        failures[name] = error
      }
    }
    return failures
  }

  // MARK: Values

  /// Seals the value of a field.
  ///
  /// - Returns: The sealed value; the value itself if it is sealed already, or null.
  /// - Throws: `EncryptionError`.
  public func seal(
    _ value: TidingsV1.FieldValue,
    in field: String,
    of recordID: TidingsV1.RecordID
  ) throws(EncryptionError) -> TidingsV1.FieldValue {
    guard let plain = value.value else { return value }
    if case .encryptedValue = plain { return value }
    guard let type = plain.encryptedType else { throw .notEncryptable(field: field) }
    let fieldLocation = try fieldLocation(field, recordID)
    guard let key = try sealingKey() else { throw .noSealingKey }
    let sealed = key.seal(value.encoded(), for: fieldLocation)
    return .init(value: .encryptedValue(.init(type: type, keyID: key.id, sealed: sealed)))
  }

  /// Opens the value of a field.
  ///
  /// - Returns: The value; the value itself if it is not sealed.
  /// - Throws: `EncryptionError`.
  public func open(
    _ value: TidingsV1.FieldValue,
    in field: String,
    of recordID: TidingsV1.RecordID
  ) throws(EncryptionError) -> TidingsV1.FieldValue {
    guard case .encryptedValue(let encrypted)? = value.value else { return value }
    let key = try key(encrypted.keyID, field)
    guard let bytes = key.open(encrypted.sealed, from: try fieldLocation(field, recordID)),
      let opened = try? TidingsV1.FieldValue(decoding: bytes),
      opened.value?.encryptedType == encrypted.type
    else { throw .notOpened(field: field) }
    return opened
  }

  private func sealingKey() throws(EncryptionError) -> EncryptionKey? {
    switch keys {
    case .ring(let ring): return ring.sealingKey
    case .standard(let file):
      do {
        return try file.forSealing().sealingKey
      } catch {
        throw .keyRing(error)
      }
    }
  }

  private func key(_ id: [UInt8], _ field: String) throws(EncryptionError) -> EncryptionKey {
    let found: EncryptionKey?
    switch keys {
    case .ring(let ring): found = ring.key(id)
    case .standard(let file):
      let ring: KeyRing?
      do {
        ring = try file.current()
      } catch {
        throw .keyRing(error)
      }
      guard let ring else { throw .noKeyRing(field: field, path: file.path) }
      found = ring.key(id)
    }
    guard let found else { throw .missingKey(field: field, keyID: id) }
    return found
  }

  private func fieldLocation(
    _ field: String,
    _ id: TidingsV1.RecordID
  ) throws(EncryptionError) -> FieldLocation {
    guard !id.recordName.isEmpty else { throw .noRecordName }
    let zone = id.zoneID ?? .init()
    let owner = zone.ownerName.isEmpty ? user : zone.ownerName
    guard !owner.isEmpty else { throw .noUser }
    return FieldLocation(
      container: database.container.isEmpty ? "default" : database.container,
      environment: database.environment == .production ? "production" : "development",
      zoneOwner: owner,
      zoneName: zone.zoneName.isEmpty ? "_defaultZone" : zone.zoneName,
      recordName: id.recordName,
      field: field
    )
  }
}

extension TidingsV1.FieldValue.Value {
  /// The type that an encrypted value of this one has; `nil`: it cannot be encrypted.
  fileprivate var encryptedType: TidingsV1.EncryptedType? {
    switch self {
    case .stringValue: .string
    case .int64Value: .int64
    case .doubleValue: .double
    case .bytesValue: .bytes
    case .timestampValue: .timestamp
    case .locationValue: .location
    default: nil
    }
  }
}
