import BenchCore
import CZeroMQ
import TidingsEngine
import TidingsKeys
import TidingsSQLite

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

  /// Stores every message under the key in it, one transaction per turn, and sends it back when it
  /// is on disk.
  ///
  /// The key's digits stand at an offset of the body.
  static func put(folder: String, keyOffset: Int) throws {
    let store = try BareStore(path: folder + "/bare.sqlite")
    let checkpointer = Checkpointer(
      path: folder + "/bare.sqlite",
      thresholds: LogThresholds(bytesMax: Limits().logBytesMax)
    )
    defer { checkpointer.stop() }
    let router = try BareRouter()
    router.announce()
    let keyRange = keyOffset..<keyOffset + CallTemplate.digitCount
    try router.run { count in
      try store.begin()
      for message in 0..<count {
        let body = router.frames[message * BareRouter.framesPerMessage + 2]
        guard body.count >= keyRange.upperBound else { throw BenchError("a body without a key") }
        try store.put(UnsafeRawBufferPointer(rebasing: body[keyRange]), body)
      }
      try store.commit()
      for message in 0..<count { try router.reply(message) }
      checkpointer.logGrew(to: store.logFrames)
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
