/// A call that is applied once, however often it is sent.
public struct IdempotentCall: Sendable {
  /// The user that calls.
  public let owner: String
  /// The key that the client chose.
  public let key: String
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
    requestHash = Cryptography.hash(Array(method.utf8) + [0] + request, bytes: 16)
  }
}
