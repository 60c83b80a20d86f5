internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Does what the runner asks for.
@MainActor
final class Subject {
  typealias Action = TidingsConformanceV1.Task.Action
  typealias Outcome = TidingsConformanceV1.TaskResult.Outcome

  private var client: Client?
  private var inbox: InboxReader?

  func perform(_ action: Action?) async -> Outcome {
    switch action {
    case .describe: return .description(Self.description)
    case .roundTrip(let task): return Codecs.roundTrip(task)
    case .openPush(let task): return Codecs.openPush(task)
    case .openValue(let task): return Codecs.openValue(task)
    case .connect(let task): return await connect(task)
    case .invoke(let task):
      guard let client else { return .failed("Invoke without Connect") }
      return .call(await Invocation(task, client.transport).result())
    case .startInbox(let task): return await startInbox(task)
    case .takeNotifications(let task):
      guard let inbox else { return .failed("TakeNotifications without StartInbox") }
      return await inbox.take(task)
    case .stopInbox:
      guard let inbox else { return .failed("StopInbox without StartInbox") }
      self.inbox = nil
      return .position(await inbox.stop())
    case nil: return .unsupported("this task is newer than the client")
    }
  }

  func end() async {
    _ = await inbox?.stop()
    await client?.close()
  }

  private static let description = TidingsConformanceV1.Description(
    name: "Swift, TidingsClient",
    features: [
      .streams, .cancel, .deadlines, .retries, .curve, .json, .sealedPushes, .inbox,
      .encryptedValues,
    ] + (Fault.current == .dropsUnknownFields ? [.unknownFields] : [])
  )

  private func connect(_ task: TidingsConformanceV1.Connect) async -> Outcome {
    await end()
    inbox = nil
    client = nil
    do {
      client = try await Client(try ClientConfiguration(task))
      return .connected(true)
    } catch {
      return .refused("\(error)")
    }
  }

  private func startInbox(_ task: TidingsConformanceV1.StartInbox) async -> Outcome {
    guard let client else { return .failed("StartInbox without Connect") }
    var configuration = client.configuration
    configuration.container = task.container
    configuration.environment = .init(rawValue: task.environment)
    do {
      _ = await inbox?.stop()
      inbox = try await InboxReader(configuration, position: task.position)
      return .started(true)
    } catch {
      return .refused("\(error)")
    }
  }
}
