public import Foundation

/// How far a feed was read; the server's, opaque, to be kept.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Tokens are equal when they mark the same place, said the same way.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.bytes == bytes
  }

  /// Of all bytes.
  public override var hash: Int { bytes.hashValue }

  /// Itself: tokens do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Tokens can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the token.
  public func encode(with coder: NSCoder) { coder.encode(Data(bytes) as NSData, forKey: "token") }

  /// Reads what `encode(with:)` wrote.
  public init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "token") else { return nil }
    bytes = Array(Data(referencing: data))
  }
}
