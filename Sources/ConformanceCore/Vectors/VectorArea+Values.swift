internal import TidingsEncryption
internal import TidingsProto
internal import TidingsProtobuf

extension VectorArea {
  /// Encrypted values of fields.
  static func values() -> Self {
    let position = Position()
    let types: [(String, TidingsV1.EncryptedType, TidingsV1.FieldValue.Value)] = [
      ("string", .string, .stringValue("Grüße")),
      ("int64", .int64, .int64Value(-42)),
      ("double", .double, .doubleValue(0.5)),
      ("bytes", .bytes, .bytesValue([0, 255])),
      ("timestamp", .timestamp, .timestampValue(.init(seconds: 1, nanos: 5_000_000))),
      ("timestamp_nanoseconds", .timestamp, .timestampValue(.init(seconds: 1, nanos: 5_000_001))),
      ("location", .location, .locationValue(.init(latitude: 47.5, longitude: -122.25))),
    ]
    let good = position.sealed(.stringValue("secret"), .string)
    return Self(
      name: "encrypted_values",
      about: "Values sealed for one place, with the key ring that opens them.",
      vectors: types.map { name, type, value in
        position.vector(
          name,
          "A value of this type.",
          position.sealed(value, type),
          opened: .init(value: value)
        )
      } + [
        position.vector(
          "empty_string",
          "The empty text is a value.",
          position.sealed(.stringValue(""), .string),
          opened: .init(value: .stringValue(""))
        ),
        position.with { $0.ring = Position.ring(use: "open") }.vector(
          "key_that_only_opens",
          "A key that no longer seals opens what it sealed.",
          good,
          opened: .init(value: .stringValue("secret"))
        ),
        position.with { $0.database.container = "" }.vector(
          "container_without_name",
          "A container without a name is `default`.",
          good,
          opened: .init(value: .stringValue("secret"))
        ),
        position.with {
          $0.record.zoneID = nil
          $0.user = "ada"
        }.vector(
          "default_zone",
          "No zone is the default zone, and its owner the user.",
          position.with { $0.record.zoneID = .init(zoneName: "_defaultZone", ownerName: "ada") }
            .sealed(.stringValue("secret"), .string),
          opened: .init(value: .stringValue("secret"))
        ),
        position.with { $0.field = "pin2" }.vector("other_field", "Moved to another field.", good),
        position.with { $0.record.recordName = "r2" }.vector(
          "other_record",
          "Moved to another record.",
          good
        ),
        position.with { $0.record.zoneID?.zoneName = "home" }.vector(
          "other_zone",
          "Moved to another zone.",
          good
        ),
        position.with { $0.record.zoneID?.ownerName = "eve" }.vector(
          "other_owner",
          "Moved to another user's zone.",
          good
        ),
        position.with { $0.database.container = "elsewhere" }.vector(
          "other_container",
          "Moved to another container.",
          good
        ),
        position.with { $0.database.environment = .production }.vector(
          "other_environment",
          "Moved to another environment.",
          good
        ),
        position.vector(
          "other_type",
          "It says to be of another type.",
          good.with { $0.type = .int64 }
        ),
        position.vector(
          "missing_key",
          "The ring does not have the key.",
          good.with { $0.keyID = [9] + $0.keyID.dropFirst() }
        ),
        position.vector(
          "tampered",
          "A byte was changed.",
          good.with { $0.sealed = $0.sealed.changed(at: $0.sealed.count - 1) }
        ),
        position.vector(
          "cut_short",
          "39 bytes hold no value.",
          good.with { $0.sealed = Array($0.sealed.prefix(39)) }
        ),
        position.with { $0.ring = "seal 00 11\n" }.vector(
          "damaged_ring",
          "The key ring is none.",
          good
        ),
      ]
    )
  }
}

/// Where a value is sealed and opened.
private struct Position {
  var ring = Position.ring(use: "seal")
  var database = TidingsV1.DatabaseID(
    container: "default",
    environment: .development,
    scope: .private
  )
  var record = TidingsV1.RecordID(
    recordName: "r1",
    zoneID: .init(zoneName: "work", ownerName: "ada")
  )
  var field = "pin"
  var user = "bob"

  /// The key 0...31.
  private static let key = EncryptionKey(Array(0..<32))

  static func ring(use: String) -> String {
    let id = hexadecimal(key?.id ?? [])
    return "# Tidings key ring\n\n\(use) \(id) \(hexadecimal(UInt8(0)..<32))\n"
  }

  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  func sealed(
    _ value: TidingsV1.FieldValue.Value,
    _ type: TidingsV1.EncryptedType
  ) -> TidingsV1.EncryptedValue {
    let position = FieldLocation(
      container: database.container,
      environment: "development",
      zoneOwner: record.zoneID?.ownerName ?? user,
      zoneName: record.zoneID?.zoneName ?? "_defaultZone",
      recordName: record.recordName,
      field: field
    )
    let plain = TidingsV1.FieldValue(value: value).encoded()
    return .init(
      type: type,
      keyID: Self.key?.id ?? [],
      sealed: Self.key?.seal(plain, for: position, nonce: Array(100..<124)) ?? []
    )
  }

  func vector(
    _ name: String,
    _ about: String,
    _ value: TidingsV1.EncryptedValue,
    opened: TidingsV1.FieldValue? = nil
  ) -> Vector {
    let position = Vector.EncryptedLocation(
      keyRing: ring,
      databaseID: database.encoded(),
      recordID: record.encoded(),
      field: field,
      user: user
    )
    return Vector(
      name: name,
      about: about,
      content: .value(position, value: value.encoded(), opened: opened?.encoded())
    )
  }
}

extension TidingsV1.EncryptedValue {
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
