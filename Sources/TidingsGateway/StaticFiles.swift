internal import TidingsHTTP
internal import TidingsWeb

/// Files for pages, which are in the program.
package enum StaticFiles {
  package enum File: String, Hashable, Sendable {
    /// The client for JavaScript.
    case client = "tidings.js"
    /// Its types for TypeScript.
    case clientTypes = "tidings.d.ts"
  }

  /// How long a browser uses a file without asking.
  private static let freshSeconds = 300

  static func answer(_ head: HTTPHead, _ file: File) throws(WebFailure) -> HTTPResponse {
    guard head.method == "GET" || head.method == "HEAD" else {
      throw .badRequest("\(file.rawValue) takes GET, not \(head.method)")
    }
    let content = contents[file] ?? Content(bytes: [], type: "text/plain")
    let headers = [
      ("ETag", content.tag), ("Cache-Control", "public, max-age=\(freshSeconds)"),
      ("X-Content-Type-Options", "nosniff"),
    ]
    if let known = head.header("if-none-match"), content.matches(known) {
      return HTTPResponse(304, headers: headers)
    }
    return HTTPResponse(
      200,
      headers: headers + [("Content-Type", content.type)],
      .bytes(content.bytes)
    )
  }

  private struct Content {
    let bytes: [UInt8]
    let type: String
    let tag: String

    init(bytes: [UInt8], type: String) {
      (self.bytes, self.type) = (bytes, type)
      tag = "\"\(Self.hash(bytes))\""
    }

    /// Whether a list of tags has this one; a proxy that compresses makes it a weak one.
    func matches(_ list: String) -> Bool {
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

  private static let contents: [File: Content] = [
    .client: Content(bytes: PackageResources.tidings_js, type: "text/javascript; charset=utf-8"),
    .clientTypes: Content(
      bytes: PackageResources.tidings_d_ts,
      type: "text/plain; charset=utf-8"
    ),
  ]
}
