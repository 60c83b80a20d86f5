internal import Glibc

/// Frames over two files, as the conformance contract writes them: 4 bytes of length, big-endian, then
/// the frame.
///
/// For the side that may wait: a client under test.
public struct FrameFile: Sendable {
  /// Largest frame, in bytes.
  public static let frameBytesMax = 64 << 20
  /// What stands before a frame, in bytes.
  public static let lengthBytes = 4

  private let input: CInt
  private let output: CInt

  /// Frames of standard input and output.
  public static let standard = Self(input: STDIN_FILENO, output: STDOUT_FILENO)

  /// Frames of two descriptors, which stay the caller's.
  public init(input: CInt, output: CInt) {
    self.input = input
    self.output = output
  }

  /// The bytes of a frame's length.
  public static func length(of frame: [UInt8]) -> [UInt8] {
    (0..<lengthBytes).map { UInt8(truncatingIfNeeded: frame.count >> (24 - 8 * $0)) }
  }

  /// The length in the first bytes.
  public static func length(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Waits for the next frame.
  ///
  /// - Returns: The frame; `nil` at the end, or when a frame is cut short or too large.
  public func read() -> [UInt8]? {
    guard let length = read(Self.lengthBytes).map({ Self.length($0) }), length <= Self.frameBytesMax
    else { return nil }
    return read(length)
  }

  /// Writes a frame.
  ///
  /// - Returns: `false` when nobody reads any more.
  public func write(_ frame: [UInt8]) -> Bool {
    let bytes = Self.length(of: frame) + frame
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = bytes[filled...].withUnsafeMutableBytes {
        Glibc.read(input, $0.baseAddress, $0.count)
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { return nil }
      filled += more
    }
    return bytes
  }
}
