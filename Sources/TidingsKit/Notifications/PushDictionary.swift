internal import Foundation
internal import TidingsJSON
internal import TidingsProto

/// A dictionary of a push: of Foundation's objects, or of Swift's values where a test made it.
struct PushDictionary {
  private let values: [String: Any]

  init?(_ value: Any?) {
    guard let values = value as? [String: Any] else { return nil }
    self.values = values
  }

  subscript(name: String) -> Any? { values[name] }

  func text(_ name: String) -> String { values[name] as? String ?? "" }

  func texts(_ name: String) -> [String] { values[name] as? [String] ?? [] }

  func number(_ name: String) -> Int? { (values[name] as? Int).flatMap { $0 < 0 ? nil : $0 } }

  /// Values as fields, without the types that pushes do not carry.
  var fields: [String: TidingsV1.FieldValue] {
    values.compactMapValues { value in
      if let location = PushDictionary(value),
        let latitude = location.values["latitude"] as? Double,
        let longitude = location.values["longitude"] as? Double
      {
        return CLLocation(latitude: latitude, longitude: longitude).recordContent.wire
      }
      guard let content = (value as? any CKRecordValueProtocol)?.recordContent else { return nil }
      return content.wire.value == nil ? nil : content.wire
    }
  }
}

extension JSONValue {
  /// As Foundation has it: all of it objects, which casts turn into Swift's values, and which older code
  /// expects (`userInfo as! [String: NSObject]`).
  var foundationObject: NSObject {
    switch self {
    case .null: return NSNull()
    case .bool(let value): return NSNumber(value: value)
    case .number(let number):
      if let integer = number.exactly(Int64.self) { return NSNumber(value: integer) }
      return NSNumber(value: number.double ?? 0)
    case .string(let text): return NSString(string: text)
    case .array(let values): return NSArray(array: values.map(\.foundationObject))
    case .object(let members):
      let dictionary = NSMutableDictionary()
      for member in members.members {
        dictionary.setObject(member.value.foundationObject, forKey: NSString(string: member.name))
      }
      return dictionary
    }
  }
}
