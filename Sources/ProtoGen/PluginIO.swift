internal import Glibc

/// Reads and writes whole files by descriptor.
enum PluginIO {
  /// All bytes up to the end.
  static func read(_ descriptor: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Self.retrying { unsafeRead(descriptor, &buffer, buffer.count) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Writes all bytes; `false` when the other side is gone or the disk is full.
  static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Self.retrying { rest.withUnsafeBytes { unsafeWrite(descriptor, $0) } }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Repeats a call that a signal interrupted.
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func unsafeRead(
    _ descriptor: CInt,
    _ buffer: UnsafeMutablePointer<UInt8>,
    _ count: Int
  ) -> Int {
    Glibc.read(descriptor, buffer, count)
  }

  private static func unsafeWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  }
}

/// Runs a plugin: the request on standard input, the response on standard output.
///
/// - Parameter respond: Makes the encoded response from the encoded request.
/// - Returns: The process's exit code.
public func runPlugin(_ respond: ([UInt8]) -> [UInt8]) -> Int32 {
  PluginIO.write(respond(PluginIO.read(0)), to: 1) ? 0 : 1
}
