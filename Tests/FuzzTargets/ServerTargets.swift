#if DEBUG
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension FuzzTarget {
  /// A whole server, over its socket.
  static let server = [
    // Calls: the method's number, the user's, the length of the body in two bytes, the body.
    FuzzTarget("calls") { bytes in
      for call in Call.all(in: bytes) { try call.make() }
    },
    // Frames: the length of each in two bytes.
    FuzzTarget("frames") { bytes in
      var (rest, frames) = (bytes[...], [] as [[UInt8]])
      while let frame = Call.take(&rest), frames.count < 8 { frames.append(frame) }
      try ServerUnderTest.shared.send(raw: frames.isEmpty ? [[]] : frames)
    },
    // Which token, then what is added to each of its bytes; a longer input makes it longer.
    FuzzTarget("tokens") { bytes in
      guard let first = bytes.first else { return }
      let mutated = try Tokens.shared.mutated(Int(first), bytes.dropFirst())
      try mutated.check()
    },
  ]
}

/// One call of an input.
private struct Call {
  /// Most calls of an input.
  private static let countMax = 8

  let entry: CallTableEntry
  let user: String
  let body: [UInt8]

  static func all(in bytes: UnsafeRawBufferPointer) -> [Call] {
    var (rest, calls) = (bytes[...], [] as [Call])
    while rest.count >= 4, calls.count < countMax {
      let entry = CallTable.entry(rest.removeFirst())
      let user = ["ada", "bob", "", "eve"][Int(rest.removeFirst() & 3)]
      guard let body = take(&rest) else { break }
      calls.append(Call(entry: entry, user: user, body: body))
    }
    return calls
  }

  /// Takes bytes after their length; what is missing at the end is left out.
  static func take(_ rest: inout Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
    guard rest.count >= 2 else { return nil }
    let count = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Our own failures are findings; a caller's mistakes are not.
  func make() throws {
    let name = entry.method.fullName
    let streams = entry.method.kind == .serverStreaming
    let (answer, response) = try ServerUnderTest.shared.call(
      name,
      body,
      as: user,
      streams: streams
    )
    let code = StatusCode(rawValue: answer.status)
    try require(
      ![.internal, .unknown, .dataLoss, .deadlineExceeded].contains(code),
      "\(name) fails with \(answer)"
    )
    try require(code == .ok || !answer.message.isEmpty, "\(name) fails without a reason")
    try require(code != .ok || streams || answer.endOfStream, "\(name) does not end")
    if code == .ok { try entry.checkResponse(response) }
  }
}
#endif
