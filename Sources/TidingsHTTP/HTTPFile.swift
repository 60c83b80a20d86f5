internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// A file without a name: it is gone when nobody holds it.
package final class HTTPFile: Sendable {
  private let descriptor: CInt
  private let size = Mutex(0)
  private let held: (any AnyObject & Sendable)?

  /// Bytes that were added.
  package var byteCount: Int { size.withLock { $0 } }

  /// Makes an empty one in a folder; `nil`: it cannot be made there, and `errno` says why.
  package init?(in folder: String, holding held: (any AnyObject & Sendable)? = nil) {
    self.held = held
    descriptor = tidings_open_unnamed(folder)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Adds bytes at the end; `false`: the disk is full, or broken.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    size.withLock { $0 += bytes.count }
    return true
  }

  /// Reads from an offset; fewer bytes at the end, `nil` on failure.
  package func read(at offset: Int, count: Int) -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let more = pread(
          descriptor,
          buffer.baseAddress.map { $0 + initialized },
          count - initialized,
          offset + initialized
        )
        if more < 0, errno == EINTR { continue }
        if more < 0 { failed = true }
        if more <= 0 { break }
        initialized += more
      }
    }
    return failed ? nil : bytes
  }
}
