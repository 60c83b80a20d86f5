/// A call that is applied once, however often it is sent.
public struct IdempotentCall: Sendable {
  /// The user that calls.
  public let owner: String
  /// The key that the client chose.
  public let key: String
  /// The key as it is stored: it may contain U+0000, which not every engine stores in text.
  let keyBytes: [UInt8]
  let requestHash: [UInt8]

  /// A call.
  ///
  /// - Parameters:
  ///   - owner: The user that calls.
  ///   - key: The key that the client chose.
  ///   - method: The method's full name.
  ///   - request: The encoded request.
  public init(owner: String, key: String, method: String, request: UnsafeRawBufferPointer) {
    self.owner = owner
    self.key = key
    keyBytes = Array(key.utf8)
    requestHash = Cryptography.hash(Array(method.utf8) + [0] + request, bytes: 16)
  }
}
