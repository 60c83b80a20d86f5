internal import TidingsKeys

/// What libzmq asks about a connection: ZAP, RFC 27.
struct ZAPRequest {
  /// Names the request in its reply.
  let id: [UInt8]
  /// Where the connection comes from.
  let address: String
  /// The key that the client has proved to have; `nil` when the request is not as we expect it.
  let publicKey: PublicKey?
  /// The connection is one without keys.
  let isNull: Bool

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
    isNull =
      frames.count == 6 && frames[0].elementsEqual("1.0".utf8)
      && frames[5].elementsEqual("NULL".utf8)
    guard frames.count == 7, frames[0].elementsEqual("1.0".utf8),
      frames[5].elementsEqual("CURVE".utf8)
    else {
      publicKey = nil
      return
    }
    publicKey = PublicKey(Array(frames[6]))
  }
}

/// The reply to libzmq about a connection.
enum ZAPReply {
  /// Let it in, with a routing id; its messages carry the number of its key and its own.
  case admitted(keyNumber: Int64?, ConnectionNumber)
  /// Reply that it is rejected.
  case refused
  /// Close it without a word.
  case dropped

  /// The frames after the empty delimiter.
  func frames(to id: [UInt8]) -> [[UInt8]] {
    let (code, text, user, properties): (String, String, String, [UInt8]) =
      switch self {
      case .admitted(let key, let connection):
        (
          "200", "OK", key.map { "\($0)" } ?? "",
          Self.property("Identity", connection.routingID)
            + Self.property("\(Self.connectionProperty)", Array("\(connection.value)".utf8))
        )
      case .refused: ("400", "the key is not admitted", "", [])
      case .dropped: ("300", "try again later", "", [])
      }
    return [
      Array("1.0".utf8), id, Array(code.utf8), Array(text.utf8), Array(user.utf8), properties,
    ]
  }

  /// Under this name all messages of a connection carry its number.
  static let connectionProperty: StaticString = "Tidings-Connection"

  /// A property as in ZMTP's commands: the name after its length, the value after its own.
  private static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [UInt8(name.utf8.count)] + Array(name.utf8)
      + withUnsafeBytes(of: UInt32(value.count).bigEndian) { Array($0) } + value
  }
}
