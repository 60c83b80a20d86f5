/// The public part of a CURVE key pair: who has the other part can prove to be whom it stands for.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
  /// Length of a key, in bytes.
  public static let byteCount = 32

  /// The key.
  public let bytes: [UInt8]

  /// A key from its bytes; `nil` unless there are 32.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// A key from its text in Z85, 40 characters; `nil` for any other text.
  public init?(z85 text: String) {
    guard let bytes = Z85.decode(text) else { return nil }
    self.init(bytes)
  }

  /// The key in Z85, 40 characters.
  public var description: String { Z85.encode(bytes) }
}
