internal import TidingsJSON
internal import TidingsProto

/// The changes that saving a record would make to the stored one.
struct RecordDifference {
  /// One field; `nil`: missing on that side.
  struct Field: Hashable {
    let name: String
    let new: TidingsV1.FieldValue?
    let stored: TidingsV1.FieldValue?
  }

  let recordID: TidingsV1.RecordID
  let recordType: String
  /// No such record is stored.
  let isNew: Bool
  /// The stored record has another type.
  private(set) var storedType: String?
  private(set) var fields: [Field] = []

  var isEmpty: Bool { !isNew && storedType == nil && fields.isEmpty }

  /// Compares a record with the stored one.
  ///
  /// - Parameters:
  ///   - new: The record; fields that it does not have are kept, null fields are removed.
  ///   - stored: The stored record; `nil`: none.
  ///   - isExact: Also report fields that only the stored record has.
  init(_ new: TidingsV1.Record, stored: TidingsV1.Record?, isExact: Bool = false) {
    recordID = new.recordID ?? .init()
    recordType = new.recordType
    isNew = stored == nil
    if let stored, stored.recordType != new.recordType { storedType = stored.recordType }
    let old = stored?.fields ?? [:]
    let names = isExact ? Set(new.fields.keys).union(old.keys) : Set(new.fields.keys)
    for name in names.sorted() {
      let value = new.fields[name].flatMap { $0.value == nil ? nil : $0 }
      let field = Field(name: name, new: value, stored: old[name])
      if !isSame(field) { fields.append(field) }
    }
  }

  /// Ciphertexts differ even for equal values, so decrypted ones are compared.
  private func isSame(_ field: Field) -> Bool {
    guard case .encryptedValue? = field.new?.value, case .encryptedValue? = field.stored?.value,
      EncryptedFields.sealer != nil, let new = field.new, let stored = field.stored
    else { return field.new == field.stored }
    return json(new, field) == json(stored, field)
  }

  /// The differences as JSON.
  var json: JSONValue {
    .omittingNil([
      "recordName": .string(recordID.recordName), "zoneName": recordID.zoneNameJSON,
      "recordType": .string(recordType), "isNew": isNew ? .bool(true) : nil,
      "storedType": storedType.map { .string($0) },
      "fields": .object(
        fields.reduce(into: [:]) { object, field in
          object.append(
            field.name,
            .omittingNil([
              "new": field.new.map { json($0, field) },
              "stored": field.stored.map { json($0, field) },
            ])
          )
        }
      ),
    ])
  }

  /// The differences as rows.
  var rows: [[String]] {
    let name = RecordResults.name(recordID)
    var rows: [[String]] = isNew ? [[name, "(record)", recordType, ""]] : []
    if let storedType { rows.append([name, "(type)", recordType, storedType]) }
    return rows
      + fields.map { field in
        [
          name, field.name, field.new.map { json($0, field).description } ?? "",
          field.stored.map { json($0, field).description } ?? "",
        ]
      }
  }

  private func json(_ value: TidingsV1.FieldValue, _ field: Field) -> JSONValue {
    FieldValueJSON(zoneName: recordID.zoneID?.zoneName ?? "")
      .shown(value, field: field.name, of: recordID)
  }
}
