internal import TestSupport
internal import TidingsProto

/// Goes through what was acknowledged, and says who must be notified of what.
struct ProofModel {
  /// A notification that a user must get, but for the device that caused it.
  struct Expected: Sendable {
    var notification: TidingsV1.Notification
    var cause: Oracle.Caller
    /// Which call of its database caused it.
    var call: Int
    var database: Oracle.Database

    var key: ProofKey { ProofKey(notification) }
  }

  private struct Channel {
    var id: String
    var head: UInt64 = 0
    var members: [(user: String, subscriptionID: String, since: UInt64)] = []
  }

  private struct Row {
    var record: TidingsV1.Record
    var clock: UInt64
    var position: Int
  }

  /// What each user must get, in the order of the causes in each database.
  private(set) var expected: [String: [Expected]] = [:]
  /// What a user's devices may be notified of too, by id: events of a channel that the user left, and that
  /// others are in, reach those who have not received yet that it was left.
  private(set) var strays: [String: Set<String>] = [:]
  /// The names that a user's subscriptions of a channel had, by user and channel: who has not was notified of
  /// the newest shows an earlier one.
  private(set) var names: [String: [String: Set<String>]] = [:]
  /// What was acknowledged and cannot be so.
  private(set) var complaints: [String] = []
  /// What happened to each record, for people, and in which call of its database.
  private(set) var stories: [String: [(call: Int, line: String)]] = [:]

  private var channels: [ProofWatch: Channel] = [:]
  private var zones: [String: [String: Row]] = [:]
  private var moment = (database: Oracle.Database(owner: nil), call: 0)
  private var cause = Oracle.Caller("", "")

  init(_ ledger: ProofLedger) {
    for database in ledger.entries.keys {
      (channels, zones) = ([:], [Oracle.defaultZone: [:]])
      for (index, entry) in ledger.history(of: database).enumerated() {
        moment = (database, index)
        cause = entry.caller
        switch entry.deed {
        case .records(let call): apply(call)
        case .zoneSaved(let name): saveZone(name)
        case .zoneDeleted(let name): deleteZone(name)
        case .subscribed(let id, let watch, let effective): subscribe(id, watch, effective)
        case .unsubscribed(let id): leave(cause.user) { $0.subscriptionID == id }
        }
      }
    }
  }

  // MARK: Subscriptions

  private mutating func subscribe(
    _ id: String,
    _ watch: ProofWatch,
    _ effective: TidingsV1.SubscriptionPosition
  ) {
    if let channel = channels[watch], channel.id != effective.channelID {
      complaints.append("\(watch) is channel \(effective.channelID), and was \(channel.id)")
    }
    var channel = channels[watch] ?? Channel(id: effective.channelID)
    let known = channel.members.first { $0.user == cause.user }
    if let known, known.subscriptionID != id {
      complaints.append("\(cause) has \(watch) as \(known.subscriptionID) and \(id)")
    }
    let since = known?.since ?? channel.head
    if effective.sequenceNumber != since {
      complaints.append(
        "\(cause) \(id) of channel \(channel.id) is effective from \(effective.sequenceNumber), "
          + "expected \(since): \(watch)"
      )
    }
    guard known == nil else { return }
    leave(cause.user) { $0.subscriptionID == id }
    channel.members.append((cause.user, id, channel.head))
    names[cause.user, default: [:]][channel.id, default: []].insert(id)
    channels[watch] = channel
  }

  private mutating func leave(
    _ user: String,
    _ isLeft: ((user: String, subscriptionID: String, since: UInt64)) -> Bool
  ) {
    for watch in channels.keys {
      channels[watch]?.members.removeAll { $0.user == user && isLeft($0) }
    }
  }

  // MARK: Records and zones

  private mutating func saveZone(_ name: String) {
    guard zones[name] == nil else { return }
    zones[name] = [:]
    // A new zone has no changes yet for who watches it alone.
    fireZones([name], types: [], of: [.database])
  }

  private mutating func deleteZone(_ name: String) {
    guard let zone = zones[name] else { return }
    zones[name] = nil
    let rows = zone.values.sorted { ($0.clock, $0.position) < ($1.clock, $1.position) }
    for row in rows { fire(row.record, nil, in: name) }
    fireZones([name], types: Set(rows.map { "\(name)/\($0.record.recordType)" }))
  }

  private mutating func apply(_ call: ProofCall) {
    var changes: [(zone: String, old: TidingsV1.Record?, new: TidingsV1.Record?)] = []
    for (position, write) in call.writes.enumerated() {
      let old = zones[write.zone]?[write.name]?.record
      let new = write.sent.map { $0.merged(into: old) }
      if zones[write.zone] == nil {
        complaints.append("a write in zone \(write.zone), which is not there: \(write)")
      }
      let isChange = old?.content != new?.content
      let line = "\(call.clock) \(call.caller.user)/\(call.caller.device): \(new?.brief ?? "gone")"
      stories["\(moment.database) \(write.zone)/\(write.name)", default: []].append(
        (moment.call, line)
      )
      zones[write.zone]?[write.name] = new.map {
        Row(record: $0, clock: call.clock, position: position)
      }
      if isChange { changes.append((write.zone, old, new)) }
    }
    for change in changes { fire(change.old, change.new, in: change.zone) }
    let types = changes.map { "\($0.zone)/\(($0.new ?? $0.old)?.recordType ?? "")" }
    // In the order of the first changes.
    var names: [String] = []
    for change in changes where !names.contains(change.zone) { names.append(change.zone) }
    fireZones(names, types: Set(types))
  }

  private mutating func fire(
    _ old: TidingsV1.Record?,
    _ new: TidingsV1.Record?,
    in zone: String
  ) {
    guard let record = new ?? old else { return }
    for watch in channels.keys where watch.kind == .query && watch.recordType == record.recordType {
      guard watch.zone ?? zone == zone, let reason = watch.reason(old, new) else { continue }
      let fields = new?.fields.filter { watch.keys.contains($0.key) } ?? [:]
      emit(
        watch,
        TidingsV1.Notification(
          type: .query,
          reason: reason,
          recordID: record.recordID,
          recordType: record.recordType,
          recordFields: fields
        )
      )
      if watch.isOnce { channels[watch]?.members = [] }
    }
  }

  /// One event for each zone; `types` are those of the records that changed, with their zones.
  private mutating func fireZones(
    _ names: [String],
    types: Set<String>,
    of kinds: Set<ProofWatch.Kind> = [.zone, .database]
  ) {
    for watch in channels.keys where kinds.contains(watch.kind) {
      for name in names where watch.kind == .database || watch.zone == name {
        guard watch.recordType.isEmpty || types.contains("\(name)/\(watch.recordType)") else {
          continue
        }
        emit(
          watch,
          TidingsV1.Notification(
            type: watch.kind == .zone ? .recordZone : .database,
            recordID: .init("", zone: name),
            recordType: watch.recordType
          )
        )
      }
    }
  }

  private mutating func emit(_ watch: ProofWatch, _ notification: TidingsV1.Notification) {
    guard var channel = channels[watch], !channel.members.isEmpty else { return }
    channel.head += 1
    channels[watch] = channel
    var notification = notification
    notification.databaseID = moment.database.id
    notification.position = .init(channelID: channel.id, sequenceNumber: channel.head)
    for (user, channels) in names where channels[channel.id] != nil {
      guard !channel.members.contains(where: { $0.user == user }) else { continue }
      strays[user, default: []].insert("\(channel.id)-\(channel.head)")
    }
    for member in channel.members {
      notification.subscriptionID = member.subscriptionID
      expected[member.user, default: []].append(
        Expected(
          notification: notification,
          cause: cause,
          call: moment.call,
          database: moment.database
        )
      )
    }
  }
}

/// Names an event, or that it was read, to all who are notified of it.
struct ProofKey: Hashable, Sendable, CustomStringConvertible {
  var channel: String
  var number: UInt64
  /// The notification that was read.
  var readID = ""

  init(_ notification: TidingsV1.Notification) {
    channel = notification.position?.channelID ?? ""
    number = notification.position?.sequenceNumber ?? 0
    if notification.type == .readNotification { readID = notification.notificationID }
  }

  var description: String { readID.isEmpty ? "\(channel)-\(number)" : "mark of \(readID)" }
}

extension TidingsV1.Record {
  /// The record after a save of this with all keys.
  fileprivate func merged(into old: Self?) -> Self {
    var new = self
    new.fields = (old?.fields ?? [:]).merging(fields) { $1 }.filter { $0.value.value != nil }
    new.parent = parent ?? old?.parent
    new.changeTag = ""
    return new
  }

  /// What makes a save a change.
  fileprivate var content: [String: TidingsV1.FieldValue] { fields }
}
