internal import CMicroHTTPD

/// Lends a stream to libmicrohttpd: the connection is suspended while there is nothing to send.
///
/// Unchecked: libmicrohttpd calls it on the thread of the connection; the closure that it leaves with the stream only
/// resumes the connection, from whichever thread.
final class StreamSource: @unchecked Sendable {
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
    let portion = stream.take(into: buffer) {
      // Before the stream can wake it.
      MHD_suspend_connection(connection)
      return { MHD_resume_connection(self.connection) }
    }
    return switch portion {
    case .bytes(let count): count
    case .end: Int(MHD_CONTENT_READER_END_OF_STREAM)
    case .waits: 0
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
