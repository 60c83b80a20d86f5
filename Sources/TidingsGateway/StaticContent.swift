internal import TidingsHTTP

/// A file that is in the program, with a tag of its version.
struct StaticContent {
  let bytes: [UInt8]
  let type: String
  private let tag: String

  init(bytes: [UInt8], type: String) {
    (self.bytes, self.type) = (bytes, type)
    tag = "\"\(Self.hash(bytes))\""
  }

  /// The file, or that a browser has it already.
  func answer(
    _ head: HTTPHead,
    adding more: [(name: String, value: String)]
  ) -> HTTPResponse {
    let headers = [("ETag", tag)] + more
    if let known = head.header("if-none-match"), matches(known) {
      return HTTPResponse(304, headers: headers)
    }
    return HTTPResponse(200, headers: headers + [("Content-Type", type)], .bytes(bytes))
  }

  /// Whether a list of tags has this one; a proxy that compresses makes it a weak one.
  private func matches(_ list: String) -> Bool {
    list.split(separator: ",").contains { entry in
      var known = entry.drop { $0 == " " }
      if known.hasPrefix("W/") { known = known.dropFirst(2) }
      while known.last == " " { known.removeLast() }
      return known == tag || known == "*"
    }
  }

  /// FNV-1a of 64 bits: the file changes with versions of the program only.
  private static func hash(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }
}
