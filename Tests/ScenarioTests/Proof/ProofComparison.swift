internal import TestSupport
internal import TidingsProto

/// Compares what a device processed, or what the log says, with what it must be.
struct ProofComparison {
  let model: ProofModel
  let caller: Oracle.Caller
  private let expected: [String: [ProofModel.Expected]]
  /// Notifications that other devices marked read: whether they came before is chance.
  private let readByOthers: Set<String>

  /// Compares for a caller; `marks` are the user's read marks, with the device of each.
  init(_ model: ProofModel, _ caller: Oracle.Caller, marks: [String: String]) {
    self.model = model
    self.caller = caller
    readByOthers = Set(marks.filter { $0.value != caller.device }.keys)
    let (all, read) = (model.expected[caller.user, default: []], readByOthers)
    let mine = all.filter { expected in
      (caller.device.isEmpty || expected.cause != caller)
        && !read.contains(expected.key.description)
    }
    expected = Dictionary(grouping: mine, by: \.key.channel)
  }

  /// The last that the device must have of each channel: one that has them got no others later.
  var lastKeys: Set<ProofKey> { Set(expected.values.compactMap(\.last?.key)) }

  /// The device has was notified of all that others marked read.
  func hasMarks(_ processed: [TidingsV1.Notification]) -> Bool {
    readByOthers.isSubset(of: processed.map { ProofKey($0).readID })
  }

  /// A later one of the same channel was processed: what is missing will not come.
  func hasPassedOver(_ processed: [TidingsV1.Notification]) -> Bool {
    let numbers = Dictionary(grouping: processed.map(ProofKey.init), by: \.channel)
      .mapValues { Set($0.map(\.number)) }
    return expected.contains { channel, wanted in
      guard let got = numbers[channel], let last = got.max() else { return false }
      return wanted.contains { $0.key.number < last && !got.contains($0.key.number) }
    }
  }

  /// The first thing that is missing, doubled, out of order or otherwise wrong in each channel.
  func differences(_ processed: [TidingsV1.Notification]) -> [String] {
    let marks = processed.map { ProofKey($0).readID }.filter { !$0.isEmpty }
    var complaints: [String] = []
    if marks.sorted() != readByOthers.sorted() {
      complaints.append(
        "\(caller.user)/\(caller.device): read marks \(marks.sorted()), "
          + "expected \(readByOthers.sorted())"
      )
    }
    return complaints + channelDifferences(processed.filter { !isRead($0) && !isStray($0) })
  }

  private func isStray(_ notification: TidingsV1.Notification) -> Bool {
    model.strays[caller.user, default: []].contains(ProofKey(notification).description)
  }

  /// A read mark, or what one stands for.
  func isRead(_ notification: TidingsV1.Notification) -> Bool {
    notification.type == .readNotification || readByOthers.contains(notification.notificationID)
  }

  func channelDifferences(_ processed: [TidingsV1.Notification]) -> [String] {
    let processed = Dictionary(grouping: processed) { $0.position?.channelID ?? "" }
    return Set(processed.keys).union(expected.keys).sorted().compactMap { channel in
      difference(processed[channel, default: []], expected[channel, default: []])
        .map { "\(caller.user)/\(caller.device), channel \(channel): \($0)" }
    }
  }

  /// What is wrong with the order of a log over all channels: causes come one after the other.
  func disorder(_ log: [TidingsV1.Notification]) -> String? {
    let calls = Dictionary(expected.values.joined().map { ($0.key, $0) }) { first, _ in first }
    var last: [Oracle.Database: ProofModel.Expected] = [:]
    for event in log.compactMap({ calls[ProofKey($0)] }) {
      if let before = last[event.database], before.call > event.call {
        return "\(caller.user): \(event.key), of an earlier call, comes after \(before.key)"
      }
      last[event.database] = event
    }
    return nil
  }

  private func difference(
    _ processed: [TidingsV1.Notification],
    _ expected: [ProofModel.Expected]
  ) -> String? {
    let (numbers, wanted) = (processed.map { ProofKey($0).number }, expected.map(\.key.number))
    if numbers != wanted {
      if let number = wanted.first(where: { !numbers.contains($0) }) {
        let missing = expected.first { $0.key.number == number }
        let next = numbers.first { $0 > number }.map { ", next came \($0)" } ?? ""
        return "\(number) is missing\(next)\(story(missing?.notification, missing?.call))"
      }
      if let number = numbers.first(where: { !wanted.contains($0) }) {
        let extra = processed.first { ProofKey($0).number == number }
        return "\(number) comes unasked\(story(extra))"
      }
      let index = zip(numbers, numbers.dropFirst()).enumerated().first { $0.1.0 >= $0.1.1 }
      let location = index.map { "after \(numbers.prefix($0.offset + 1).suffix(5))" } ?? ""
      return "doubled or out of order \(location), \(numbers.count) instead of \(wanted.count)"
    }
    for (got, event) in zip(processed, expected) {
      var (got, wanted) = (got.compared, event.notification.compared)
      let names = model.names[caller.user, default: [:]][ProofKey(wanted).channel, default: []]
      if !caller.device.isEmpty, names.contains(got.subscriptionID) {
        (got.subscriptionID, wanted.subscriptionID) = ("", "")
      }
      guard got != wanted else { continue }
      return "got      \(got.brief)\n  expected \(wanted.brief)\(story(wanted, event.call))"
    }
    return nil
  }

  /// The notification, and what happened to its record about then.
  private func story(_ notification: TidingsV1.Notification?, _ call: Int? = nil) -> String {
    guard let notification else { return "" }
    let databases = [Oracle.Database(owner: nil), .init(owner: caller.user)].filter {
      $0.id.scope == notification.databaseID?.scope
    }
    let record = notification.recordID ?? .init()
    let lines = databases.flatMap {
      model.stories["\($0) \(record.zone)/\(record.recordName)", default: []]
    }
    let (before, after) = (
      lines.filter { $0.call <= call ?? .max }.suffix(3),
      lines.filter { $0.call > call ?? .max }.prefix(2)
    )
    return "\n  \(notification.brief)"
      + (before + after).map { "\n    the record, by number, writer and state: \($0.line)" }
      .joined()
  }
}

extension TidingsV1.Notification {
  /// What the model expects.
  fileprivate var compared: Self {
    .init(
      type: type,
      subscriptionID: subscriptionID,
      databaseID: databaseID,
      reason: reason,
      recordID: recordID.map { .init($0.recordName, zone: $0.zone) },
      recordType: recordType,
      recordFields: recordFields,
      position: position
    )
  }

  var brief: String {
    let fields = recordFields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.brief)" }
    return "\(ProofKey(self)) \(type) \(subscriptionID) \(databaseID?.scope ?? .unspecified) "
      + "\(reason) \(recordType) \(recordID?.brief ?? "") {\(fields.joined(separator: ", "))}"
  }
}
