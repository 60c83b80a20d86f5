/// What one consumer got, compared with what had to fire.
struct ConsumerCheck {
  private let firings: Firings
  /// What must have fired, in the order in which the changes were acknowledged.
  private var required: ArraySlice<(key: Firings.Key, firing: Firings.Firing)>
  /// The last number of each subscription that it has got; at first that from which it is effective.
  private var numbers: [String: Int64]
  private var zoneNotices: [String: ZoneNotices]
  private var seen: [Firings.Key: Call] = [:]
  /// The newest value of each record, by subscription.
  private var newest: [Firings.Key: Int64] = [:]

  init(_ firings: Firings, _ starts: [String: Int64], _ zoneNotices: [String: ZoneNotices]) {
    self.zoneNotices = zoneNotices
    self.firings = firings
    required = firings.required[...]
    numbers = starts
  }

  /// Pages continue each other, and one that reaches the end completes what was committed before.
  mutating func violation(inLog pages: [Call]) -> Violation? {
    var earlier: Call?
    for page in pages {
      if let earlier, page.token != earlier.nextToken {
        return Violation("a page of the log does not continue the one before", [earlier, page])
      }
      earlier = page
      for notice in page.notices {
        if let violation = add(notice, in: page) { return violation }
      }
      guard page.isLast else { continue }
      if let violation = missing(before: page.begin, page) { return violation }
    }
    return nil
  }

  /// What was stored is never delivered again, and in the end everything was.
  mutating func violation(inInbox deliveries: [Call]) -> Violation? {
    for delivery in deliveries {
      for notice in delivery.notices {
        if delivery.manner == Call.stored {
          if let violation = add(notice, in: delivery) { return violation }
        } else if let stored = seen[Firings.Key(notice)] {
          return Violation("\(notice) was delivered again after it was stored", [stored, delivery])
        }
      }
    }
    return missing(before: .max, deliveries.last)
  }

  private mutating func add(_ notice: Notice, in call: Call) -> Violation? {
    if let isTooMuch = zoneNotices[notice.subscription]?.add(before: call.end) {
      if isTooMuch { return Violation("\(notice) fired without a change of the zone", [call]) }
      return addNumber(notice, in: call)
    }
    let key = Firings.Key(notice)
    if let earlier = seen[key] {
      return Violation("\(notice) was delivered more than once", [earlier, call])
    }
    guard let firing = firings.possible[key], firing.call.begin < call.end else {
      return Violation("\(notice) fired for what does not match, or was not saved", [call])
    }
    guard firing.reason == notice.reason else {
      return Violation("\(notice): the reason must be '\(firing.reason)'", [firing.call, call])
    }
    if let violation = addNumber(notice, in: call) { return violation }
    let record = Firings.Key(notice.subscription, notice.record, nil)
    let value = notice.value ?? .max
    if let last = newest[record], last > value {
      return Violation("\(notice) came after a later version of its record", [firing.call, call])
    }
    newest[record] = value
    seen[key] = call
    return nil
  }

  /// Within a subscription, numbers ascend without gaps.
  private mutating func addNumber(_ notice: Notice, in call: Call) -> Violation? {
    let last = numbers.updateValue(notice.number, forKey: notice.subscription)
    guard let last, notice.number != last + 1 else { return nil }
    return Violation("\(notice) came after number \(last) of its subscription", [call])
  }

  /// The first that lacks of what was acknowledged before a time.
  private mutating func missing(before time: Int64, _ call: Call?) -> Violation? {
    while let (key, firing) = required.first, firing.call.end < time {
      guard seen[key] != nil else {
        return Violation(
          "a notification is missing: \(key.subscription) \(firing.reason) "
            + "\(Version(key.record, key.value))",
          [firing.call, call].compactMap { $0 }
        )
      }
      required.removeFirst()
    }
    return zoneNotices.first { $0.value.lacks(before: time) }.map { subscription, _ in
      Violation("notifications of a zone are missing: \(subscription)", [call].compactMap { $0 })
    }
  }
}

extension Call {
  /// The manner of a delivery whose position was stored with the work.
  package static let stored = "stored"
  /// The manner of a delivery whose consumer crashed before it had stored anything.
  package static let dropped = "dropped"
}
