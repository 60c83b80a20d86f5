internal import TidingsModel

/// A record type of a database that channels watch.
struct WatchedType {
  /// Which one.
  struct Key: Hashable {
    var database: Int64
    var recordType: String
  }

  var key: Key
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

/// The record types that channels watch, by numbers that do not change while they are watched.
struct WatchedTypes {
  /// By number.
  var all: [WatchedType] = []
  private var free: [UInt32] = []
  private var numbers: [WatchedType.Key: UInt32] = [:]
  /// That of the last channel: that of the next, more often than not.
  private var last: UInt32 = 0

  /// The number of a type; `nil`: no channel watches it.
  func find(_ key: WatchedType.Key) -> UInt32? { numbers[key] }

  /// The number of a type that a channel is to watch.
  mutating func make(_ key: WatchedType.Key) -> UInt32 {
    // A free type has no channels.
    if Int(last) < all.count, all[Int(last)].channelCount > 0, all[Int(last)].key == key {
      return last
    }
    last = numbers[key] ?? add(key)
    return last
  }

  private mutating func add(_ key: WatchedType.Key) -> UInt32 {
    let number: UInt32
    if let reused = free.popLast() {
      all[Int(reused)] = WatchedType(key: key)
      number = reused
    } else {
      all.append(WatchedType(key: key))
      number = UInt32(all.count - 1)
    }
    numbers[key] = number
    return number
  }

  /// No channel watches a type any more.
  mutating func remove(_ number: UInt32) {
    numbers[all[Int(number)].key] = nil
    all[Int(number)] = WatchedType(key: WatchedType.Key(database: 0, recordType: ""))
    free.append(number)
  }
}
