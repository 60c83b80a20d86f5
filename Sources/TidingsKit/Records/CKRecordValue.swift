public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// What a field of a record can hold: text, numbers, times, bytes, places, relations, files, and lists of
/// one of them.
public protocol CKRecordValueProtocol {
  /// What is stored of it; types of other modules need not have it, and cannot be stored.
  var recordContent: CKRecordContent { get }
}

extension CKRecordValueProtocol {
  /// Nothing, for types that no field holds.
  public var recordContent: CKRecordContent {
    .init(.unusable("a field cannot hold \(type(of: self))"))
  }
}

// swift-format-ignore: NoLeadingUnderscores
/// A value of a field as an object, in the name that CloudKit's interface has for it.
///
/// Strings, numbers, dates and lists are values of Swift and do not conform, so extensions of this protocol do not
/// add members to them.
public protocol __CKRecordObjCValue: CKRecordValueProtocol {}

/// A value of a field, as older code names it.
public typealias CKRecordValue = CKRecordValueProtocol

/// What is stored of a value.
public struct CKRecordContent: Sendable {
  enum Kind: Sendable {
    case value(TidingsV1.FieldValue.Value)
    case asset(CKAsset)
    case assets([CKAsset])
    /// What cannot be stored, and why.
    case unusable(String)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }
  init(_ value: TidingsV1.FieldValue.Value) { kind = .value(value) }
}

extension String: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.stringValue(self)) }
}

extension Bool: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.int64Value(self ? 1 : 0)) }
}

extension Double: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.doubleValue(self)) }
}

extension Float: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.doubleValue(Double(self))) }
}

extension CKRecordValueProtocol where Self: BinaryInteger {
  /// A whole number.
  public var recordContent: CKRecordContent {
    guard let number = Int64(exactly: self) else {
      return .init(.unusable("\(self) is beyond 64 bits with a sign"))
    }
    return .init(.int64Value(number))
  }
}

extension Int: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}

extension Data: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.bytesValue(Array(self))) }
}

extension Date: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(.timestampValue(.init(self))) }
}

extension NSString: __CKRecordObjCValue {
  /// What is stored.
  public var recordContent: CKRecordContent { String(describing: self).recordContent }
}

extension NSNumber: __CKRecordObjCValue {
  /// What is stored.
  public var recordContent: CKRecordContent {
    let type = UInt8(bitPattern: objCType.pointee)
    return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
      ? doubleValue.recordContent : int64Value.recordContent
  }
}

extension NSDate: __CKRecordObjCValue {
  /// What is stored.
  public var recordContent: CKRecordContent {
    Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).recordContent
  }
}

extension NSData: __CKRecordObjCValue {
  /// What is stored.
  public var recordContent: CKRecordContent { Data(referencing: self).recordContent }
}

extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {
  /// What is stored.
  public var recordContent: CKRecordContent { .init(list: map(\.recordContent)) }
}

extension NSArray: __CKRecordObjCValue {
  /// What is stored.
  public var recordContent: CKRecordContent {
    var contents: [CKRecordContent] = []
    for element in self {
      guard let value = element as? any CKRecordValueProtocol else {
        return .init(.unusable("a list cannot hold \(type(of: element))"))
      }
      contents.append(value.recordContent)
    }
    return .init(list: contents)
  }
}
