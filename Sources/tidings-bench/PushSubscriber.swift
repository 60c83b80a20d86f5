import BenchCore
import CZeroMQ
import TidingsProto
import TidingsProtobuf
import TidingsSeal

/// A SUB socket for one topic.
final class PushSubscriber {
  /// How pushes name the record that was saved.
  enum Content {
    /// As rpcd's do; sealed with a key.
    case notification(SealingKey?)
    /// As those of the floor service do.
    case floorMessage
    /// Not at all.
    case other
  }

  let socket: RawSocket
  private let content: Content
  private let frames = FrameSlots(count: 2)

  /// The body of the push received last.
  var body: UnsafeRawBufferPointer { frames[1] }

  init(
    _ context: RawContext,
    _ server: ServerAddress,
    topic: [UInt8],
    _ content: Content
  ) throws {
    socket = try RawSocket(context, kind: ZMQ_SUB)
    self.content = content
    try socket.subscribe(topic)
    try socket.connect(server.pushEndpoint)
  }

  /// Takes a push.
  ///
  /// - Returns: Whether one was there.
  func receive(waits: Bool) throws -> Bool {
    guard try socket.receive(into: frames.start, waits: waits) else { return false }
    guard frames.hasMore(0) else { throw BenchError("a message of one frame") }
    return try socket.receive(into: frames.start + 1, waits: true)
  }

  /// The record that the push received last is about, opened and decoded.
  ///
  /// - Returns: Its number; `nil`: none, as in beacons.
  func record() throws -> Int? {
    switch content {
    case .other: return nil
    case .floorMessage: return try Int(String(decoding: FloorMessage(body).key, as: UTF8.self))
    case .notification(let key):
      let name = try notification(key)?.recordID?.recordName
      return name.flatMap { Int($0.suffix(CallTemplate.digitCount)) }
    }
  }

  /// Makes calls until a push arrives, and takes what they left behind.
  ///
  /// A subscription takes effect when the publisher receives it; until then pushes are lost.
  func waitForFirst(_ caller: RawCaller) throws {
    let triesMax = 200
    for _ in 0..<triesMax {
      try Interruption.check()
      _ = try caller.send()
      guard socket.hasMessage(within: 50) else { continue }
      while socket.hasMessage(within: 200) {
        if try receive(waits: true) { _ = try record() }
      }
      while caller.socket.hasMessage(within: 200) { _ = try caller.receive(waits: true) }
      return
    }
    throw BenchError("no message was published in \(triesMax) tries")
  }

  private func notification(_ key: SealingKey?) throws -> TidingsV1.Notification? {
    switch try TidingsV1.Push(decoding: Array(body)).content {
    case .notification(let notification): return notification
    case .sealedNotification(let sealed):
      guard let bytes = key?.open(sealed) else { throw BenchError("a push cannot be opened") }
      return try TidingsV1.Notification(decoding: bytes)
    default: return nil
    }
  }
}
