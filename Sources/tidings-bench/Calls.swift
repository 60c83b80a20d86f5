import BenchCore
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// The calls that are measured.
enum Calls {
  /// Who calls, in the calls about records.
  static let metadata = ["tidings-user": "bench", "tidings-device": "generator"]
  /// Another user with two devices.
  static let otherUser = "reader"
  /// The type of the records.
  static let recordType = "House"
  /// The type of the records that the subscription of `push` watches.
  static let watchedType = "WatchedHouse"
  /// The size of a record as sent, without what the server adds.
  static let recordBytes = 300
  /// Records that exist before fetches and updates.
  static let recordCount = 10_000
  /// Fields of a record that may have an index.
  static let indexableFields = [
    "city", "price", "listing", "bedrooms", "area", "address", "about", "built",
  ]

  /// HealthService/Check, without metadata.
  static func check() -> CallTemplate {
    template(TidingsRpcV1.HealthService.Methods.check, [:], TidingsRpcV1.CheckRequest())
  }

  /// FetchRecords of one record.
  static func fetch(
    in zone: TidingsV1.ZoneID? = nil,
    as metadata: [String: String] = metadata
  ) -> CallTemplate {
    template(
      TidingsV1.RecordService.Methods.fetchRecords,
      metadata,
      TidingsV1.FetchRecordsRequest(
        databaseID: database,
        recordIDs: [.init(recordName: "house-" + CallTemplate.namePlaceholder, zoneID: zone)]
      )
    )
  }

  /// ModifyRecords with one new record to save.
  static func save(
    type: String = recordType,
    in database: TidingsV1.DatabaseID = database,
    as metadata: [String: String] = metadata
  ) -> CallTemplate {
    let record = record(
      CallTemplate.namePlaceholder,
      serial: CallTemplate.serialPlaceholder,
      type: type
    )
    return save([record], updates: false, in: database, as: metadata)
  }

  /// ModifyRecords with records to save, which exist or do not.
  static func save(
    _ records: [TidingsV1.Record],
    updates: Bool,
    in database: TidingsV1.DatabaseID = database,
    as metadata: [String: String] = metadata
  ) -> CallTemplate {
    template(
      TidingsV1.RecordService.Methods.modifyRecords,
      metadata,
      saving(records, updates: updates, in: database)
    )
  }

  /// A request that saves records.
  static func saving(
    _ records: [TidingsV1.Record],
    updates: Bool,
    in database: TidingsV1.DatabaseID = database
  ) -> TidingsV1.ModifyRecordsRequest {
    TidingsV1.ModifyRecordsRequest(
      databaseID: database,
      recordsToSave: records,
      savePolicy: updates ? .changedKeys : .unspecified
    )
  }

  /// A record of 8 fields and so many encoded bytes; ten digits go into its name, ten into a field.
  static func record(
    _ number: String,
    serial: String,
    type: String = recordType,
    zone: TidingsV1.ZoneID? = nil,
    bytes: Int = recordBytes
  ) -> TidingsV1.Record {
    var filler = bytes
    var record = TidingsV1.Record()
    repeat {
      record = TidingsV1.Record(
        recordID: .init(recordName: "house-" + number, zoneID: zone),
        recordType: type,
        fields: [
          "address": text("17 Marrow Lane, Hillsborough"), "city": text("city-0001"),
          "price": .init(value: .int64Value(315_000)), "bedrooms": .init(value: .int64Value(4)),
          "area": .init(value: .doubleValue(182.5)), "listing": text("listing-" + serial),
          "about": text(String(repeating: "a", count: filler)),
          "built": .init(value: .int64Value(1974)),
        ]
      )
      filler = max(filler - record.encoded().count + bytes, 0)
    } while record.encoded().count > bytes
    return record
  }

  /// A record of one field of 256 bytes, ten digits of which are the serial.
  static func fieldRecord(_ number: String, serial: String) -> TidingsV1.Record {
    let content = Array(serial.utf8) + [UInt8](repeating: 0x61, count: 256 - serial.utf8.count)
    return TidingsV1.Record(
      recordID: .init(recordName: "item-" + number),
      recordType: "Item",
      fields: ["payload": .init(value: .bytesValue(content))]
    )
  }

  /// A record's number in ten digits.
  static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 10 - text.count)) + text
  }

  static let database = TidingsV1.DatabaseID(
    container: "bench",
    environment: .development,
    scope: .private
  )

  private static func text(_ text: String) -> TidingsV1.FieldValue {
    .init(value: .stringValue(text))
  }

  private static func template(
    _ method: MethodDescriptor,
    _ metadata: [String: String],
    _ request: some Message
  ) -> CallTemplate {
    let header = TidingsRpcV1.RequestHeader(
      callID: CallTemplate.firstCallID,
      method: method.fullName,
      metadata: metadata
    )
    return CallTemplate(header: header.encoded(), body: request.encoded())
  }
}
