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
    let content = WebFiles.contents[file.rawValue] ?? StaticContent(bytes: [], type: "text/plain")
    return content.answer(
      head,
      adding: [
        ("Cache-Control", "public, max-age=\(freshSeconds)"), ("X-Content-Type-Options", "nosniff"),
      ]
    )
  }
}
