#if DEBUG
internal import CZeroMQ
internal import Foundation
internal import Synchronization
internal import TidingsEngine
internal import TidingsLogging
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

@testable internal import TidingsService

/// A server of this process, and connections to it: whatever is sent, each call is answered once.
final class ServerUnderTest: Sendable {
  static let shared: ServerUnderTest = {
    do {
      return try ServerUnderTest()
    } catch {
      fatalError("no server to test: \(error)")
    }
  }()

  private struct Connection: ~Copyable, @unchecked Sendable {
    // libzmq lets a socket move between threads with a full fence, which the mutex is.
    let handle: UnsafeMutableRawPointer
    var callID: UInt64 = 1 << 40
  }

  private let connection: Mutex<Connection>
  /// For frames that may cause any number of answers, at any time.
  private let rawConnection: Mutex<Connection>
  private let server: TidingsServer

  private init() throws {
    let memory = "/dev/shm"
    let isThere = FileManager.default.isWritableFile(atPath: memory)
    let root = isThere ? memory : NSTemporaryDirectory()
    Self.removeLeftovers(in: root)
    let folder = root + "/\(Self.prefix)\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var settings = ServerSettings()
    settings.rpcEndpoint = "ipc://\(folder)/rpc"
    settings.pushEndpoint = "ipc://\(folder)/push"
    settings.dataPath = folder + "/data"
    settings.logLevel = .error
    // What waits for a change must not make the fuzzer wait.
    settings.limits.changeWaitMillisecondsMax = 1
    server = try Self.start(settings)
    guard let context = zmq_ctx_new() else { throw FuzzFinding(description: "no context") }
    connection = Mutex(try Self.connect(context, server.rpcEndpoint))
    rawConnection = Mutex(try Self.connect(context, server.rpcEndpoint))
  }

  private static let prefix = "tidings-fuzz-"

  /// A fuzzer ends without ceremony: the next one removes what it left.
  private static func removeLeftovers(in root: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      guard name.hasPrefix(prefix), let process = Int32(name.dropFirst(prefix.count)),
        kill(process, 0) != 0
      else { continue }
      try? FileManager.default.removeItem(atPath: root + "/" + name)
    }
  }

  private static func connect(
    _ context: UnsafeMutableRawPointer,
    _ endpoint: String
  ) throws -> Connection {
    guard let handle = zmq_socket(context, ZMQ_DEALER) else {
      throw FuzzFinding(description: "no socket")
    }
    var patience: CInt = 60_000
    zmq_setsockopt(handle, ZMQ_RCVTIMEO, &patience, MemoryLayout<CInt>.size)
    try require(zmq_connect(handle, endpoint) == 0, "no connection")
    return Connection(handle: handle)
  }

  private static func start(_ settings: ServerSettings) throws -> TidingsServer {
    let (done, box) = (DispatchSemaphore(value: 0), ResultBox())
    Task.detached {
      do {
        box.set(.success(try await TidingsServer.start(settings)))
      } catch {
        box.set(.failure(error))
      }
      done.signal()
    }
    done.wait()
    guard let result = box.take() else { throw FuzzFinding(description: "not started") }
    return try result.get()
  }

  private final class ResultBox: Sendable {
    private let value = Mutex<Result<TidingsServer, any Error>?>(nil)
    func set(_ result: Result<TidingsServer, any Error>) { value.withLock { $0 = result } }
    func take() -> Result<TidingsServer, any Error>? { value.withLock { $0 } }
  }

  // MARK: Calls

  /// Makes a call and returns its last answer.
  func call(
    _ method: String,
    _ body: [UInt8],
    as user: String = "ada",
    streams: Bool = false
  ) throws -> (TidingsRpcV1.ResponseHeader, [UInt8]) {
    try connection.withLock { connection in
      connection.callID += 1
      var header = TidingsRpcV1.RequestHeader(callID: connection.callID, method: method)
      header.metadata = ["tidings-user": user, "tidings-device": "fuzz"]
      header.timeoutMs = 30_000
      try Self.send([header.encoded(), body], connection.handle)
      if streams {
        header = .init(callID: connection.callID, kind: .cancel)
        try Self.send([header.encoded(), []], connection.handle)
      }
      while true {
        let (answer, body) = try Self.receive(connection.handle)
        try require(answer.callID == connection.callID, "an answer to nobody: \(answer)")
        if answer.endOfStream { return (answer, body) }
        try require(streams, "a unary call has several answers: \(answer)")
      }
    }
  }

  /// Sends frames as they are, then a call that must be answered after whatever they cause.
  func send(raw frames: [[UInt8]]) throws {
    try rawConnection.withLock { connection in
      try Self.send(frames, connection.handle)
      connection.callID += 1
      let header = TidingsRpcV1.RequestHeader(
        callID: connection.callID,
        method: "tidings.rpc.v1.HealthService/Check"
      )
      try Self.send([header.encoded(), []], connection.handle)
      while true {
        let (answer, body) = try Self.receive(connection.handle)
        guard answer.callID == connection.callID else { continue }
        try require(answer.status == 0, "the server is not well: \(answer)")
        let health = try TidingsRpcV1.CheckResponse(decoding: body)
        try require(health.status == .serving, "the server is not serving")
        return
      }
    }
  }

  private static func send(_ frames: [[UInt8]], _ handle: UnsafeMutableRawPointer) throws {
    for (index, frame) in frames.enumerated() {
      let flags = index + 1 < frames.count ? ZMQ_SNDMORE : 0
      var count: CInt
      repeat {
        count = zmq_send(handle, frame, frame.count, flags)
      } while count < 0
        && zmq_errno() == EINTR
      try require(count >= 0, "not sent")
    }
  }

  private static func receive(
    _ handle: UnsafeMutableRawPointer
  ) throws -> (TidingsRpcV1.ResponseHeader, [UInt8]) {
    var frames: [[UInt8]] = []
    var frame = zmq_msg_t()
    zmq_msg_init(&frame)
    defer { zmq_msg_close(&frame) }
    repeat {
      var count: CInt
      // libFuzzer's clock sends signals.
      repeat { count = zmq_msg_recv(&frame, handle, 0) } while count < 0 && zmq_errno() == EINTR
      try require(count >= 0, "no answer: \(String(cString: zmq_strerror(zmq_errno())))")
      frames.append(
        [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&frame), count: zmq_msg_size(&frame)))
      )
    } while zmq_msg_more(&frame) != 0
    try require(frames.count >= 2, "an answer of \(frames.count) frames")
    return (try TidingsRpcV1.ResponseHeader(decoding: frames[frames.count - 2]), frames.last ?? [])
  }
}
#endif
