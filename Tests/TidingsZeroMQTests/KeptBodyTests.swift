internal import CZeroMQ
internal import Glibc
internal import Testing

@testable internal import TidingsZeroMQ

@Suite struct KeptBodyTests {
  /// A received frame.
  private func withFrame(
    _ count: Int,
    _ body: (UnsafeMutablePointer<zmq_msg_t>) throws -> Void
  ) rethrows {
    let frame = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    defer { frame.deallocate() }
    zmq_msg_init_size(frame, count)
    memset(zmq_msg_data(frame), 7, count)
    try body(frame)
    zmq_msg_close(frame)
  }

  @Test("a body outlives its frame, and a large one is not copied")
  func outlives() {
    for (count, isShared) in [
      (0, false), (20, false), (KeptBody.sharedBytesMin - 1, false),
      (KeptBody.sharedBytesMin, true), (2_000_000, true),
    ] {
      var kept: KeptBody?
      var received: UnsafeRawPointer?
      withFrame(count) {
        received = zmq_msg_data($0).map { UnsafeRawPointer($0) }
        kept = KeptBody(of: $0)
      }
      #expect(kept?.count == count)
      #expect(kept?.bytes == [UInt8](repeating: 7, count: count))
      let isSame = kept?.withUnsafeBytes { $0.baseAddress == received }
      #expect(isSame == isShared || count == 0, "\(count)")
    }
  }
}
