internal import TidingsModel

/// What groups that share the work on notifications must get: plain lists, looked through as a whole.
struct WorkModel {
  struct Event: Hashable {
    var channel: Int64
    var sequence: Int64
    var device: String
    var id: String { "\(channel)-\(sequence)" }
  }

  struct Lease {
    var number: Int64
    var device: String
    /// 0: given back.
    var expires: Int64
    var isDone = false
  }

  struct Group {
    /// The first event of the log that it gets.
    var start: Int
    /// How many events of the log, from the first on, were handed out or skipped.
    var leases: [String: Lease] = [:]
  }

  var openMax: Int
  var log: [Event] = []
  var read: Set<String> = []
  var groups: [String: Group] = [:]

  /// What a device gets: notification and number of the lease; `nil`: it is refused.
  mutating func lease(
    _ name: String,
    device: String,
    limit: Int,
    until expires: Int64,
    startsAtEnd: Bool,
    at now: Int64
  ) -> [(event: Event, number: Int64)]? {
    var group = groups[name] ?? Group(start: startsAtEnd ? log.count : 0)
    defer { groups[name] = group }
    var given: [(event: Event, number: Int64)] = []
    let ended = log.filter { event in
      group.leases[event.id].map { !$0.isDone && $0.expires <= now } ?? false
    }.sorted { one, other in
      let (a, b) = (group.leases[one.id]?.expires ?? 0, group.leases[other.id]?.expires ?? 0)
      return (a, one.channel, one.sequence) < (b, other.channel, other.sequence)
    }
    var isFull = false
    for event in ended {
      if read.contains(event.id) {
        group.leases[event.id]?.isDone = true
      } else if given.count == limit {
        isFull = true
        break
      } else {
        given.append((event, (group.leases[event.id]?.number ?? 0) + 1))
        group.leases[event.id] = Lease(
          number: given.last?.number ?? 0,
          device: device,
          expires: expires
        )
      }
    }
    if isFull { return given }
    for event in fresh(in: group) where given.count < limit {
      guard group.leases.values.filter({ !$0.isDone }).count < openMax else {
        return given.isEmpty ? nil : given
      }
      given.append((event, 1))
      group.leases[event.id] = Lease(number: 1, device: device, expires: expires)
    }
    return given
  }

  /// What the group has not got yet.
  private func fresh(in group: Group) -> [Event] {
    log.dropFirst(group.start).filter { group.leases[$0.id] == nil && !read.contains($0.id) }
  }

  /// Something can be handed out to the group now.
  func hasMore(_ name: String, at now: Int64) -> Bool {
    guard let group = groups[name] else { return false }
    let again = group.leases.contains {
      !$0.value.isDone && $0.value.expires <= now && !read.contains($0.key)
    }
    return again || !fresh(in: group).isEmpty
  }

  /// - Returns: Whether it succeeds.
  mutating func settle(
    _ id: String,
    _ number: Int64,
    of name: String,
    as settlement: Settlement,
    by device: String
  ) -> Bool {
    guard var lease = groups[name]?.leases[id], lease.number == number, lease.device == device
    else { return false }
    switch settlement {
    case .done(let marksRead):
      lease.isDone = true
      if marksRead { read.insert(id) }
    case .released:
      if lease.isDone { return false }
      lease.expires = 0
    case .extended(let expires):
      if lease.isDone || lease.expires == 0 { return false }
      lease.expires = expires
    }
    groups[name]?.leases[id] = lease
    return true
  }

  enum Settlement {
    case done(marksRead: Bool)
    case released
    case extended(until: Int64)
  }
}
