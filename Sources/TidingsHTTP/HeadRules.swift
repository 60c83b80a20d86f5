/// What makes the end of a request ambiguous, so that two servers in a row could see different requests.
enum HeadRules {
  /// Headers that say where a request ends, or for whom it is.
  private static let once = ["content-length", "transfer-encoding", "host"]

  /// Why a head is refused.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - isOldVersion: It is of HTTP/1.0.
  /// - Returns: `nil`: it is not.
  static func problem(_ head: HTTPHead, isOldVersion: Bool) -> String? {
    for name in once where head.count(of: name) > 1 { return "the header '\(name)' was sent twice" }
    let length = head.header("content-length")
    if let coding = head.header("transfer-encoding") {
      if length != nil { return "content-length and transfer-encoding were sent together" }
      if isOldVersion { return "HTTP/1.0 has no transfer-encoding" }
      if coding.lowercased() != "chunked" { return "only the transfer encoding 'chunked' is known" }
    }
    if let length, length.isEmpty || !length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
      return "content-length is not a number"
    }
    if let host = head.header("host") {
      if !isHost(host) { return "the header 'host' is no host with a port, of 255 bytes at most" }
    } else if !isOldVersion {
      return "the header 'host' is missing"
    }
    for (name, value) in head.headers {
      if name.isEmpty || !name.utf8.allSatisfy(isTokenCharacter) {
        return "the name of a header is not valid"
      }
      if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
        return "the header '\(name)' has control characters"
      }
    }
    return nil
  }

  /// URLs in answers begin with it.
  private static func isHost(_ text: String) -> Bool {
    text.utf8.count <= 255
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._:[]%~".utf8.contains(byte)
        }
      }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
