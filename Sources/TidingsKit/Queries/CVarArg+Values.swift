public import Foundation

// `NSPredicate(format: "date > %@", date as CVarArg)` is how much code names its arguments; on Apple's
// platforms Foundation conforms.

// swift-format-ignore: AvoidRetroactiveConformances
extension NSObject: @retroactive CVarArg {
  /// A pointer, as in formats.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

// swift-format-ignore: AvoidRetroactiveConformances
extension Date: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg {
    NSDate(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)
  }
}

// swift-format-ignore: AvoidRetroactiveConformances
extension Data: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg { NSData(data: self) }
}

// swift-format-ignore: AvoidRetroactiveConformances
extension Array: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg { NSArray(array: self) }
}
