internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire

/// Reads the response to a batch; usually all records succeeded, and nothing needs to be decoded.
enum BatchAnswer {
  /// A record that failed.
  struct Failure {
    /// Its index in the batch.
    let index: Int
    let error: TidingsV1.ItemError
    let recordName: String
    /// The change tag of the stored record, in a conflict; otherwise empty.
    let serverChangeTag: String
  }

  /// Returns the records that failed.
  ///
  /// - Throws: `internal` if the response is invalid, or does not have a result for each record.
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
      case .error(let found): error = found
      case nil: error = .init(message: "the server returned no result")
      }
      return Failure(
        index: index,
        error: error,
        recordName: result.recordID?.recordName ?? "",
        serverChangeTag: result.serverRecord?.changeTag ?? ""
      )
    }
  }

  /// Returns the number of results if none is an error; otherwise `nil`.
  private static func doneCount(_ answer: [UInt8]) -> Int? {
    var reader = WireReader(answer[...])
    var count = 0
    while let result = reader.nextDelimited() {
      guard result.field == TidingsV1.ModifyRecordsResponse.FieldNumber.results,
        isDone(result.content)
      else { return nil }
      count += 1
    }
    return reader.isAtEnd ? count : nil
  }

  private static func isDone(_ result: ArraySlice<UInt8>) -> Bool {
    typealias Field = TidingsV1.RecordResult.FieldNumber
    var reader = WireReader(result)
    var isDone = false
    while let member = try? reader.next() {
      if member.field == Field.error { return false }
      if member.field == Field.record || member.field == Field.deleted { isDone = true }
    }
    return isDone && reader.isAtEnd
  }
}
