internal import TidingsClient
package import TidingsHTTP
internal import TidingsProto
internal import TidingsRPC
package import TidingsWeb

/// Finds the content in a body that is one file of a form (RFC 7578), as some clients send it.
package enum MultipartPart {
  /// What a form adds to its content at most.
  package static let overheadBytesMax = 64 << 10
  private static let headBytesMax = 16 << 10
  private static let boundaryBytesMax = 70
  private static let pieceBytes = 256 << 10

  /// Where the content is.
  ///
  /// - Parameters:
  ///   - file: The body.
  ///   - contentType: Of the request.
  /// - Returns: The whole body, unless it is a form.
  /// - Throws: `badRequest` for a form that is not one file.
  package static func range(
    of file: HTTPFile,
    contentType: String?
  ) throws(WebFailure) -> Range<Int> {
    let size = file.byteCount
    guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data") else {
      return 0..<size
    }
    guard let boundary = boundary(in: contentType) else {
      throw .badRequest("the form has no boundary, or one of more than \(boundaryBytesMax) bytes")
    }
    let head = try read(file, 0, min(headBytesMax, size))
    let opening = Array("--\(boundary)\r\n".utf8)
    guard head.starts(with: opening), let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw .badRequest(
        "the form does not begin with a part, whose head has at most \(headBytesMax) bytes"
      )
    }
    let start = end.upperBound
    let delimiter = Array("\r\n--\(boundary)".utf8)
    let stop = try find(delimiter, in: file, from: start, size)
    let rest = try read(file, stop + delimiter.count, min(4, size - stop - delimiter.count))
    guard rest.starts(with: Array("--".utf8)) else {
      throw .badRequest("the form has several parts: send one file")
    }
    return start..<stop
  }

  private static func boundary(in contentType: String) -> String? {
    for parameter in contentType.split(separator: ";").dropFirst() {
      let sides = parameter.split(separator: "=", maxSplits: 1)
      guard sides.count == 2,
        sides[0].filter({ $0 != " " }).lowercased() == "boundary"
      else { continue }
      let text = sides[1].drop { $0 == " " }
      let value =
        text.hasPrefix("\"") ? text.dropFirst().prefix { $0 != "\"" } : text.prefix { $0 != " " }
      guard !value.isEmpty, value.utf8.count <= boundaryBytesMax else { return nil }
      return String(value)
    }
    return nil
  }

  private static func find(
    _ delimiter: [UInt8],
    in file: HTTPFile,
    from start: Int,
    _ size: Int
  ) throws(WebFailure) -> Int {
    var offset = start
    while offset < size {
      let piece = try read(file, offset, min(pieceBytes, size - offset))
      if let found = piece.firstRange(of: delimiter) { return offset + found.lowerBound }
      guard offset + piece.count < size else { break }
      // The delimiter may begin in one piece and end in the next.
      offset += piece.count - delimiter.count + 1
    }
    throw .badRequest("the form does not end with its boundary")
  }

  private static func read(
    _ file: HTTPFile,
    _ offset: Int,
    _ count: Int
  ) throws(WebFailure) -> [UInt8] {
    guard let bytes = file.read(at: offset, count: max(0, count)) else {
      throw WebFailure(.internalError, "the content could not be read again")
    }
    return bytes
  }
}

extension HTTPFile {
  /// Uploads a range to the server.
  func upload(
    _ range: Range<Int>,
    to transport: any ClientTransport,
    _ content: SealedURLs.Content,
    requestID: String
  ) async throws -> TidingsV1.Asset {
    let transfer = AssetTransfer(
      transport,
      in: content.database.id,
      options: CallOptions(metadata: content.caller.metadata(requestID: requestID))
    )
    return try await transfer.upload(size: UInt64(range.count)) { offset, count in
      guard let bytes = self.read(at: range.lowerBound + Int(offset), count: count),
        bytes.count == count
      else { throw WebFailure(.internalError, "the content could not be read again") }
      return bytes
    }
  }
}
