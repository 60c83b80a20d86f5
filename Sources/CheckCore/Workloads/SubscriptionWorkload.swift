internal import Synchronization
internal import TidingsClient
internal import TidingsProto

/// Processes that change records, one that follows the notification log page by page, and an inbox whose consumer
/// crashes now and then.
final class SubscriptionWorkload: Workload {
  private static let rules: [(name: String, rule: Rule)] = [
    ("low", Rule(0..<40, ["created", "updated", "deleted"])),
    ("band", Rule(20..<60, ["entered", "left"])),
    ("high", Rule(50..<100, ["created", "entered", "updated", "left", "deleted"])),
  ]
  private static let zoneName = "zone"
  /// The last one is saved while others write.
  private static let lateAfter = 20

  private let stage: Stage
  private let subscriptions: Subscriptions
  private let log: LogFollower
  private let inbox: InboxConsumer

  init(_ stage: Stage) {
    self.stage = stage
    subscriptions = Subscriptions(stage: stage, zone: stage.runName, type: "CheckItem")
    let prefix = stage.runName + "-"
    log = LogFollower(stage, prefix: prefix)
    inbox = InboxConsumer(stage, prefix: prefix)
  }

  var zones: [String] { [stage.runName] }

  private func id(_ name: String) -> String { "\(stage.runName)-\(name)" }

  func prepare(_ process: inout LogicalProcess) async throws {
    try await subscriptions.teach()
    inbox.begin(after: try await log.begin())
    try await subscriptions.save(id(Self.zoneName), nil, &process)
    for (name, rule) in Self.rules.dropLast() {
      try await subscriptions.save(id(name), rule, &process)
    }
  }

  func run(_ process: inout LogicalProcess) async throws {
    switch process.index {
    case 0:
      while stage.isOpen {
        if try await log.readPage(&process).isLast { try await process.pause(10) }
      }
    case 1: try await inbox.run(process.random.fork(), crashes: true) { [stage] _ in stage.isOpen }
    default: try await write(&process)
    }
  }

  private func write(_ process: inout LogicalProcess) async throws {
    var writer = RecordWriter(stage, zone: stage.runName, type: subscriptions.type)
    var count = 0
    while stage.isOpen {
      try await writer.change(&process)
      count += 1
      if process.index == 2, count == Self.lateAfter { try await saveLast(&process) }
    }
    if process.index == 2, count < Self.lateAfter { try await saveLast(&process) }
  }

  private func saveLast(_ process: inout LogicalProcess) async throws {
    for (name, rule) in Self.rules.suffix(1) {
      try await subscriptions.save(id(name), rule, &process)
    }
  }

  /// Saves records for which each subscription fires, reads the log to its end, and the inbox as far.
  func finish(_ process: inout LogicalProcess) async throws {
    try await saveLastRecords(&process)
    var patience = Patience(stage.settings.patience)
    try await patience.readToEnd(of: "the log", pagesMax: stage.pagesMax) {
      try await log.readPage(&process)
    }
    let (expected, end) = (log.numbers, ContinuousClock.now + stage.settings.patience)
    try await inbox.run(process.random.fork(), crashes: false) { stored in
      expected.contains { stored[$0.key, default: 0] < $0.value } && ContinuousClock.now < end
    }
  }

  private func saveLastRecords(_ process: inout LogicalProcess) async throws {
    let end = ContinuousClock.now + stage.settings.patience
    var writer = RecordWriter(stage, zone: stage.runName, type: subscriptions.type)
    for number in [30, 55] as [Int64] {
      var (attempt, isSaved) = (0, false)
      while !isSaved {
        guard ContinuousClock.now < end else { throw CheckError("the last records were not saved") }
        attempt += 1
        let name = "last-\(number)-\(attempt)"
        isSaved = try await writer.create(name, number: number, &process).outcome == .ok
      }
    }
  }

  func clear() async {
    await subscriptions.delete(([Self.zoneName] + Self.rules.map(\.name)).map(id))
  }
}
