internal import TidingsModel

/// One call: who makes it and when, and what it has changed so far that is reported at its end.
///
/// Made when the call begins, and handed down to all that works for it. A piece of the engine's own work is one
/// too.
///
/// Unchecked: values that are changed by functions that know nothing of the call.
public final class CallContext {
  let caller: Caller
  let moment: Moment
  /// Changes for zone and database channels, in the order of the first changes.
  @exclusivity(unchecked) var zoneChanges: [TouchedZone] = []
  /// Changes for participants of shares.
  @exclusivity(unchecked) var sharedChanges = SharedChanges()
  /// The removals of zones that it deleted, which go on after it.
  @exclusivity(unchecked) var removals: [Int64] = []
  /// Its first event, once there is one.
  @exclusivity(unchecked) var batch: Int64?
  /// Marks its pushes, once there is one.
  @exclusivity(unchecked) var origin: OriginTags.Device?

  /// A call that begins, or goes on with the events of one from `batch` on.
  init(_ caller: Caller, at moment: Moment, batch: Int64? = nil) {
    (self.caller, self.moment, self.batch) = (caller, moment, batch)
  }

  /// The time of the store.
  var steady: SteadyTime { moment.steady }

  /// Notes what it changed of a zone.
  func note(
    _ zone: ZoneID,
    in database: DatabaseEntry,
    _ change: (inout TouchedZone) -> Void
  ) {
    let known = zoneChanges.lastIndex { $0.zone == zone && $0.database === database }
    if known == nil { zoneChanges.append(TouchedZone(zone: zone, database: database)) }
    change(&zoneChanges[known ?? zoneChanges.count - 1])
  }
}

/// What a call changed of a zone.
struct TouchedZone {
  let zone: ZoneID
  let database: DatabaseEntry
  /// Of the records that were created, changed or deleted.
  var recordTypes: Set<String> = []
  /// In a public database: who created them, by type.
  var creators: [String: Set<String>] = [:]
  var isCreated = false
  var isDeleted = false
}
