internal import TidingsKeys

/// What libzmq asks about a connection: ZAP, RFC 27.
struct ZAPRequest {
  /// Names the request in its reply.
  let id: [UInt8]
  /// Where the connection comes from.
  let address: String
  /// The key that the client has proved to have; `nil` when the request is not as we expect it.
  let publicKey: PublicKey?

  /// Longest request id and address that are taken; libzmq's own are far shorter.
  private static let textBytesMax = 255

  /// Reads a request: the frames after the empty delimiter.
  ///
  /// - Returns: `nil` when there is nothing that could be answered.
  init?(_ frames: [UnsafeRawBufferPointer]) {
    guard frames.count >= 2, frames[1].count <= Self.textBytesMax else { return nil }
    id = Array(frames[1])
    address =
      frames.count >= 4 ? String(decoding: frames[3].prefix(Self.textBytesMax), as: UTF8.self) : ""
    guard frames.count == 7, frames[0].elementsEqual("1.0".utf8),
      frames[5].elementsEqual("CURVE".utf8)
    else {
      publicKey = nil
      return
    }
    publicKey = PublicKey(Array(frames[6]))
  }
}

/// What libzmq is told about a connection.
enum ZAPReply {
  /// Let it in; its calls carry the number of its key.
  case admitted(Int64)
  /// Tell it that it is refused.
  case refused
  /// Close it without a word.
  case dropped

  /// The frames after the empty delimiter.
  func frames(to id: [UInt8]) -> [[UInt8]] {
    let (code, text, user) =
      switch self {
      case .admitted(let number): ("200", "OK", "\(number)")
      case .refused: ("400", "the key is not admitted", "")
      case .dropped: ("300", "try again later", "")
      }
    return [Array("1.0".utf8), id, Array(code.utf8), Array(text.utf8), Array(user.utf8), []]
  }
}
