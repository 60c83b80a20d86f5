internal import TidingsProto

extension TidingsV1.FieldValue.Value {
  /// The name of the type in JSON, where it has one.
  var kindName: String {
    switch self {
    case .stringValue: "string"
    case .int64Value: "int64"
    case .doubleValue: "double"
    case .bytesValue: "bytes"
    case .timestampValue: "timestamp"
    case .locationValue: "location"
    case .referenceValue: "reference"
    case .assetValue: "asset"
    default: "list"
    }
  }

  var isNumber: Bool { kindName == "int64" || kindName == "double" }

  /// A number as a double.
  var double: Double? {
    switch self {
    case .int64Value(let number): Double(number)
    case .doubleValue(let number): number
    default: nil
    }
  }

  /// A list of values that all have the type of the first.
  init(list values: [Self], like first: Self) {
    switch first {
    case .int64Value:
      self = .int64ListValue(.init(values: values.compactMap(\.int64)))
    case .doubleValue: self = .doubleListValue(.init(values: values.compactMap(\.double)))
    case .bytesValue:
      self = .bytesListValue(.init(values: values.compactMap(\.bytes)))
    case .timestampValue:
      self = .timestampListValue(.init(values: values.compactMap(\.timestamp)))
    case .locationValue:
      self = .locationListValue(.init(values: values.compactMap(\.location)))
    case .referenceValue:
      self = .referenceListValue(.init(values: values.compactMap(\.reference)))
    case .assetValue:
      self = .assetListValue(.init(values: values.compactMap(\.asset)))
    default:
      self = .stringListValue(.init(values: values.compactMap(\.string)))
    }
  }

  private var int64: Int64? { if case .int64Value(let value) = self { value } else { nil } }
  private var bytes: [UInt8]? { if case .bytesValue(let value) = self { value } else { nil } }
  private var timestamp: GoogleProtobuf.Timestamp? { if case .timestampValue(let value) = self { value } else { nil } }
  private var location: TidingsV1.Location? { if case .locationValue(let value) = self { value } else { nil } }
  private var reference: TidingsV1.Reference? { if case .referenceValue(let value) = self { value } else { nil } }
  private var asset: TidingsV1.Asset? { if case .assetValue(let value) = self { value } else { nil } }
  private var string: String? { if case .stringValue(let value) = self { value } else { nil } }
}
