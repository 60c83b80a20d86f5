internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Reads the answer to a batch: almost always all is done, and then nothing needs to be decoded.
enum BatchAnswer {
  /// A record that failed.
  struct Failure {
    /// Its place in the batch.
    let index: Int
    let error: TidingsV1.ItemError
    let recordName: String
    /// Of the stored record, when that is why; empty: it is not told.
    let serverChangeTag: String
  }

  /// The records that failed.
  ///
  /// - Throws: `internal` when the answer is none, or has not a result for each record.
  static func failures(
    _ answer: [UInt8],
    count: Int
  ) throws(RPCError) -> [Failure] {
    if doneCount(answer) == count { return [] }
    let response: TidingsV1.ModifyRecordsResponse
    do {
      response = try .init(decoding: answer)
    } catch {
      throw RPCError(.internal, "the response is not valid: \(error)", cause: error)
    }
    guard response.results.count == count else {
      throw RPCError(
        .internal,
        "the response has \(response.results.count) results for \(count) records"
      )
    }
    return response.results.enumerated().compactMap { index, result in
      let error: TidingsV1.ItemError
      switch result.outcome {
      case .record, .deleted: return nil
      case .error(let told): error = told
      case nil: error = .init(message: "the server told no outcome")
      }
      return Failure(
        index: index,
        error: error,
        recordName: result.recordID?.recordName ?? "",
        serverChangeTag: result.serverRecord?.changeTag ?? ""
      )
    }
  }

  /// How many results there are when none is an error; otherwise `nil`.
  private static func doneCount(_ answer: [UInt8]) -> Int? {
    var reader = WireWalker(answer[...])
    var count = 0
    while let field = reader.next() {
      guard field.number == 1, let result = field.content, isDone(result) else { return nil }
      count += 1
    }
    return reader.isAtEnd ? count : nil
  }

  private static func isDone(_ result: ArraySlice<UInt8>) -> Bool {
    var reader = WireWalker(result)
    var isDone = false
    while let field = reader.next() {
      if field.number == 4 { return false }
      if field.number == 2 || field.number == 3 { isDone = true }
    }
    return isDone && reader.isAtEnd
  }
}

/// Goes from field to field of an encoded message.
private struct WireWalker {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next field, with its content if that is bytes; `nil`: the end, or what is no message.
  mutating func next() -> (number: UInt64, content: ArraySlice<UInt8>?)? {
    guard let tag = varint() else { return nil }
    switch tag & 7 {
    case 0: return varint().map { _ in (tag >> 3, nil) }
    case 1: return skip(8) ? (tag >> 3, nil) : nil
    case 2:
      guard let count = varint().flatMap(Int.init(exactly:)), count <= rest.count else {
        return nil
      }
      let content = rest.prefix(count)
      rest = rest.dropFirst(count)
      return (tag >> 3, content)
    case 5: return skip(4) ? (tag >> 3, nil) : nil
    default: return nil
    }
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count <= rest.count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}
