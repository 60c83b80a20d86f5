internal import Foundation

/// Values as the types that code asks for.
extension CKRecordContent {
  /// A value as a type: numbers are converted as `NSNumber` converts them, others must be of the type.
  static func read<T: CKRecordValueProtocol>(_ value: (any CKRecordValueProtocol)?) -> T? {
    if let value = value as? T { return value }
    guard let number = value as? NSNumber, let type = T.self as? any NumberReadable.Type else {
      return nil
    }
    return type.init(truncating: number) as? T
  }

  /// The value as an object; what Swift has as a value becomes Foundation's class.
  var object: (any __CKRecordObjCValue)? {
    switch value {
    case let object as any __CKRecordObjCValue: object
    case let text as String: NSString(string: text)
    case let date as Date:
      NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case let data as Data: NSData(data: data)
    case let list as [Any]: NSArray(array: list)
    default: nil
    }
  }
}

/// Numbers that `NSNumber` converts to.
private protocol NumberReadable {
  init(truncating number: NSNumber)
}

extension Bool: NumberReadable {}
extension Double: NumberReadable {}
extension Float: NumberReadable {}
extension Int: NumberReadable {}
extension Int8: NumberReadable {}
extension Int16: NumberReadable {}
extension Int32: NumberReadable {}
extension Int64: NumberReadable {}
extension UInt: NumberReadable {}
extension UInt8: NumberReadable {}
extension UInt16: NumberReadable {}
extension UInt32: NumberReadable {}
extension UInt64: NumberReadable {}
