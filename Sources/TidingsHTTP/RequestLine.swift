/// The first line of a request, as libmicrohttpd has cut it: method, target and version, with a zero behind each.
///
/// libmicrohttpd skips further spaces between them; another server before it may see another target.
struct RequestLine {
  let method: String
  /// HTTP/1.0, which knows neither hosts nor chunks.
  let isOldVersion: Bool
  /// Where it ends.
  let end: UnsafePointer<CChar>?
  /// One space is between the method and the target.
  private let isCompact: Bool

  init(
    _ method: UnsafePointer<CChar>?,
    _ target: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?
  ) {
    self.method = method.map { String(cString: $0) } ?? ""
    isOldVersion = version.map { String(cString: $0) } == "HTTP/1.0"
    end = version.map { $0 + Self.count($0) }
    isCompact =
      method.flatMap { method in target.map { $0 - method == Self.count(method) + 1 } } ?? false
  }

  /// Why the line is refused.
  ///
  /// - Parameter uri: The target, as it was sent.
  /// - Returns: `nil`: it is not.
  func problem(uri: String) -> String? {
    isCompact && !uri.utf8.contains(UInt8(ascii: " "))
      ? nil : "the line of the request has more than two spaces: encode those of the path as %20"
  }

  private static func count(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }
}
