internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension AdministrationMethods {
  /// Registers FetchStatistics, whose counts take long in a large store.
  func registerStatistics(on loop: LoopContext) {
    let method = TidingsV1.AdminService.Methods.fetchStatistics
    reads.registerCall(method, on: loop) { [rights, reads, readers] call, _ in
      let caller = try CallerIdentity.caller(of: call)
      try rights.requireAdministrator(caller, keyNumber: call.keyNumber, method)
      let job = ReadJob(
        token: call.token,
        deadline: call.deadline,
        bytes: 0,
        keyNumber: call.keyNumber
      ) { [readers] reader in
        let response = TidingsV1.FetchStatisticsResponse(
          try reader.engine.statistics(),
          try readers.sizes()
        )
        return response.encoded(in: reader.arena)
      }
      try reads.add(job, of: call.callerKey)
    }
  }
}

extension TidingsV1.FetchStatisticsResponse {
  fileprivate init(_ statistics: StoreStatistics, _ sizes: StoreSizes) {
    self.init(
      records: statistics.records,
      tombstones: statistics.tombstones,
      zones: statistics.zones,
      subscriptions: statistics.subscriptions,
      channels: statistics.channels,
      events: statistics.events,
      databaseBytes: sizes.databaseBytes,
      logBytes: sizes.logBytes,
      assets: statistics.assets,
      assetBytes: statistics.assetBytes,
      users: statistics.users
    )
  }
}
