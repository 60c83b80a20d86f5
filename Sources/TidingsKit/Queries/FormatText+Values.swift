internal import Foundation
internal import TidingsProto

extension FormatText {
  /// The format with its arguments in their positions, for people and for names that are made of it.
  var withValues: String {
    var (text, rest, values) = ("", format[...], arguments[...])
    var quote: Character?
    while let character = rest.popFirst() {
      if quote == nil, character == "%", let letter = rest.popFirst(), let value = values.popFirst()
      {
        text += letter == "K" ? value.value?.name ?? "" : value.value?.literal ?? "nil"
        continue
      }
      text.append(character)
      if let open = quote {
        if character == "\\", let escaped = rest.popFirst() { text.append(escaped) }
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      }
    }
    return text
  }
}

extension TidingsV1.FieldValue.Value {
  /// The name of a field.
  fileprivate var name: String? { if case .stringValue(let name) = self { name } else { nil } }

  /// The value as formats have it.
  fileprivate var literal: String {
    switch self {
    case .stringValue(let text): Self.quoted(text)
    case .int64Value(let number): "\(number)"
    case .doubleValue(let number): "\(number)"
    case .timestampValue(let time):
      "CAST(\(Date(time).timeIntervalSinceReferenceDate), \"NSDate\")"
    case .bytesValue(let bytes):
      "<" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + ">"
    case .locationValue(let location): "<\(location.latitude), \(location.longitude)>"
    case .referenceValue(let reference):
      Self.quoted(CKRecord.ID(reference.recordID ?? .init()).description)
    case .stringListValue(let list): Self.list(list.values.map { Self.stringValue($0) })
    case .int64ListValue(let list): Self.list(list.values.map { Self.int64Value($0) })
    case .doubleListValue(let list): Self.list(list.values.map { Self.doubleValue($0) })
    case .timestampListValue(let list): Self.list(list.values.map { Self.timestampValue($0) })
    case .bytesListValue(let list): Self.list(list.values.map { Self.bytesValue($0) })
    case .locationListValue(let list): Self.list(list.values.map { Self.locationValue($0) })
    case .referenceListValue(let list): Self.list(list.values.map { Self.referenceValue($0) })
    default: "nil"
    }
  }

  private static func list(_ values: [Self]) -> String {
    "{" + values.map(\.literal).joined(separator: ", ") + "}"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
    return "\"" + escaped.replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }
}
