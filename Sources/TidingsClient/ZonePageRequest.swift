internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// The call for a page of a zone's changes.
struct ZonePageRequest: Sendable {
  let transport: any ClientTransport
  let database: TidingsV1.DatabaseID
  /// The zone, and what to return.
  let options: TidingsV1.ZoneChangesOptions
  /// How long a call may take, besides the wait; `nil`: the transport's default.
  let timeout: Duration?
  let limits: PageLimits
  /// So many pages may time out in succession; a followed feed reports the first one.
  let lateMax: Int

  /// Asks for the page after a token, for which the server waits so long.
  ///
  /// - Returns: The encoded response.
  func response(after token: [UInt8], wait: Duration) async throws(RPCError) -> [UInt8] {
    var options = options
    options.changeToken = token
    // A connection that is lost while the server waits says nothing about the size of pages.
    if wait > .zero {
      options.limit = limits.limit(options.limit)
      return try await response(with: options, wait: wait)
    }
    return try await limits.page(of: options, \.limit, lateMax: lateMax) {
      options throws(RPCError) in
      try await response(with: options, wait: wait)
    }
  }

  private func response(
    with options: TidingsV1.ZoneChangesOptions,
    wait: Duration
  ) async throws(RPCError) -> [UInt8] {
    let request = TidingsV1.FetchRecordZoneChangesRequest(
      databaseID: database,
      zones: [options],
      maxWait: .wait(wait)
    )
    return try await transport.unary(
      TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
      request.encoded(),
      options: CallOptions(timeout: timeout, wait: wait)
    )
  }

  /// Decodes a response; the page may have an error.
  static func page(in response: [UInt8]) throws(RPCError) -> TidingsV1.ZoneChanges {
    let decoded: TidingsV1.FetchRecordZoneChangesResponse
    do {
      decoded = try .init(decoding: response)
    } catch {
      throw RPCError(.internal, "the response is not valid: \(error)", cause: error)
    }
    guard let page = decoded.zones.first else {
      throw RPCError(.internal, "the server answered without the zone")
    }
    return page
  }
}
