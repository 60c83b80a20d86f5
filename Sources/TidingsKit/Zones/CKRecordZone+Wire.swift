internal import TidingsProto

extension CKRecordZone {
  /// A zone from the server.
  convenience init(_ zone: TidingsV1.RecordZone) {
    var capabilities: Capabilities = []
    if zone.capabilities?.fetchChanges == true { capabilities.insert(.fetchChanges) }
    if zone.capabilities?.atomic == true { capabilities.insert(.atomic) }
    if zone.capabilities?.sharing == true { capabilities.insert(.sharing) }
    if zone.capabilities?.zoneWideSharing == true { capabilities.insert(.zoneWideSharing) }
    self.init(zoneID: .init(zone.zoneID ?? .init()), capabilities: capabilities, share: nil)
  }
}

extension TidingsV1.ZoneResult {
  /// What became of a zone that was saved or fetched.
  var saved: Result<CKRecordZone, CKError> {
    switch outcome {
    case .zone(let zone)?: .success(CKRecordZone(zone))
    case .error(let error)?: .failure(CKError(error))
    default: .failure(CKError(.internalError, "the server's answer does not include this zone"))
    }
  }

  /// What became of a zone that was to be deleted.
  var deletionError: CKError? {
    switch outcome {
    case .deleted?: nil
    case .error(let error)?: CKError(error)
    default: CKError(.internalError, "the server's answer does not include this zone")
    }
  }
}

extension CKRecordZone.ID {
  /// Whether an atomic operation saves all of the zone's items or none.
  func isAtomic(in scope: CKDatabase.Scope) -> Bool {
    scope != .public && zoneName != Self.defaultZoneName
  }
}
