internal import TidingsModel

/// A channel as the index has it: 40 bytes, of which a million are visited in turn.
struct ChannelSlot {
  var channel: Int64
  var zone: Int64
  /// What must hold besides the terms and the conditions.
  var rest: Predicate.Node?
  var conditionStart: UInt32
  var type: UInt32
  /// Of a free slot, the next free one.
  var firstPosting: UInt32
  // The small ones together.
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
  /// With how many comparisons each change of a record of its type is matched for it, whatever is in the record.
  var openComparisons: Int {
    guard isOpen else { return 0 }
    return max(Int(conditionCount) + (rest?.comparisonCount ?? 0), 1)
  }
}

/// The channels of an index, by numbers that do not change while they are in it.
struct ChannelSlots {
  /// By number, free ones too.
  var all: [ChannelSlot] = []
  private var firstFree = TermTable.none

  /// Takes a channel in.
  ///
  /// - Returns: Its number.
  mutating func add(_ slot: ChannelSlot) -> UInt32 {
    let number = firstFree
    guard number != TermTable.none else {
      all.append(slot)
      return UInt32(all.count - 1)
    }
    firstFree = all[Int(number)].firstPosting
    all[Int(number)] = slot
    return number
  }

  /// Frees a slot whose channel is in no bucket any more.
  mutating func remove(_ number: UInt32) {
    all[Int(number)].rest = nil
    all[Int(number)].firstPosting = firstFree
    firstFree = number
  }
}
