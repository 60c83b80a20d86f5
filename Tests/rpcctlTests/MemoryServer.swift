import Synchronization
import TestSupport
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// A server with the methods for import and export, and records in memory.
final class MemoryServer: ClientTransport {
  struct State {
    var records: [String: TidingsV1.Record] = [:]
    var zones: Set<String> = []
    var answers: [String: (request: [UInt8], answer: [UInt8])] = [:]
    /// The number of save calls, including retries.
    var callCount = 0
    /// The number of writes of each record.
    var writes: [String: Int] = [:]
    /// Save calls fail from this one on.
    var failsFromCall = Int.max
    /// Save calls and pages get no response from this one on.
    var hangsFromCall = Int.max
    /// The call is applied, but its response is lost.
    var losesAnswer = false
    /// A call waits for a response that never arrives.
    var isHanging = false
    /// A page of a feed.
    var pageSize = 3
    /// Feed calls fail from this one on.
    var feedFailsFromCall = Int.max
    var feedCallCount = 0
  }

  private let state = Mutex(State())

  var now: State { state.withLock { $0 } }
  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  static func key(_ id: TidingsV1.RecordID?) -> String {
    let zone = id?.zoneID?.zoneName ?? ""
    return (zone.isEmpty ? "_defaultZone" : zone) + "/" + (id?.recordName ?? "")
  }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    if now.callCount + now.feedCallCount + 1 >= now.hangsFromCall {
      change { $0.isHanging = true }
      // It never ends by itself: the call is cancelled.
      try? await Task.sleep(for: .seconds(3600))
      throw RPCError(.cancelled, "the call was cancelled")
    }
    do {
      switch method.name {
      case "ModifyRecords": return try modify(request, options.idempotencyKey ?? "")
      case "ModifyRecordZones":
        let request = try TidingsV1.ModifyRecordZonesRequest(decoding: request)
        change { state in
          for zone in request.zonesToSave { state.zones.insert(zone.zoneID?.zoneName ?? "") }
        }
        return []
      case "FetchRecordZones":
        let names = now.zones.sorted() + ["_defaultZone"]
        return TidingsV1.FetchRecordZonesResponse(
          results: names.map {
            .init(
              zoneID: .init(zoneName: $0),
              outcome: .zone(.init(zoneID: .init(zoneName: $0)))
            )
          }
        ).encoded()
      case "FetchRecordZoneChanges": return try changes(request)
      default: throw RPCError(.unimplemented, method.fullName)
      }
    } catch let error as RPCError {
      throw error
    } catch {
      throw RPCError(.invalidArgument, "\(error)")
    }
  }

  private func modify(_ bytes: [UInt8], _ key: String) throws -> [UInt8] {
    let request = try TidingsV1.ModifyRecordsRequest(decoding: bytes)
    return try state.withLock { state in
      state.callCount += 1
      let fails = state.callCount >= state.failsFromCall
      if fails, !state.losesAnswer { throw RPCError(.internal, "out of order") }
      if let known = state.answers[key] {
        guard known.request == bytes else {
          throw RPCError(.failedPrecondition, "the idempotency key is of another request")
        }
        return known.answer
      }
      for record in request.recordsToSave where record.recordType == "Poison" {
        throw RPCError(.invalidArgument, "poison")
      }
      let ids = request.recordsToSave.map { Self.key($0.recordID) }
      precondition(Set(ids).count == ids.count, "a record appears twice in a call")
      precondition(request.atomic == false)
      var response = TidingsV1.ModifyRecordsResponse()
      for record in request.recordsToSave {
        response.results.append(Self.save(record, &state))
      }
      for id in request.recordIDsToDelete {
        state.records[Self.key(id)] = nil
        response.results.append(.init(recordID: id, outcome: .deleted(true)))
      }
      let answer = response.encoded()
      state.answers[key] = (bytes, answer)
      if fails { throw RPCError(.internal, "the answer is lost") }
      return answer
    }
  }

  private static func save(
    _ record: TidingsV1.Record,
    _ state: inout State
  ) -> TidingsV1.RecordResult {
    let key = key(record.recordID)
    let zone = String(key.prefix { $0 != "/" })
    if zone != "_defaultZone", !state.zones.contains(zone) {
      return .init(recordID: record.recordID, outcome: .error(.init(code: .zoneNotFound)))
    }
    for case .referenceValue(let reference)? in record.fields.values.map(\.value)
    where reference.action == .validate && state.records[Self.key(reference.recordID)] == nil {
      return .init(
        recordID: record.recordID,
        outcome: .error(.init(code: .referenceViolation, message: "no target"))
      )
    }
    if record.recordType == "Bad" {
      return .init(
        recordID: record.recordID,
        outcome: .error(.init(code: .invalidArguments, message: "bad"))
      )
    }
    state.records[key] = record
    state.writes[key, default: 0] += 1
    return .init(recordID: record.recordID, outcome: .record(.init(recordID: record.recordID)))
  }

  /// Pages of a zone's records by name; the token is the last name.
  private func changes(_ bytes: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.FetchRecordZoneChangesRequest(decoding: bytes)
    return try state.withLock { state in
      state.feedCallCount += 1
      if state.feedCallCount >= state.feedFailsFromCall { throw RPCError(.internal, "broken") }
      let zones = request.zones.map { options in
        let name = options.zoneID?.zoneName ?? ""
        let after = String(decoding: options.changeToken, as: UTF8.self)
        let rest = state.records.filter { $0.key.hasPrefix(name + "/") && $0.key > after }
          .sorted { $0.key < $1.key }
        let page = rest.prefix(state.pageSize)
        return TidingsV1.ZoneChanges(
          zoneID: .init(zoneName: name),
          changedRecords: page.map(\.value).filter {
            options.recordTypes.isEmpty || options.recordTypes.contains($0.recordType)
          },
          changeToken: Array((page.last?.key ?? after).utf8),
          moreComing: rest.count > page.count
        )
      }
      return TidingsV1.FetchRecordZoneChangesResponse(zones: zones).encoded()
    }
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    .failed(RPCError(.unimplemented, method.fullName))
  }

  /// Runs rpcctl against this server, and interrupts it at a call.
  func run(_ arguments: [String], interruptedAtCall number: Int) async throws -> ProgramRun {
    change { $0.hangsFromCall = number }
    let run = Task { await self.run(arguments) }
    try await waitUntil("call \(number) to be under way") { now.isHanging }
    run.cancel()
    change { ($0.hangsFromCall, $0.isHanging) = (Int.max, false) }
    return await run.value
  }

  /// Runs rpcctl against this server, with real files.
  func run(_ arguments: [String], input: String = "") async -> ProgramRun {
    await ProgramRun(list: arguments, files: ["-": input], realFiles: true, transport: self)
  }
}
