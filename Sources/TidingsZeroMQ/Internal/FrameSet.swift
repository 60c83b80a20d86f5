internal import CZeroMQ
internal import TidingsRPC

/// A received message that waits.
final class KeptMessage {
  fileprivate let frames: UnsafeMutablePointer<zmq_msg_t>
  fileprivate let count: Int

  fileprivate init(count: Int) {
    self.count = count
    frames = .allocate(capacity: count)
    for index in 0..<count { zmq_msg_init(frames + index) }
  }

  deinit {
    for index in 0..<count { zmq_msg_close(frames + index) }
    frames.deallocate()
  }
}

/// The frames of one received message, in slots that are used again and again.
struct FrameSet: ~Copyable {
  private let slots: UnsafeMutablePointer<zmq_msg_t>
  /// Frames held.
  private(set) var count = 0
  /// The message had more frames than there are slots; the surplus was dropped.
  private(set) var isTruncated = false

  init() {
    slots = .allocate(capacity: WireLimits.framesMax + 1)
    for index in 0...WireLimits.framesMax { zmq_msg_init(slots + index) }
  }

  deinit {
    for index in 0...WireLimits.framesMax { zmq_msg_close(slots + index) }
    slots.deallocate()
  }

  /// The bytes of a frame, valid until `clear` or the next message.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: zmq_msg_data(slots + index), count: zmq_msg_size(slots + index))
  }

  /// A frame as libzmq knows it, valid as long as its bytes.
  func frame(_ index: Int) -> UnsafeMutablePointer<zmq_msg_t> { slots + index }

  /// The number that the admission gave the key of the connection that a frame came on.
  ///
  /// Ask the body: libzmq 4.3.4 loses it on the first frame of a message that it looked at ahead.
  func keyNumber(ofFrame index: Int) -> Int64? { number("User-Id", ofFrame: index) }

  /// The number of the connection that a frame came on; `nil` when it was assigned none.
  func connectionNumber(ofFrame index: Int) -> ConnectionNumber? {
    number(ZAPReply.connectionProperty, ofFrame: index).map { ConnectionNumber(UInt64($0)) }
  }

  /// The descriptor of the connection that a frame came on; another connection may have it by now.
  func descriptor(ofFrame index: Int) -> CInt? {
    let descriptor = zmq_msg_get(slots + index, ZMQ_SRCFD)
    return descriptor >= 0 ? descriptor : nil
  }

  private func number(_ name: StaticString, ofFrame index: Int) -> Int64? {
    let text = name.utf8Start.withMemoryRebound(
      to: CChar.self,
      capacity: name.utf8CodeUnitCount + 1
    ) {
      zmq_msg_gets(slots + index, $0)
    }
    guard var digit = text, digit.pointee != 0 else { return nil }
    var number: Int64 = 0
    while digit.pointee != 0 {
      let value = Int64(digit.pointee) - 48
      guard 0...9 ~= value, number <= (.max - value) / 10 else { return nil }
      number = number * 10 + value
      digit += 1
    }
    return number
  }

  /// Receives a message without waiting.
  ///
  /// - Returns: Whether there was one.
  mutating func receive(from socket: borrowing Socket) throws(TransportError) -> Bool {
    count = 0
    isTruncated = false
    while true {
      guard let more = try socket.receive(into: slots + min(count, WireLimits.framesMax)) else {
        // libzmq hands out whole messages, so nothing can be missing after the first frame.
        return false
      }
      if count < WireLimits.framesMax { count += 1 } else { isTruncated = true }
      if !more { return true }
    }
  }

  /// Bytes of all frames.
  var byteCount: Int { (0..<count).reduce(0) { $0 + zmq_msg_size(slots + $1) } }

  /// Moves the frames into a message that can be kept; none are held afterwards.
  mutating func takeMessage() -> KeptMessage {
    let message = KeptMessage(count: count)
    for index in 0..<count { zmq_msg_move(message.frames + index, slots + index) }
    count = 0
    return message
  }

  /// Moves the frames of a kept message back; it has none afterwards.
  mutating func restore(_ message: KeptMessage) {
    precondition(count == 0, "there is a message already")
    for index in 0..<message.count { zmq_msg_move(slots + index, message.frames + index) }
    count = message.count
    isTruncated = false
  }

  /// Gives the frames' memory back.
  mutating func clear() {
    for index in 0..<count {
      zmq_msg_close(slots + index)
      zmq_msg_init(slots + index)
    }
    count = 0
  }
}
