import Synchronization
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

/// A run of rpcctl against a scripted server: its output, its calls and its exit code.
struct ProgramRun {
  let out: String
  let err: String
  let exitCode: ExitCode
  private(set) var calls: [ScriptedTransport.Call] = []
  let configuration: ClientConfiguration?
  let watchStart: WatchStart?

  init(
    _ arguments: String...,
    environment: [String: String] = [:],
    files: [String: String] = [:],
    format: OutputFormat = .jsonl,
    notifications: [TidingsV1.Notification] = [],
    staysOpen: Bool = false,
    events: [NotificationInbox.Event] = [],
    answer: @escaping ScriptedTransport.Answer = ScriptedTransport.noAnswer
  ) async {
    await self.init(
      list: arguments,
      environment: environment,
      files: files,
      format: format,
      notifications: notifications,
      staysOpen: staysOpen,
      events: events,
      answer: answer
    )
  }

  init(
    list arguments: [String],
    environment: [String: String] = [:],
    files: [String: String] = [:],
    format: OutputFormat = .jsonl,
    notifications: [TidingsV1.Notification] = [],
    staysOpen: Bool = false,
    events: [NotificationInbox.Event] = [],
    answer: @escaping ScriptedTransport.Answer = ScriptedTransport.noAnswer
  ) async {
    let transport = ScriptedTransport(answer: answer)
    await self.init(
      list: arguments,
      environment: environment,
      files: files,
      format: format,
      notifications: notifications,
      staysOpen: staysOpen,
      events: events,
      transport: transport
    )
    calls = transport.calls
  }

  /// A run against a transport; files that are not in `files` may be real ones.
  init(
    list arguments: [String],
    environment: [String: String] = [:],
    files: [String: String] = [:],
    realFiles: Bool = false,
    format: OutputFormat = .jsonl,
    notifications: [TidingsV1.Notification] = [],
    staysOpen: Bool = false,
    events: [NotificationInbox.Event] = [],
    transport: any ClientTransport
  ) async {
    let (out, err) = (Recorder(), Recorder())
    let configuration = Box<ClientConfiguration>()
    let begin = Box<WatchStart>()
    let program = Program(
      arguments,
      environment: environment,
      input: Input { path in
        if let text = files[path ?? "-"] { return Array(text.utf8) }
        guard realFiles else { throw LocalFailure("cannot read '\(path ?? "-")'") }
        return try Input.system.read(path)
      },
      output: Output(
        format: format,
        writeData: { out.append($0) },
        writeMessage: { err.append($0) }
      ),
      connect: { settings in
        configuration.value = settings
        return Session(
          transport: transport,
          notifications: { start, onEvent in
            begin.value = start
            for event in events { onEvent(event) }
            return ScriptedNotifications(list: notifications, staysOpen: staysOpen)
          }
        )
      }
    )
    exitCode = await program.run()
    self.out = out.text
    self.err = err.text
    self.configuration = configuration.value
    watchStart = begin.value
  }
}

extension Box {
  func set(_ value: Value) { self.value = value }
}

final class Recorder: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
}

/// Answers calls from a closure, and records them.
final class ScriptedTransport: ClientTransport {
  struct Call: Sendable {
    let method: MethodDescriptor
    let request: [UInt8]
    let options: CallOptions
  }

  typealias Answer = @Sendable (Call) throws(RPCError) -> [[UInt8]]

  private let log = Mutex<[Call]>([])
  private let answer: Answer

  init(answer: @escaping Answer) { self.answer = answer }

  static let noAnswer: Answer = { (call: Call) throws(RPCError) in
    throw RPCError(.unimplemented, "no script for \(call.method.fullName)")
  }

  var calls: [Call] { log.withLock { $0 } }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    let call = Call(method: method, request: request, options: options)
    log.withLock { $0.append(call) }
    return try answer(call).first ?? []
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    let call = Call(method: method, request: request, options: options)
    log.withLock { $0.append(call) }
    let (stream, continuation) = ResponseStream.makeStream(onCredit: { _ in }, onCancel: {})
    do {
      for message in try answer(call) { _ = continuation.yield(message) }
      continuation.finish()
    } catch {
      continuation.finish(error)
    }
    return stream
  }
}

/// Notifications that arrive at once; then the stream ends, or stays open until it is cancelled.
struct ScriptedNotifications: NotificationSource {
  let list: [TidingsV1.Notification]
  let staysOpen: Bool

  func handOut(
    _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
  ) async throws {
    for notification in list {
      guard try await body(notification) else { return }
    }
    // It never ends by itself: whoever watches is cancelled.
    if staysOpen { try? await Task.sleep(for: .seconds(3600)) }
  }
}
