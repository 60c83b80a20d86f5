extension Share {
  /// What no share may be, under its record name, in words; `nil`: nothing is wrong.
  func problem(named recordName: String) -> String? {
    if isZoneWide != (recordName == Self.zoneWideName) {
      return isZoneWide
        ? "a share without 'root_record_name' shares the zone: name it '\(Self.zoneWideName)'"
        : "'\(Self.zoneWideName)' shares the whole zone: leave 'root_record_name' empty, or choose "
          + "another name for the share"
    }
    if rootRecordName == recordName { return "a share cannot share itself; name another record" }
    if !isZoneWide, let problem = Identifier.problem(inRecordName: rootRecordName) {
      return "root_record_name: \(problem)"
    }
    return participants.lazy.compactMap { Identifier.problem(inUserName: $0.user) }.first
  }
}
