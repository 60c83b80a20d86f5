public import TidingsModel

/// Finds the channels that a change fires without visiting the others.
///
/// Each channel is registered under the terms of its `AccessPlan`; a change looks up the terms of
/// the record's fields in the `TermTable`, and what the terms leave open is evaluated for the
/// channels found. Not thread-safe: one thread owns it.
public final class ChannelIndex {
  private struct TypeKey: Hashable {
    var database: Int64
    var recordType: String
  }

  /// A record type of a database that channels watch.
  private struct WatchedType {
    var key: TypeKey
    var channelCount = 0
    /// Of these, those that want to know of records that leave.
    var leaveCount = 0
    /// Comparisons of the channels to which no field leads: each change of a record is compared with all.
    var openComparisons = 0
    var evaluation = Evaluation()
    var transitions = TransitionFields()
    /// In the order of their names.
    var fields: [WatchedField] = []

    /// Where a field is, or where it belongs.
    func position(ofField name: String) -> (index: Int, isWatched: Bool) {
      let index = fields.partitionPoint { $0.name < name }
      return (index, index < fields.count && fields[index].name == name)
    }
  }

  private struct Slot {
    var channel: Int64
    var zone: Int64
    /// What must hold besides the terms and the conditions.
    var rest: Predicate.Node?
    var conditionStart: UInt32
    var type: UInt32
    /// Of a free slot, the next free one.
    var firstPosting: UInt32
    // The small ones together: 40 bytes.
    var conditionCount: UInt8
    var options: UInt8
    var hasZone: Bool
    /// No field leads to it.
    var isOpen: Bool

    var firingOptions: Subscription.FiringOptions {
      Subscription.FiringOptions(rawValue: Int64(options))
    }
    var conditions: ConditionStore.Run {
      ConditionStore.Run(start: conditionStart, count: conditionCount)
    }
  }

  private var slots: [Slot] = []
  private var firstFreeSlot = TermTable.none
  private var slotOfChannel = ChannelMap<UInt32>()
  private var types: [WatchedType] = []
  private var freeTypes: [UInt32] = []
  private var typeIndex: [TypeKey: UInt32] = [:]
  /// The type of the last channel: that of the next, more often than not.
  private var lastType: UInt32 = 0
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
    typeIndex[TypeKey(database: database, recordType: recordType)] != nil
  }

  /// How many comparisons each change of a record of a type is matched with, whatever is in it.
  public func openComparisons(database: Int64, recordType: String) -> Int {
    let type = typeIndex[TypeKey(database: database, recordType: recordType)]
    return type.map { types[Int($0)].openComparisons } ?? 0
  }

  /// How many channels watch records of a type.
  public func channelCount(database: Int64, recordType: String) -> Int {
    let type = typeIndex[TypeKey(database: database, recordType: recordType)]
    return type.map { types[Int($0)].channelCount } ?? 0
  }

  private func openComparisons(_ slot: Int) -> Int {
    guard slots[slot].isOpen else { return 0 }
    let count = Int(slots[slot].conditionCount) + (slots[slot].rest?.comparisonCount ?? 0)
    return max(count, 1)
  }

  /// What was looked at for the channels of a channel's record type.
  public func evaluation(of channel: Int64) -> Evaluation {
    guard let slot = slotOfChannel[channel] else { return Evaluation() }
    return types[Int(slots[Int(slot)].type)].evaluation
  }

  /// Makes room for so many channels in all, before many insertions.
  public func reserveCapacity(_ channelCount: Int) {
    // With room for more, so that the next insertions do not copy all of it.
    let roomy = channelCount + channelCount / 4
    slots.reserveCapacity(roomy)
    slotOfChannel.reserveCapacity(roomy)
    table.reserveCapacity(roomy)
    conditions.reserveCapacity(roomy)
  }

  /// Adds a channel, in place of one with the same number.
  public func insert(_ watched: WatchedChannel) {
    remove(channel: watched.channel)
    let type = makeType(TypeKey(database: watched.database, recordType: watched.recordType))
    let plan = AccessPlan.of(watched.predicate.root) { cost(of: $0, type) }
    let open = plan.rest.map(Condition.split)
    let run = conditions.insert(open?.conditions ?? [])
    let slot = add(
      Slot(
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
    let type = makeType(TypeKey(database: database, recordType: recordType))
    let best = cheapest(of: all, type)
    let run = conditions.insert(all, except: best?.index)
    let slot = add(
      Slot(
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

  private func add(_ slot: Slot) -> UInt32 {
    let index = makeSlot(slot)
    slotOfChannel[slot.channel] = index
    types[Int(slot.type)].channelCount += 1
    types[Int(slot.type)].openComparisons += openComparisons(Int(index))
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
    let type = slots[Int(slot)].type
    var posting = slots[Int(slot)].firstPosting
    while posting != TermTable.none { posting = unregister(posting, type) }
    if slots[Int(slot)].firingOptions.isOfTransitions { removeTransition(slot, Int(type)) }
    types[Int(type)].openComparisons -= openComparisons(Int(slot))
    conditions.remove(slots[Int(slot)].conditions)
    slots[Int(slot)].rest = nil
    slots[Int(slot)].firstPosting = firstFreeSlot
    firstFreeSlot = slot
    types[Int(type)].channelCount -= 1
    if types[Int(type)].channelCount == 0 { freeType(type) }
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
    let key = TypeKey(database: database, recordType: record.recordType)
    guard let found = typeIndex[key] else { return }
    let type = Int(found)
    if let time { types[type].evaluation.note(time) }
    let start = firings.count
    let before = memory.flatMap { memory in old.flatMap { LargeFields($0, memory) } }
    let after = memory.flatMap { memory in new.flatMap { LargeFields($0, memory) } }
    if let old, let new {
      let changed = types[type].transitions.changed(old, new)
      visitSlots(type, new, after, zone, wanting: [.recordUpdate, .recordEnter]) { slot in
        guard let reason = reason(slot, old, before, changed) else { return }
        firings.append(Firing(channel: slots[slot].channel, reason: reason))
      }
      if types[type].leaveCount > 0, changed != 0 {
        visitSlots(type, old, before, zone, wanting: .recordLeave) { slot in
          guard leaves(slot, new, after, changed) else { return }
          firings.append(Firing(channel: slots[slot].channel, reason: .left))
        }
      }
    } else {
      // The only state: it enters and is created, or leaves and is deleted.
      let reasons: (Firing.Reason, Firing.Reason) =
        new == nil ? (.deleted, .left) : (.created, .entered)
      let large = after ?? before
      visitSlots(type, record, large, zone, wanting: [reasons.0.option, reasons.1.option]) { slot in
        let isFirst = slots[slot].firingOptions.contains(reasons.0.option)
        firings.append(
          Firing(channel: slots[slot].channel, reason: isFirst ? reasons.0 : reasons.1)
        )
      }
    }
    firings.sortAndUnique(from: start)
  }

  /// Notes that a change of a record of a type was looked at.
  public func noteEvaluation(database: Int64, recordType: String, at time: Timestamp) {
    let key = TypeKey(database: database, recordType: recordType)
    if let type = typeIndex[key] { types[Int(type)].evaluation.note(time) }
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
    visitBuckets(types[type].fields, record, large) { bucket in
      var posting = table.buckets[Int(bucket)].head
      while posting != TermTable.none {
        let slot = Int(table.postings[Int(posting)].slot)
        if slots[slot].options & bits != 0, matches(slot, zone, record, large) { body(slot) }
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
    guard !slots[slot].hasZone || slots[slot].zone == zone else { return false }
    guard let large else {
      guard conditions.hold(slots[slot].conditions, for: record) else { return false }
      return slots[slot].rest?.matches(record) ?? true
    }
    // What is not known yet is looked at as if it were true: all that it needs is noted at once.
    guard conditions.hold(slots[slot].conditions, for: record, large) ?? true else { return false }
    return slots[slot].rest?.matches(record, large) ?? true
  }

  /// Why a slot fires whose channel the record matches after an update; `nil`: it does not.
  private func reason(
    _ slot: Int,
    _ old: Record,
    _ before: LargeFields?,
    _ changed: UInt64
  ) -> Firing.Reason? {
    let options = slots[slot].firingOptions
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
    let (index, isWatched) = types[Int(type)].position(ofField: term.field)
    guard isWatched else { return base }
    if term.kind.isOrdered {
      return base + types[Int(type)].fields[index].orderedCount(term.kind) / 2
    }
    let bucket = table.bucket(
      field: types[Int(type)].fields[index].key,
      kind: term.kind,
      detail: term.detail,
      value: term.value
    )
    return bucket == TermTable.none ? base : base + Int(table.buckets[Int(bucket)].count)
  }

  private func register(_ slot: UInt32, under term: Term, _ type: UInt32) {
    let type = Int(type)
    let (index, isWatched) = types[type].position(ofField: term.field)
    if !isWatched {
      types[type].fields.insert(WatchedField(name: term.field, key: makeFieldKey()), at: index)
    }
    let (posting, newBucket) = table.insert(
      field: types[type].fields[index].key,
      term: term,
      slot: slot,
      nextOfSlot: slots[Int(slot)].firstPosting
    )
    slots[Int(slot)].firstPosting = posting
    types[type].fields[index].add(table.buckets[Int(table.postings[Int(posting)].bucket)])
    if let newBucket, term.kind.isOrdered {
      types[type].fields[index].insertOrdered(newBucket, table)
    }
  }

  private func unregister(_ posting: UInt32, _ type: UInt32) -> UInt32 {
    let type = Int(type)
    let bucket = table.postings[Int(posting)].bucket
    let key = table.buckets[Int(bucket)].field
    guard let index = types[type].fields.firstIndex(where: { $0.key == key }) else {
      preconditionFailure("a posting's field is not watched")
    }
    types[type].fields[index].remove(table.buckets[Int(bucket)])
    if table.isLast(posting), table.buckets[Int(bucket)].kind.isOrdered {
      types[type].fields[index].removeOrdered(bucket, table)
    }
    let next = table.remove(posting)
    if types[type].fields[index].count == 0 {
      types[type].fields.remove(at: index)
      freeFieldKeys.append(key)
    }
    return next
  }

  private func insertTransition(_ slot: UInt32, _ watched: WatchedChannel, _ type: Int) {
    if watched.options.contains(.recordLeave) { types[type].leaveCount += 1 }
    transitions[slot] = Transition(
      predicate: watched.predicate,
      fields: types[type].transitions.insert(watched.predicate)
    )
  }

  private func removeTransition(_ slot: UInt32, _ type: Int) {
    if slots[Int(slot)].firingOptions.contains(.recordLeave) { types[type].leaveCount -= 1 }
    guard let transition = transitions.removeValue(forKey: slot) else { return }
    types[type].transitions.remove(transition.predicate)
  }

  private func makeSlot(_ slot: Slot) -> UInt32 {
    let index = firstFreeSlot
    guard index != TermTable.none else {
      slots.append(slot)
      return UInt32(slots.count - 1)
    }
    firstFreeSlot = slots[Int(index)].firstPosting
    slots[Int(index)] = slot
    return index
  }

  private func makeType(_ key: TypeKey) -> UInt32 {
    // A free type has no channels.
    if Int(lastType) < types.count, types[Int(lastType)].channelCount > 0,
      types[Int(lastType)].key == key
    {
      return lastType
    }
    lastType = findType(key)
    return lastType
  }

  private func findType(_ key: TypeKey) -> UInt32 {
    if let type = typeIndex[key] { return type }
    let type: UInt32
    if let free = freeTypes.popLast() {
      types[Int(free)] = WatchedType(key: key)
      type = free
    } else {
      types.append(WatchedType(key: key))
      type = UInt32(types.count - 1)
    }
    typeIndex[key] = type
    return type
  }

  private func freeType(_ type: UInt32) {
    typeIndex[types[Int(type)].key] = nil
    types[Int(type)] = WatchedType(key: TypeKey(database: 0, recordType: ""))
    freeTypes.append(type)
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
