public import Foundation

/// `NSPredicate(format: "date > %@", date as CVarArg)` is how much code names its arguments.
extension NSObject: @retroactive CVarArg {
  /// A pointer, as in formats.
  public var _cVarArgEncoding: [Int] {
    [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
  }
}

extension Date: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg {
    NSDate(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)
  }
}

extension Data: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg { NSData(data: self) }
}

extension Array: @retroactive _CVarArgObject {
  /// Never used: the object is.
  public var _cVarArgEncoding: [Int] { [] }
  /// What is formatted.
  public var _cVarArgObject: any CVarArg { NSArray(array: self) }
}
