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
    return participants.lazy.compactMap(\.problem).first
      ?? requesters.lazy.compactMap { Identifier.problem(inUserName: $0.user) }.first
      ?? blockedUsers.lazy.compactMap { Identifier.problem(inUserName: $0) }.first
  }
}

extension Share.Participant {
  /// Longest name of an invitation, in bytes.
  private static let idBytesMax = 64

  /// What is wrong with how the participant is named, in words; `nil`: nothing.
  fileprivate var problem: String? {
    if !id.isEmpty, let problem = Self.problem(inID: id) { return problem }
    return isOpen && !id.isEmpty ? nil : Identifier.problem(inUserName: user)
  }

  private static func problem(inID id: String) -> String? {
    let isPlain = id.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard !isPlain || id.utf8.count > idBytesMax else { return nil }
    return
      "participant_id \(Identifier.shown(id)): use 1 to \(idBytesMax) letters, digits, '_' and "
      + "'-', for example a UUID"
  }
}
