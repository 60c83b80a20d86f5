public import TidingsModel

/// Finds the channels that a change fires without visiting the others.
///
/// Each channel is registered under the terms of its `AccessPlan`; a change looks up the terms of
/// the record's fields in the `TermTable`, and what the terms leave open is evaluated for the
/// channels found. Not thread-safe: one thread owns it.
public final class ChannelIndex {
  private var slots = ChannelSlots()
  private var slotOfChannel = ChannelMap<UInt32>()
  private var types = WatchedTypes()
  private var table = TermTable()
  private var conditions = ConditionStore()
  /// Of the slots that want to know of records that enter or leave.
  private var transitions: [UInt32: Transition] = [:]
  private var nextFieldKey: UInt32 = 0
  private var freeFieldKeys: [UInt32] = []

  /// An index without channels.
  public init() {}

  /// The number of channels.
  public var count: Int { slotOfChannel.count }

  /// Whether a channel is in the index.
  public func contains(channel: Int64) -> Bool { slotOfChannel[channel] != nil }

  /// Whether any channel watches a record type; if not, old states need no decoding.
  public func watches(database: Int64, recordType: String) -> Bool {
    types.find(WatchedType.Key(database: database, recordType: recordType)) != nil
  }

  /// How many comparisons each change of a record of a type is matched with, whatever is in it.
  public func openComparisons(database: Int64, recordType: String) -> Int {
    let type = types.find(WatchedType.Key(database: database, recordType: recordType))
    return type.map { types.all[Int($0)].openComparisons } ?? 0
  }

  /// How many channels watch records of a type.
  public func channelCount(database: Int64, recordType: String) -> Int {
    let type = types.find(WatchedType.Key(database: database, recordType: recordType))
    return type.map { types.all[Int($0)].channelCount } ?? 0
  }

  /// What was looked at for the channels of a channel's record type.
  public func evaluation(of channel: Int64) -> Evaluation {
    guard let slot = slotOfChannel[channel] else { return Evaluation() }
    return types.all[Int(slots.all[Int(slot)].type)].evaluation
  }

  /// Makes room for so many channels in all, before many insertions.
  public func reserveCapacity(_ channelCount: Int) {
    // With room for more, so that the next insertions do not copy all of it.
    let roomy = channelCount + channelCount / 4
    slots.all.reserveCapacity(roomy)
    slotOfChannel.reserveCapacity(roomy)
    table.reserveCapacity(roomy)
    conditions.reserveCapacity(roomy)
  }

  /// Adds a channel, in place of one with the same number.
  public func insert(_ watched: WatchedChannel) {
    remove(channel: watched.channel)
    let type = types.make(
      WatchedType.Key(database: watched.database, recordType: watched.recordType)
    )
    let plan = AccessPlan.of(watched.predicate.root) { cost(of: $0, type) }
    let open = plan.rest.map(Condition.split)
    let run = conditions.insert(open?.conditions ?? [])
    let slot = add(
      ChannelSlot(
        channel: watched.channel,
        zone: watched.zone ?? 0,
        rest: open?.rest,
        conditionStart: run.start,
        type: type,
        firstPosting: TermTable.none,
        conditionCount: run.count,
        options: UInt8(truncatingIfNeeded: watched.options.rawValue),
        hasZone: watched.zone != nil,
        isOpen: plan.terms.contains { $0.kind == .always }
      )
    )
    if watched.options.isOfTransitions { insertTransition(slot, watched, Int(type)) }
    for term in plan.terms { register(slot, under: term, type) }
  }

  /// Adds a channel whose records fulfil all of some conditions, in place of one with the same number.
  ///
  /// What `insert(_:)` does for their conjunction, without making a tree of it: a start inserts a
  /// million.
  ///
  /// - Parameters:
  ///   - channel: Its number.
  ///   - database: The number of the database.
  ///   - recordType: The records' type.
  ///   - zone: The number of the only zone; `nil`: all zones of the database.
  ///   - options: Which changes; not of records that enter or leave.
  ///   - all: The conditions, 1 to `Condition.countMax`, in the order of the canonical predicate.
  package func insert(
    _ channel: Int64,
    database: Int64,
    recordType: String,
    zone: Int64?,
    options: Subscription.FiringOptions,
    conditions all: [Condition]
  ) {
    precondition(!options.isOfTransitions, "the old state of a record is compared with a predicate")
    remove(channel: channel)
    let type = types.make(WatchedType.Key(database: database, recordType: recordType))
    let best = cheapest(of: all, type)
    let run = conditions.insert(all, except: best?.index)
    let slot = add(
      ChannelSlot(
        channel: channel,
        zone: zone ?? 0,
        rest: nil,
        conditionStart: run.start,
        type: type,
        firstPosting: TermTable.none,
        conditionCount: run.count,
        options: UInt8(truncatingIfNeeded: options.rawValue),
        hasZone: zone != nil,
        isOpen: best == nil
      )
    )
    register(slot, under: best?.term ?? .always, type)
  }

  /// The first of the conditions whose term leads to the fewest channels; `nil`: none has a term.
  private func cheapest(of conditions: [Condition], _ type: UInt32) -> (index: Int, term: Term)? {
    var best: (index: Int, term: Term)?
    var least = Int.max
    for (index, condition) in conditions.enumerated() {
      guard let kind = condition.termKind, kind.baseCost < least else { continue }
      let term = Term(field: condition.field, kind: kind, value: condition.value)
      let cost = cost(of: term, type)
      guard cost < least else { continue }
      best = (index, term)
      least = cost
    }
    return best
  }

  private func add(_ slot: ChannelSlot) -> UInt32 {
    let index = slots.add(slot)
    slotOfChannel[slot.channel] = index
    types.all[Int(slot.type)].channelCount += 1
    types.all[Int(slot.type)].openComparisons += slot.openComparisons
    return index
  }

  /// Removes a channel.
  ///
  /// - Parameter channel: Its number.
  /// - Returns: Whether it was there.
  @discardableResult
  public func remove(channel: Int64) -> Bool {
    guard let slot = slotOfChannel[channel] else { return false }
    slotOfChannel[channel] = nil
    let type = slots.all[Int(slot)].type
    var posting = slots.all[Int(slot)].firstPosting
    while posting != TermTable.none { posting = unregister(posting, type) }
    if slots.all[Int(slot)].firingOptions.isOfTransitions { removeTransition(slot, Int(type)) }
    types.all[Int(type)].openComparisons -= slots.all[Int(slot)].openComparisons
    conditions.remove(slots.all[Int(slot)].conditions)
    slots.remove(slot)
    types.all[Int(type)].channelCount -= 1
    if types.all[Int(type)].channelCount == 0 { types.remove(type) }
    return true
  }

  /// Appends the channels that a change fires, in the order of their numbers, each once.
  ///
  /// Of the reasons that apply and that the channel asks for, the first of these is taken: created,
  /// deleted, entered, left, updated.
  ///
  /// - Parameters:
  ///   - database: The number of the database.
  ///   - zone: The number of the record's zone.
  ///   - old: The record before; `nil` when it is created.
  ///   - new: The record afterwards; `nil` when it is deleted.
  ///   - time: When, for `evaluation(of:)`; `nil`: it does not count, because the change is matched again.
  ///   - memory: What is known of large values. If it has something pending afterwards, the firings are
  ///     not complete, and not all true.
  ///   - firings: Where to append.
  public func match(
    database: Int64,
    zone: Int64,
    old: Record?,
    new: Record?,
    at time: Timestamp?,
    memory: EvaluationMemory? = nil,
    into firings: inout [Firing]
  ) {
    guard let record = new ?? old else { return }
    let key = WatchedType.Key(database: database, recordType: record.recordType)
    guard let found = types.find(key) else { return }
    let type = Int(found)
    if let time { types.all[type].evaluation.note(time) }
    let start = firings.count
    let before = memory.flatMap { memory in old.flatMap { LargeFields($0, memory) } }
    let after = memory.flatMap { memory in new.flatMap { LargeFields($0, memory) } }
    if let old, let new {
      let changed = types.all[type].transitions.changed(old, new)
      visitSlots(type, new, after, zone, wanting: [.recordUpdate, .recordEnter]) { slot in
        guard let reason = reason(slot, old, before, changed) else { return }
        firings.append(Firing(channel: slots.all[slot].channel, reason: reason))
      }
      if types.all[type].leaveCount > 0, changed != 0 {
        visitSlots(type, old, before, zone, wanting: .recordLeave) { slot in
          guard leaves(slot, new, after, changed) else { return }
          firings.append(Firing(channel: slots.all[slot].channel, reason: .left))
        }
      }
    } else {
      // The only state: it enters and is created, or leaves and is deleted.
      let reasons: (Firing.Reason, Firing.Reason) =
        new == nil ? (.deleted, .left) : (.created, .entered)
      let large = after ?? before
      visitSlots(type, record, large, zone, wanting: [reasons.0.option, reasons.1.option]) { slot in
        let isFirst = slots.all[slot].firingOptions.contains(reasons.0.option)
        firings.append(
          Firing(channel: slots.all[slot].channel, reason: isFirst ? reasons.0 : reasons.1)
        )
      }
    }
    firings.sortAndUnique(from: start)
  }

  /// Notes that a change of a record of a type was looked at.
  public func noteEvaluation(database: Int64, recordType: String, at time: Timestamp) {
    let key = WatchedType.Key(database: database, recordType: recordType)
    if let type = types.find(key) { types.all[Int(type)].evaluation.note(time) }
  }

  /// Calls `body` for the slots that match a record and have one of some options; some more than once.
  private func visitSlots(
    _ type: Int,
    _ record: Record,
    _ large: LargeFields?,
    _ zone: Int64,
    wanting wanted: Subscription.FiringOptions,
    _ body: (Int) -> Void
  ) {
    let bits = UInt8(truncatingIfNeeded: wanted.rawValue)
    visitBuckets(types.all[type].fields, record, large) { bucket in
      var posting = table.buckets[Int(bucket)].head
      while posting != TermTable.none {
        let slot = Int(table.postings[Int(posting)].slot)
        if slots.all[slot].options & bits != 0, matches(slot, zone, record, large) { body(slot) }
        posting = table.postings[Int(posting)].next
      }
    }
  }

  private func matches(
    _ slot: Int,
    _ zone: Int64,
    _ record: Record,
    _ large: LargeFields?
  ) -> Bool {
    guard !slots.all[slot].hasZone || slots.all[slot].zone == zone else { return false }
    guard let large else {
      guard conditions.hold(slots.all[slot].conditions, for: record) else { return false }
      return slots.all[slot].rest?.matches(record) ?? true
    }
    // What is not known yet is looked at as if it were true: all that it needs is noted at once.
    guard conditions.hold(slots.all[slot].conditions, for: record, large) ?? true else {
      return false
    }
    return slots.all[slot].rest?.matches(record, large) ?? true
  }

  /// Why a slot fires whose channel the record matches after an update; `nil`: it does not.
  private func reason(
    _ slot: Int,
    _ old: Record,
    _ before: LargeFields?,
    _ changed: UInt64
  ) -> Firing.Reason? {
    let options = slots.all[slot].firingOptions
    if options.contains(.recordEnter), changed != 0,
      let transition = transitions[UInt32(slot)], transition.fields & changed != 0,
      !(transition.predicate.root.matches(old, before) ?? true)
    {
      return .entered
    }
    return options.contains(.recordUpdate) ? .updated : nil
  }

  /// Whether the record no longer matches the channel of a slot, which it did before an update.
  private func leaves(
    _ slot: Int,
    _ new: Record,
    _ after: LargeFields?,
    _ changed: UInt64
  ) -> Bool {
    guard let transition = transitions[UInt32(slot)], transition.fields & changed != 0 else {
      return false
    }
    return !(transition.predicate.root.matches(new, after) ?? true)
  }

  private func visitBuckets(
    _ fields: [WatchedField],
    _ record: Record,
    _ large: LargeFields?,
    _ body: (UInt32) -> Void
  ) {
    // Walk the shorter side: the fields that are watched, or those that the record has.
    let ownCount = record.fields.count + SystemField.allCases.count
    guard fields.count > ownCount * 4 else {
      for field in fields { visit(field, record, large, body) }
      return
    }
    func look(_ name: String, _ value: FieldValue? = nil) {
      let index = fields.partitionPoint { $0.name < name }
      guard index < fields.count, fields[index].name == name else { return }
      if let value {
        fields[index].visit(value, large, table, body)
      } else {
        visit(fields[index], record, large, body)
      }
    }
    look(Term.always.field)
    look(Predicate.Comparison.fullTextField)
    for field in record.fields.sorted { look(field.name, field.value) }
    for field in SystemField.allCases where record.fields[field.name] == nil { look(field.name) }
  }

  private func visit(
    _ field: WatchedField,
    _ record: Record,
    _ large: LargeFields?,
    _ body: (UInt32) -> Void
  ) {
    if field.name.isEmpty {
      let (kind, value) = (Term.always.kind, Term.always.value)
      let bucket = table.bucket(field: field.key, kind: kind, detail: 0, value: value)
      if bucket != TermTable.none { body(bucket) }
    } else if let value = record.predicateValue(field.name) {
      field.visit(value, large, table, body)
    } else if field.name == Predicate.Comparison.fullTextField {
      for own in record.fields.sorted {
        guard case .string(let text) = own.value else { continue }
        field.visitWords(text, large?[own.name], large?.memory, table, body)
      }
    }
  }
}

// Registration.
extension ChannelIndex {
  private func cost(of term: Term, _ type: UInt32) -> Int {
    let base = term.kind.baseCost
    let (index, isWatched) = types.all[Int(type)].position(ofField: term.field)
    guard isWatched else { return base }
    if term.kind.isOrdered {
      return base + types.all[Int(type)].fields[index].orderedCount(term.kind) / 2
    }
    let bucket = table.bucket(
      field: types.all[Int(type)].fields[index].key,
      kind: term.kind,
      detail: term.detail,
      value: term.value
    )
    return bucket == TermTable.none ? base : base + Int(table.buckets[Int(bucket)].count)
  }

  private func register(_ slot: UInt32, under term: Term, _ type: UInt32) {
    let type = Int(type)
    let (index, isWatched) = types.all[type].position(ofField: term.field)
    if !isWatched {
      types.all[type].fields.insert(WatchedField(name: term.field, key: makeFieldKey()), at: index)
    }
    let (posting, newBucket) = table.insert(
      field: types.all[type].fields[index].key,
      term: term,
      slot: slot,
      nextOfSlot: slots.all[Int(slot)].firstPosting
    )
    slots.all[Int(slot)].firstPosting = posting
    types.all[type].fields[index].add(table.buckets[Int(table.postings[Int(posting)].bucket)])
    if let newBucket, term.kind.isOrdered {
      types.all[type].fields[index].insertOrdered(newBucket, table)
    }
  }

  private func unregister(_ posting: UInt32, _ type: UInt32) -> UInt32 {
    let type = Int(type)
    let bucket = table.postings[Int(posting)].bucket
    let key = table.buckets[Int(bucket)].field
    guard let index = types.all[type].fields.firstIndex(where: { $0.key == key }) else {
      preconditionFailure("a posting's field is not watched")
    }
    types.all[type].fields[index].remove(table.buckets[Int(bucket)])
    if table.isLast(posting), table.buckets[Int(bucket)].kind.isOrdered {
      types.all[type].fields[index].removeOrdered(bucket, table)
    }
    let next = table.remove(posting)
    if types.all[type].fields[index].count == 0 {
      types.all[type].fields.remove(at: index)
      freeFieldKeys.append(key)
    }
    return next
  }

  private func insertTransition(_ slot: UInt32, _ watched: WatchedChannel, _ type: Int) {
    if watched.options.contains(.recordLeave) { types.all[type].leaveCount += 1 }
    transitions[slot] = Transition(
      predicate: watched.predicate,
      fields: types.all[type].transitions.insert(watched.predicate)
    )
  }

  private func removeTransition(_ slot: UInt32, _ type: Int) {
    if slots.all[Int(slot)].firingOptions.contains(.recordLeave) { types.all[type].leaveCount -= 1 }
    guard let transition = transitions.removeValue(forKey: slot) else { return }
    types.all[type].transitions.remove(transition.predicate)
  }

  private func makeFieldKey() -> UInt32 {
    if let free = freeFieldKeys.popLast() { return free }
    nextFieldKey += 1
    return nextFieldKey
  }
}

extension Term.Kind {
  /// What a lookup is worth in channels that do not match.
  fileprivate var baseCost: Int {
    switch self {
    case .equal, .foldedEqual, .member, .word: 1
    case .prefix, .foldedPrefix, .cell, .area: 4
    case .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual: 1_000
    case .always: AccessPlan.everythingCost
    }
  }
}
