internal import TidingsModel

/// Texts that stand for web sessions until they end, whatever their tokens are then: for URLs that gateways seal.
///
/// Nothing is stored for them: a text names a session, with a hash that only this store can make.
struct SessionHandles {
  private static let prefix = UInt8(ascii: "h")
  private static let digits = 1...19
  /// A mark, the ID, a point, and the hash in the alphabet of base64 for URLs.
  private static let characters =
    (2 + digits.lowerBound + WebTokenText.base64URLCount)...charactersMax
  static let charactersMax = 2 + digits.upperBound + WebTokenText.base64URLCount

  private let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  /// The text for a session.
  func text(of session: WebToken) -> String { "h\(session.id)." + hash(of: session) }

  /// The ID of the session that a text names; `nil`: it is no handle.
  func id(in text: UnsafeRawBufferPointer) -> Int64? {
    guard Self.characters.contains(text.count), text.first == Self.prefix else { return nil }
    let digits = text[1..<(text.count - WebTokenText.base64URLCount - 1)]
    return Int64(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether a text is the handle of a session.
  func isHandle(_ text: UnsafeRawBufferPointer, of session: WebToken) -> Bool {
    Cryptography.areEqual(Array(text)[...], Array(self.text(of: session).utf8))
  }

  /// Of all that makes the session this one: an ID is used again by an older copy of the store.
  private func hash(of session: WebToken) -> String {
    let created = session.created
    let text =
      "web session\0\(session.id)\0\(created.seconds).\(created.nanoseconds)\0\(session.user)"
    return WebTokenText.base64URL(
      Cryptography.hash(Array(text.utf8), key: secret, bytes: WebTokenText.bytesCount)
    )
  }
}
