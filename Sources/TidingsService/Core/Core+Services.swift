internal import TidingsEngine
internal import TidingsProto
internal import TidingsZeroMQ

extension Core {
  /// Registers all services: those whose calls are tasks, and those that the store answers.
  ///
  /// What the contract declares and nothing answers is UNIMPLEMENTED.
  func registerServices(on loop: LoopContext) {
    loop.register(AssetMethods(assets, store: remote, limits: engine.limits))
    loop.register(AdminMethods(self, remote))
    loop.whenStopping { [walks] in walks.stop() }
    for service in [
      TidingsV1.RecordService.descriptor, TidingsV1.ZoneService.descriptor,
      TidingsV1.SubscriptionService.descriptor, TidingsV1.NotificationService.descriptor,
      TidingsV1.SchemaService.descriptor, TidingsV1.ShareService.descriptor,
      TidingsV1.AccountService.descriptor, TidingsV1.GatewayService.descriptor,
      TidingsV1.DeliveryService.descriptor, TidingsRpcV1.ServerService.descriptor,
    ] {
      loop.announce(service)
    }
    RecordMethods(
      engine: engine,
      reads: reads,
      feeds: feeds,
      largeDecoding: largeDecoding,
      showsTypes: callerMode == .development
    ).register(calls, on: loop)
    ZoneMethods(engine: engine).register(calls, on: loop)
    SubscriptionMethods(engine: engine, reads: reads, largeDecoding: largeDecoding)
      .register(calls, on: loop)
    NotificationMethods(
      engine: engine,
      reads: reads,
      maintenance: maintenance,
      sealsPushes: publisher.seals,
      publication: { [unowned self] in publisher.publication(of: $0, $1) }
    ).register(calls, on: loop)
    SchemaMethods(engine: engine, reads: reads, rights: rights)
      .register(calls, on: loop)
    ShareMethods(engine: engine).register(calls, on: loop)
    AccountMethods(engine: engine).register(calls, on: loop)
    GatewayMethods(engine: engine, callerMode: callerMode).register(calls, on: loop)
    DeliveryMethods(engine: engine, callerMode: callerMode, reads: reads, senders: senders)
      .register(calls, on: loop)
    AdministrationMethods(
      engine: engine,
      rights: rights,
      reads: reads,
      readers: store.readers
    ).register(calls, on: loop)
    registerOperation(on: loop)
    registerCluster(on: loop)
  }
}
