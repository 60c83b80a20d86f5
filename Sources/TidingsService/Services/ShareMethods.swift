internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Page = TidingsV1.FetchSharesResponse.FieldNumber
private typealias Result = TidingsV1.ShareResult.FieldNumber
private typealias Field = TidingsV1.ShareMetadata.FieldNumber

/// ShareService.
struct ShareMethods {
  /// Most shares of one page: each is read and decoded while others wait.
  private static let sharesPerPageMax = 100

  let engine: Engine

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.ShareService.Methods
    calls.register(Methods.fetchShareMetadata, .read, on: loop) { [self] in try shareMetadata($0) }
    // To accept or to ask again changes nothing, and shows the share to nobody who has lost it.
    calls.register(Methods.acceptShares, .write, on: loop, keeping: .never) { [self] in
      try acceptShares($0)
    }
    calls.register(Methods.requestShareAccess, .write, on: loop, keeping: .never) { [self] in
      try requestShareAccess($0)
    }
    calls.register(Methods.fetchShares, .read, on: loop) { [self] in try fetchShares($0) }
  }

  private func shareMetadata(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchShareMetadataRequest(decoding: call.body.bytes, in: call.arena)
    try check(request.urls, call.caller)
    let caller = call.caller
    var response = WireWriter()
    for url in request.urls {
      try add(url, to: &response, in: call.arena) {
        try engine.shareInfo(url, for: caller, wantsRoot: request.wantsRootRecord)
      }
    }
    return response.bytes
  }

  /// More have the store for themselves, to accept or to ask for.
  private static let sharesAcceptedAtOnceMax = 8

  private func acceptShares(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.AcceptSharesRequest(decoding: call.body.bytes, in: call.arena)
    try check(request.urls, call.caller)
    if request.urls.count > Self.sharesAcceptedAtOnceMax { try engine.pace.requirePauses() }
    let caller = call.caller
    try engine.checkFirings(ofSharesAt: request.urls, for: caller, isRequest: false)
    var response = WireWriter()
    for url in request.urls {
      try add(url, to: &response, in: call.arena) { try engine.acceptShare(url, for: caller) }
      engine.pace.step()
    }
    return response.bytes
  }

  private func requestShareAccess(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.RequestShareAccessRequest(decoding: call.body.bytes, in: call.arena)
    try check(request.urls, call.caller)
    if request.urls.count > Self.sharesAcceptedAtOnceMax { try engine.pace.requirePauses() }
    let caller = call.caller
    try engine.checkFirings(ofSharesAt: request.urls, for: caller, isRequest: true)
    var response = TidingsV1.RequestShareAccessResponse()
    for url in request.urls {
      var result = TidingsV1.ShareAccessResult(url: url)
      do {
        try engine.requestShareAccess(url, for: caller)
      } catch let error as ItemError {
        result.error = .init(error)
      }
      response.results.append(result)
      engine.pace.step()
    }
    return response.encoded(in: call.arena)
  }

  private func fetchShares(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchSharesRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    let limit = min(Int(request.limit), Self.sharesPerPageMax, engine.limits.pageItemsMax)
    var response = WireWriter()
    let next = try engine.shares(
      of: call.caller,
      container: try containerName(request.container),
      environment: try request.environment.model,
      after: try Self.number(request.continuation),
      limit: limit == 0 ? min(Self.sharesPerPageMax, engine.limits.pageItemsMax) : limit
    ) { share in
      let message = share.message(in: call.arena)
      let isFirst = response.bytes.isEmpty
      guard isFirst || response.bytes.count + message.count <= engine.limits.answerBytesMax else {
        return false
      }
      response.add(Page.shares, message)
      return true
    }
    if let next {
      response.add(Page.continuation, withUnsafeBytes(of: next.bigEndian) { Array($0) })
    }
    return response.bytes
  }

  private func check(_ urls: [String], _ caller: Caller) throws(ItemError) {
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(itemCount: urls.count)
  }

  /// Where a page begins; a share's number.
  private static func number(_ continuation: [UInt8]) throws(ItemError) -> Int64 {
    guard !continuation.isEmpty else { return 0 }
    guard continuation.count == 8 else {
      throw ItemError(
        .invalidArguments,
        "invalid continuation: use that of the last FetchShares response, or omit it to restart"
      )
    }
    return continuation.reduce(0) { $0 << 8 | Int64($1) }
  }

  private func add(
    _ url: String,
    to response: inout WireWriter,
    in arena: borrowing Arena,
    _ outcome: () throws -> ShareInfo
  ) throws {
    var result = WireWriter()
    result.add(Result.url, url.utf8)
    do {
      // Before a share is accepted.
      guard response.bytes.count < engine.limits.answerBytesMax else {
        throw ItemError(.limitExceeded, "the answer is full: repeat this URL in another call")
      }
      result.add(Result.metadata, try outcome().message(in: arena))
    } catch let error as ItemError {
      result.add(Result.error, TidingsV1.ItemError(error).encoded(in: arena))
    }
    response.add(TidingsV1.AcceptSharesResponse.FieldNumber.results, result.bytes)
  }
}

extension ShareInfo {
  /// The bytes of `ShareMetadata`.
  func message(in arena: borrowing Arena) -> [UInt8] {
    var message = WireWriter()
    message.append(
      TidingsV1.ShareMetadata(
        container: database.container,
        environment: .init(database.environment),
        zoneID: .init(zone),
        rootRecordName: record.share?.rootRecordName ?? "",
        participant: participant.map {
          TidingsV1.Participant(
            userRecordName: $0.user,
            role: .init(rawValue: $0.role.rawValue),
            permission: .init(rawValue: $0.permission.rawValue),
            acceptanceStatus: .init(rawValue: $0.status.rawValue),
            participantID: $0.id,
            expires: $0.expires.map { .init($0) }
          )
        }
      ).encoded(in: arena)
    )
    message.add(Field.share, RecordWriter.encode(record))
    if let rootRecord {
      message.add(Field.rootRecord, rootRecord + OwnerName.bytes(zone.ownerName))
    }
    return message.bytes
  }
}
