internal import Synchronization
internal import TidingsHTTP

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What browsers report of the dashboard's content security policy: a defect of a page, or an attempt to add to it.
final class PolicyReports: Sendable {
  private let count = Mutex(0)
  /// Anybody can send reports: the log does not grow with them.
  private static let loggedMax = 100
  private static let shownBytesMax = 500

  func add(_ body: HTTPBody) {
    guard case .bytes(let bytes) = body else { return }
    let number = count.withLock { count in
      count = min(count + 1, Self.loggedMax + 1)
      return count
    }
    guard number <= Self.loggedMax else { return }
    let shown = bytes.prefix(Self.shownBytesMax).map { $0 < 0x20 || $0 > 0x7e ? 0x3f : $0 }
    let line =
      "rpcgw: content security policy report \(number): \(String(decoding: shown, as: UTF8.self))\n"
    line.utf8CString.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
  }
}
