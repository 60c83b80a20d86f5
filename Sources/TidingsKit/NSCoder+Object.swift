internal import Foundation

extension NSCoder {
  /// An object from an archive; `nil` when the archive has none with this key, as one that another program made.
  ///
  /// Foundation's `decodeObject(of:forKey:)` ends the process then.
  func object<Value: NSObject & NSCoding>(of type: Value.Type, forKey key: String) -> Value? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }
}
