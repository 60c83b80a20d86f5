internal import TidingsHTTP

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A line for each request, without its query: tokens are in it.
enum RequestLog {
  static func add(
    _ head: HTTPHead,
    from client: String,
    _ status: Int,
    _ uuid: String,
    _ duration: Duration
  ) {
    let path = String(
      head.path.prefix(200).unicodeScalars.map {
        $0.value < 0x21 || $0.value > 0x7E ? "?" : Character($0)
      }
    )
    let milliseconds =
      Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    let line =
      "\(uuid) \(client.isEmpty ? "-" : client) \(head.method.prefix(16)) \(shown(path)) \(status) \((milliseconds * 100).rounded() / 100) ms\n"
    line.utf8CString.withUnsafeBytes {
      _ = write(STDERR_FILENO, $0.baseAddress, $0.count - 1)
    }
  }

  /// Sealed URLs are secrets.
  private static func shown(_ path: String) -> String {
    let parts = path.split(separator: "/")
    guard let first = parts.first, first == "assets" || first == "courier" else { return path }
    return "/\(first)/…"
  }
}
