import CZeroMQ
import TidingsKeys

/// The processes that rpcd is compared with; verbs of this program that help does not show.
enum BareServers {
  /// Sends every message back.
  static func echo() throws {
    let router = try BareRouter()
    router.announce()
    try router.run { count in
      for message in 0..<count { try router.reply(message) }
    }
  }

  /// Sends every message back, over connections that CURVE encrypts; admits everybody.
  static func curveEcho(secretKey: String) throws {
    guard let pair = KeyPair(secretText: secretKey) else { throw BenchError("not a secret key") }
    let router = try BareRouter(pair)
    router.announce()
    try router.run { count in
      for message in 0..<count { try router.reply(message) }
    }
  }

  /// Publishes a message of a size for every request; it holds the time of its publication.
  static func publish(byteCount: Int) throws {
    let router = try BareRouter()
    let publisher = try RawSocket(router.context, kind: ZMQ_PUB)
    router.announce(push: try publisher.bindToLoopback())
    let topic = PushProbe.bareTopic
    var body = [UInt8](repeating: 0, count: max(byteCount, MemoryLayout<UInt64>.size))
    try router.run { count in
      for _ in 0..<count {
        let now = Clock.now()
        body.withUnsafeMutableBytes { $0.storeBytes(of: now, as: UInt64.self) }
        try publisher.send(topic, more: true)
        try publisher.send(body)
      }
    }
  }
}
