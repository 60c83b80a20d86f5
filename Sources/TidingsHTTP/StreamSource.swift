internal import CMicroHTTPD

/// Lends a stream to libmicrohttpd: the connection is suspended while there is nothing to send.
final class StreamSource {
  private let stream: HTTPStream
  private let connection: OpaquePointer

  init(_ stream: HTTPStream, _ connection: OpaquePointer) {
    (self.stream, self.connection) = (stream, connection)
  }

  static let read: MHD_ContentReaderCallback = { context, _, buffer, count in
    guard let context, let buffer else { return -2 }
    let source = Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
    return source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
  }

  static let free: MHD_ContentReaderFreeCallback = { context in
    guard let context else { return }
    Unmanaged<StreamSource>.fromOpaque(context).release()
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      stream.connection.run()
      switch stream.take(into: buffer, orSuspend: connection) {
      case .bytes(let count): return count
      case .end: return Int(MHD_CONTENT_READER_END_OF_STREAM)
      case .waits: return 0
      case .runs: break
      }
    }
  }
}

/// Reads chunks into a stream, not faster than they are sent.
enum ChunkPump {
  static func run(_ chunks: HTTPChunks, into stream: HTTPStream) {
    Task {
      while true {
        let bytes = await chunks.next()
        guard !bytes.isEmpty, await stream.sendWhenRead(bytes) else { break }
      }
      stream.end()
    }
  }
}
