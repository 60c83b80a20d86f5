internal import TidingsModel

/// The removal of the rows of a deleted zone, which goes on after the call that deleted it.
struct ZoneRemoval {
  /// Rises from deletion to deletion.
  let number: Int64
  let zone: DeletedZone
  /// Who deleted the zone.
  let caller: Caller
  /// When.
  let moment: Moment
  /// The first event of the call or of the removal; 0: there is none yet.
  let batch: Int64
}
