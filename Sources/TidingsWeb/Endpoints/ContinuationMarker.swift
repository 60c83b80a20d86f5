internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

/// Where a query is continued, as clients have it: the server's cursor behind a checksum of the query.
///
/// The server continues the query of the cursor, whatever it is sent beside it. A client repeats its query, and must not get
/// records of another one, or of another database.
enum ContinuationMarker {
  private static let checksumBytes = 16

  /// The marker for the next page of a query, which has no cursor itself.
  static func text(_ cursor: [UInt8], of query: TidingsV1.QueryRecordsRequest) -> String {
    Base64.encode(checksum(of: query) + cursor)
  }

  /// The cursor of the marker that a request has; empty: none.
  static func cursor(
    _ input: WebInput,
    of query: TidingsV1.QueryRecordsRequest
  ) throws(WebFailure) -> [UInt8] {
    let marker = try input.base64("continuationMarker")
    guard !marker.isEmpty else { return [] }
    guard marker.count > checksumBytes, marker.starts(with: checksum(of: query)) else {
      throw .badRequest(
        "\(input.path(to: "continuationMarker")) is not of this query: send it as it came, with the same query, zone and "
          + "database, or run the query again without one"
      )
    }
    return Array(marker.dropFirst(checksumBytes))
  }

  private static func checksum(of query: TidingsV1.QueryRecordsRequest) -> [UInt8] {
    Array(SHA256.checksum(of: query.encoded()).prefix(checksumBytes))
  }
}
