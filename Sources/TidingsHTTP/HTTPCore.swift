internal import CHTTPRefusals
internal import CMicroHTTPD
internal import Synchronization

/// What libmicrohttpd calls, on its threads.
final class HTTPCore: Sendable {
  private let planning: HTTPServer.Planner
  private let handler: HTTPServer.Handler
  private let folder: String
  private let budget: BodyBudget

  private struct State {
    var isStopping = false
    var running = 0
    var streams: [ObjectIdentifier: HTTPStream] = [:]
    var idle: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())
  private let connections: Mutex<ConnectionTable>

  init(
    _ configuration: HTTPConfiguration,
    _ planning: @escaping HTTPServer.Planner,
    _ handler: @escaping HTTPServer.Handler
  ) {
    (self.planning, self.handler) = (planning, handler)
    folder = configuration.temporaryFolder
    budget = BodyBudget(bytesMax: configuration.bodiesBytesMax)
    connections = Mutex(ConnectionTable(connectionsMax: configuration.connectionsMax))
  }

  // MARK: Callbacks

  static let received: tidings_mhd_uri = { context, uri, _ in
    guard let context else { return nil }
    let core = Unmanaged<HTTPCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = HTTPExchange(uri: uri.map { String(cString: $0) } ?? "", core.budget)
    // Until `completed`; the first call of `access` finds it.
    return Unmanaged.passRetained(exchange).toOpaque()
  }

  /// A connection was accepted, or is about to be closed; what it is until then is the number of it.
  static let connected: MHD_NotifyConnectionCallback = { context, connection, slot, event in
    guard let context, let connection, let slot else { return }
    let core = Unmanaged<HTTPCore>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
      slot.pointee = UnsafeMutableRawPointer(bitPattern: UInt(core.opened(connection)))
    } else {
      core.connections.withLock { $0.close(UInt64(UInt(bitPattern: slot.pointee))) }
    }
  }

  static let unescape: tidings_mhd_unescape = { _, _, text in
    // Signatures cover paths as they were sent.
    var count = 0
    while let text, text[count] != 0 { count += 1 }
    return count
  }

  static let completed: tidings_mhd_completed = { context, connection, slot, code in
    guard let context, let pointer = slot?.pointee else { return }
    slot?.pointee = nil
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue()
    exchange.executor?.abandon()
    exchange.complete()
    exchange.onEnd?(code == .REQUEST_TERMINATED_COMPLETED_OK)
    let core = Unmanaged<HTTPCore>.fromOpaque(context).takeUnretainedValue()
    if let stream = exchange.stream { core.ended(stream) }
    if exchange.isBegun, let connection {
      let number = tidings_mhd_number(connection)
      core.connections.withLock { $0.wait(number) }
    }
    if exchange.isCounted { core.finished() }
  }

  static let access: MHD_AccessHandlerCallback = {
    context,
    connection,
    target,
    method,
    version,
    data,
    size,
    slot in
    guard let context, let connection, let pointer = slot?.pointee else { return .NO }
    let core = Unmanaged<HTTPCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
    if exchange.head == nil {
      return core.begin(exchange, RequestLine(method, target, version), connection)
    }
    if let size, size.pointee > 0 {
      let goesOn = exchange.append(UnsafeRawBufferPointer(start: data, count: size.pointee))
      let number = tidings_mhd_number(connection)
      core.connections.withLock { $0.wait(number) }
      size.pointee = 0
      return goesOn ? .YES : .NO
    }
    return core.proceed(exchange, connection)
  }

  // MARK: Steps

  /// Closes another connection if there is little room.
  private func opened(_ connection: OpaquePointer) -> UInt64 {
    let network = Self.network(of: connection)
    let descriptor = tidings_mhd_descriptor(connection)
    return connections.withLock { connections in
      let (number, displaced) = connections.open(from: network, descriptor)
      // Under the lock: it is closed by nobody before, and libmicrohttpd notices the end.
      if let displaced { tidings_shut(displaced) }
      return number
    }
  }

  private func begin(
    _ exchange: HTTPExchange,
    _ line: RequestLine,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    var received = ReceivedHeaders(ends: LineEnds(afterRequestLine: line.end))
    Self.read(connection, into: &received)
    received.ends.finish()
    let uri = exchange.uri.utf8
    let mark = uri.firstIndex(of: UInt8(ascii: "?"))
    let head = HTTPHead(
      method: line.method,
      path: String(exchange.uri[..<(mark ?? uri.endIndex)]),
      query: mark.map { String(exchange.uri[uri.index(after: $0)...]) } ?? "",
      headers: received.headers,
      peer: Self.peer(of: connection)
    )
    let problem =
      received.ends.areValid
      ? line.problem(uri: exchange.uri) ?? HeadRules.problem(head, isOldVersion: line.isOldVersion)
      : Self.brokenLines
    if let problem {
      exchange.begin(head, .refuse(.text(400, problem)), folder: folder)
    } else {
      exchange.begin(head, planning(head), folder: folder)
    }
    // Nothing is read of a body that is not wanted.
    if let refusal = exchange.refusal { return Self.send(refusal, closes: true, connection) }
    return .YES
  }

  private func proceed(_ exchange: HTTPExchange, _ connection: OpaquePointer) -> MHD_Result {
    if let refusal = exchange.refusal { return Self.send(refusal, closes: true, connection) }
    if let answer = exchange.takeAnswer() {
      exchange.onEnd = answer.onEnd
      return send(answer, exchange, connection)
    }
    if let executor = exchange.executor { return advance(exchange, executor, connection) }
    guard !exchange.isBegun, let request = exchange.takeRequest(of: HTTPClient(connection)) else {
      return .YES
    }
    exchange.isBegun = true
    let number = tidings_mhd_number(connection)
    connections.withLock { $0.begin(number) }
    guard begin() else { return Self.send(Self.stopping, closes: true, connection) }
    exchange.isCounted = true
    return request.body.isSmall
      ? beginHere(request, exchange, connection) : beginElsewhere(request, exchange, connection)
  }

  /// Answers a request on the thread of its connection.
  private func beginHere(
    _ request: HTTPRequest,
    _ exchange: HTTPExchange,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    let executor = ConnectionExecutor()
    exchange.executor = executor
    let handler = handler
    Task(executorPreference: executor) {
      exchange.setAnswer(await handler(request))
    }
    return advance(exchange, executor, connection)
  }

  /// Lets the task of a request go on, and sends its answer if there is one.
  private func advance(
    _ exchange: HTTPExchange,
    _ executor: ConnectionExecutor,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    repeat {
      executor.run()
      if let answer = exchange.takeAnswer() {
        exchange.onEnd = answer.onEnd
        return send(answer, exchange, connection)
      }
    } while !executor.suspend(connection)
    return .YES
  }

  /// Answers a request that may take long on another thread, so that other connections do not wait for it.
  private func beginElsewhere(
    _ request: HTTPRequest,
    _ exchange: HTTPExchange,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    MHD_suspend_connection(connection)
    let suspended = Connection(pointer: connection)
    let handler = handler
    Task {
      exchange.setAnswer(await handler(request))
      MHD_resume_connection(suspended.pointer)
    }
    return .YES
  }

  /// Unchecked: a suspended connection belongs to whoever resumes it.
  private struct Connection: @unchecked Sendable { let pointer: OpaquePointer }

  private static let stopping = HTTPResponse.text(503, "the server is stopping")
  private static let brokenLines =
    "a line of the head does not end with a carriage return and a line feed, or continues another one"

  private struct ReceivedHeaders {
    var headers: [(name: String, value: String)] = []
    var ends: LineEnds
  }

  private static func read(_ connection: OpaquePointer, into received: inout ReceivedHeaders) {
    withUnsafeMutablePointer(to: &received) { received in
      _ = MHD_get_connection_values_n(
        connection,
        .HEADER_KIND,
        { context, _, name, nameCount, value, valueCount in
          let received = context?.assumingMemoryBound(to: ReceivedHeaders.self)
          received?.pointee.ends.add(name: name, end: value.map { $0 + valueCount })
          let name = UnsafeRawBufferPointer(start: name, count: nameCount)
          var value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount)
          // Space at the end of a value belongs to none.
          while let last = value.last, last == 0x20 || last == 0x09 {
            value = UnsafeRawBufferPointer(rebasing: value.dropLast())
          }
          received?.pointee.headers.append(
            (HTTPCore.lowercase(name), String(decoding: value, as: UTF8.self))
          )
          return .YES
        },
        received
      )
    }
  }

  private static func network(of connection: OpaquePointer) -> PeerNetwork {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
      let count = tidings_mhd_address(connection, bytes.baseAddress)
      return PeerNetwork(bytes.prefix(Int(count)))
    }
  }

  private static func peer(of connection: OpaquePointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      tidings_mhd_peer(connection, text.baseAddress)
      return text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  private static func lowercase(_ name: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: name.count) { text in
      for (index, byte) in name.enumerated() {
        text[index] = 0x41...0x5A ~= byte ? byte | 0x20 : byte
      }
      return name.count
    }
  }

  // MARK: Answers

  private func send(
    _ answer: HTTPResponse,
    _ exchange: HTTPExchange,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    switch answer.body {
    case .bytes: return Self.send(answer, closes: false, connection)
    case .stream(let stream):
      exchange.stream = stream
      guard began(stream) else {
        stream.close()
        return Self.send(Self.stopping, closes: true, connection)
      }
      return Self.stream(stream, answer, connection)
    case .chunks(let chunks, let count):
      let stream = HTTPStream(pendingBytesMax: 8 << 20, endsBeforeOthers: false)
      exchange.stream = stream
      guard began(stream) else {
        stream.close()
        return Self.send(Self.stopping, closes: true, connection)
      }
      ChunkPump.run(chunks, into: stream)
      return Self.stream(stream, answer, connection, count: count)
    }
  }

  private static func send(
    _ answer: HTTPResponse,
    closes: Bool,
    _ connection: OpaquePointer
  ) -> MHD_Result {
    guard case .bytes(let bytes) = answer.body else { return .NO }
    let response = bytes.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count,
        UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY
      )
    }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    add(answer.headers, to: response)
    if closes { MHD_add_response_header(response, "Connection", "close") }
    return tidings_mhd_answer(connection, UInt32(answer.status), response)
  }

  private static func stream(
    _ stream: HTTPStream,
    _ answer: HTTPResponse,
    _ connection: OpaquePointer,
    count: UInt64? = nil
  ) -> MHD_Result {
    let source = StreamSource(stream, connection)
    let response = MHD_create_response_from_callback(
      count ?? UInt64.max,
      64 << 10,
      StreamSource.read,
      Unmanaged.passRetained(source).toOpaque(),
      StreamSource.free
    )
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    add(answer.headers, to: response)
    return tidings_mhd_answer(connection, UInt32(answer.status), response)
  }

  private static func add(_ headers: [(name: String, value: String)], to response: OpaquePointer) {
    for (name, value) in headers { MHD_add_response_header(response, name, value) }
  }

  // MARK: Ending

  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.running += 1
      return true
    }
  }

  private func finished() {
    let idle = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return [] as [CheckedContinuation<Void, Never>] }
      defer { state.idle = [] }
      return state.idle
    }
    for continuation in idle { continuation.resume() }
  }

  private func began(_ stream: HTTPStream) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.streams[ObjectIdentifier(stream)] = stream
      return true
    }
  }

  private func ended(_ stream: HTTPStream) {
    _ = state.withLock { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
    stream.close()
  }

  /// Refuses further requests, ends streams, and waits until what runs is answered and sent.
  ///
  /// Contents are sent to their end, if that takes no longer than `patience`.
  func drain(patience: Duration) async {
    state.withLock { $0.isStopping = true }
    endStreams { $0.endsBeforeOthers }
    let timer = Task {
      try await Task.sleep(for: patience)
      endStreams { _ in true }
    }
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.idle.append(continuation) }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
    timer.cancel()
  }

  private func endStreams(_ isMeant: (HTTPStream) -> Bool) {
    for stream in state.withLock({ Array($0.streams.values) }) where isMeant(stream) {
      stream.end()
    }
  }
}
