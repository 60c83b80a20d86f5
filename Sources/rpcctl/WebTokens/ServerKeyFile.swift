internal import CommandLineTools
internal import TidingsJSON

/// A file with a public key, in PEM or DER.
struct ServerKeyFile {
  private static let begin = "-----BEGIN PUBLIC KEY-----"
  private static let end = "-----END PUBLIC KEY-----"
  /// The first byte of a DER sequence.
  private static let sequence: UInt8 = 0x30

  /// SubjectPublicKeyInfo in DER.
  let publicKey: [UInt8]

  /// Reads the content of a file.
  ///
  /// - Throws: `LocalFailure` without a public key; its message does not show the content.
  init(_ content: [UInt8]) throws(LocalFailure) {
    if content.first == Self.sequence {
      publicKey = content
      return
    }
    let text = String(decoding: content, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimming(" ") }
    guard let first = lines.firstIndex(of: Self.begin),
      let last = lines[first...].firstIndex(of: Self.end),
      let bytes = Base64.decode(lines[(first + 1)..<last].joined())
    else {
      throw LocalFailure(
        "the file has no public key: write one with openssl ec -in KEY.pem -pubout"
      )
    }
    publicKey = bytes
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    String(drop(while: { $0 == character }).reversed().drop(while: { $0 == character }).reversed())
  }
}
