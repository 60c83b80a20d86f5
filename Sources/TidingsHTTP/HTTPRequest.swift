/// The head of a request: what comes before its body.
package struct HTTPHead: Sendable {
  /// For example `POST`.
  package var method: String
  /// As sent, without the query, not unescaped.
  package var path: String
  /// As sent, without the `?`; empty: none.
  package var query: String
  /// In the order of arrival, names in lower case.
  package var headers: [(name: String, value: String)]
  /// The address of the other side.
  package var peer = ""

  /// The value of a header; the first, if there are several.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// How often a header was sent.
  package func count(of name: String) -> Int { headers.count { $0.name == name } }
}

/// A request that has arrived.
package struct HTTPRequest: Sendable {
  package var head: HTTPHead
  package var body: HTTPBody
  package let client: HTTPClient
}

/// What a request brought behind its head.
package enum HTTPBody: Sendable {
  case bytes([UInt8])
  /// Too large for memory; the file has no name and is gone with the last reference.
  case file(HTTPFile)

  /// To read it takes no time that others would notice.
  var isSmall: Bool {
    if case .bytes(let bytes) = self { bytes.count <= Self.smallBytesMax } else { false }
  }

  static let smallBytesMax = 64 << 10
}

/// What becomes of a body, decided by the head before any of it is read.
package enum HTTPBodyPlan {
  /// It is kept in memory, up to so many bytes.
  case memory(bytesMax: Int)
  /// It is written to a file, up to so many bytes; something is held as long as the file is there.
  case file(bytesMax: Int, holding: (any AnyObject & Sendable)? = nil)
  /// It is not wanted: the connection is closed behind the answer.
  case refuse(HTTPResponse)
}

extension HTTPBodyPlan {
  /// Most bytes that are kept.
  var bytesMax: Int {
    switch self {
    case .memory(let count), .file(let count, _): count
    case .refuse: 0
    }
  }

  var isRefusal: Bool {
    if case .refuse = self { true } else { false }
  }
}
