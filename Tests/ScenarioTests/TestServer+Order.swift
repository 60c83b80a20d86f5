internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension TestServer {
  /// Sends calls on one connection before the server looks at any.
  ///
  /// A server that works on calls in their order answers them in their order, whatever the speed of the machine.
  ///
  /// - Returns: The answers, in their order, with the places of their calls.
  func answers(to calls: [RawCall]) async throws -> [(call: Int, body: [UInt8])] {
    let socket = try RawSocket(.dealer, connectedTo: rpcEndpoint)
    let first = RawCall(
      RawCall.fetchRecords,
      TidingsV1.FetchRecordsRequest(recordIDs: [.init("t")]).encoded(),
      as: "carol"
    )
    #expect(try await first.send(on: socket).0.status == 0)
    try process.pause()
    for (position, call) in calls.enumerated() {
      var call = call
      call.header.callID = UInt64(100 + position)
      try await socket.send([call.header.encoded(), call.body])
    }
    process.resume()
    var answers: [(Int, [UInt8])] = []
    for _ in calls {
      let (header, body) = try await RawCall.answer(socket.receive())
      #expect(header.status == 0, "\(header.message)")
      answers.append((Int(header.callID) - 100, body))
    }
    return answers
  }
}
