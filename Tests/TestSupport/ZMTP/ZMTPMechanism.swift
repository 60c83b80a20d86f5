internal import CSodium
internal import TidingsKeys

/// What a client of ZMTP says after the greeting, and how its frames look on the wire.
protocol ZMTPMechanism {
  /// In the greeting.
  static var name: String { get }
  /// Makes the handshake.
  ///
  /// - Parameters:
  ///   - properties: What the client reports itself, encoded.
  ///   - exchange: Sends a command, and returns the server's next one.
  /// - Throws: `WaitingFailure` when the server refuses the client.
  mutating func greet(
    _ properties: [UInt8],
    _ exchange: (_ command: [UInt8]) throws -> [UInt8]
  ) throws
  /// The body on the wire of a frame, whose flags say what else there is.
  mutating func seal(_ flags: UInt8, _ frame: [UInt8]) -> (flags: UInt8, body: [UInt8])
  /// The reverse.
  mutating func open(_ flags: UInt8, _ body: [UInt8]) throws -> (flags: UInt8, frame: [UInt8])
}

/// Nothing is proved and nothing encrypted.
struct NullMechanism: ZMTPMechanism {
  static let name = "NULL"

  func greet(_ properties: [UInt8], _ exchange: ([UInt8]) throws -> [UInt8]) throws {
    let answer = try exchange([5] + Array("READY".utf8) + properties)
    guard answer.starts(with: [5] + Array("READY".utf8)) else {
      throw WaitingFailure(description: "refused: \(String(decoding: answer, as: UTF8.self))")
    }
  }

  func seal(_ flags: UInt8, _ frame: [UInt8]) -> (flags: UInt8, body: [UInt8]) { (flags, frame) }

  func open(_ flags: UInt8, _ body: [UInt8]) -> (flags: UInt8, frame: [UInt8]) { (flags, body) }
}

/// CurveZMQ, RFC 26.
struct CurveMechanism: ZMTPMechanism {
  static let name = "CURVE"

  private let keys: ClientKeys
  private let session = KeyPair()
  private var serverSession: [UInt8] = []
  private var nonce: UInt64 = 0

  init(_ keys: ClientKeys) { self.keys = keys }

  mutating func greet(
    _ properties: [UInt8],
    _ exchange: ([UInt8]) throws -> [UInt8]
  ) throws {
    let short = nextNonce()
    let signature = box(
      [UInt8](repeating: 0, count: 64),
      Array("CurveZMQHELLO---".utf8) + short,
      keys.server.bytes,
      session.secretKey
    )
    let welcome = try exchange(
      [5] + Array("HELLO".utf8) + [1, 0] + [UInt8](repeating: 0, count: 72)
        + session.publicKey.bytes + short + signature
    )
    guard welcome.count == 168 else { throw Self.failure(welcome) }
    let opened = try unbox(
      Array(welcome[24...]),
      Array("WELCOME-".utf8) + welcome[8..<24],
      keys.server.bytes,
      session.secretKey
    )
    serverSession = Array(opened[..<32])
    let vouchNonce = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let vouch = box(
      session.publicKey.bytes + keys.server.bytes,
      Array("VOUCH---".utf8) + vouchNonce,
      serverSession,
      keys.pair.secretKey
    )
    let initiateNonce = nextNonce()
    let proof = box(
      keys.pair.publicKey.bytes + vouchNonce + vouch + properties,
      Array("CurveZMQINITIATE".utf8) + initiateNonce,
      serverSession,
      session.secretKey
    )
    let ready = try exchange(
      [8] + Array("INITIATE".utf8) + opened[32...] + initiateNonce + proof
    )
    guard ready.starts(with: [5] + Array("READY".utf8)) else { throw Self.failure(ready) }
  }

  mutating func seal(_ flags: UInt8, _ frame: [UInt8]) -> (flags: UInt8, body: [UInt8]) {
    let short = nextNonce()
    // In the box: 1: more frames follow, 2: a command.
    let inner = flags & 1 | (flags & 4) >> 1
    let sealed = box(
      [inner] + frame,
      Array("CurveZMQMESSAGEC".utf8) + short,
      serverSession,
      session.secretKey
    )
    return (0, [7] + Array("MESSAGE".utf8) + short + sealed)
  }

  mutating func open(
    _ flags: UInt8,
    _ body: [UInt8]
  ) throws -> (flags: UInt8, frame: [UInt8]) {
    guard body.count > 33 else { throw Self.failure(body) }
    let opened = try unbox(
      Array(body[16...]),
      Array("CurveZMQMESSAGES".utf8) + body[8..<16],
      serverSession,
      session.secretKey
    )
    return (opened[0] & 1 | (opened[0] & 2) << 1, Array(opened[1...]))
  }

  private mutating func nextNonce() -> [UInt8] {
    nonce += 1
    return withUnsafeBytes(of: nonce.bigEndian) { Array($0) }
  }

  private func box(
    _ plain: [UInt8],
    _ nonce: [UInt8],
    _ publicKey: [UInt8],
    _ secretKey: [UInt8]
  ) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: plain.count + 16)
    precondition(
      crypto_box_easy(&sealed, plain, UInt64(plain.count), nonce, publicKey, secretKey) == 0
    )
    return sealed
  }

  private func unbox(
    _ sealed: [UInt8],
    _ nonce: [UInt8],
    _ publicKey: [UInt8],
    _ secretKey: [UInt8]
  ) throws -> [UInt8] {
    var plain = [UInt8](repeating: 0, count: sealed.count - 16)
    guard
      crypto_box_open_easy(&plain, sealed, UInt64(sealed.count), nonce, publicKey, secretKey) == 0
    else { throw WaitingFailure(description: "a box cannot be opened") }
    return plain
  }

  private static func failure(_ command: [UInt8]) -> WaitingFailure {
    WaitingFailure(description: "refused: \(String(decoding: command, as: UTF8.self))")
  }
}
