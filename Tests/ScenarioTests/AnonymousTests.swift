internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// What every method of the contract answers to a caller without an account.
@Suite(.endsServers) struct AnonymousTests {
  private enum Expectation {
    /// UNAUTHENTICATED.
    case login
    /// Anything else.
    case open
    /// Open in the public database, UNAUTHENTICATED in a private one.
    case publicOnly
    /// A stream that does not end, and is for everybody.
    case endless
  }

  /// By service and method; in development mode everybody administers.
  private static let expectations: [String: [String: Expectation]] = [
    "tidings.v1.RecordService": [
      "ModifyRecords": .login, "FetchRecords": .publicOnly, "QueryRecords": .publicOnly,
      "ExplainQuery": .publicOnly, "FetchRecordZoneChanges": .publicOnly,
      "FetchDatabaseChanges": .publicOnly,
    ],
    "tidings.v1.ZoneService": ["ModifyRecordZones": .login, "FetchRecordZones": .publicOnly],
    "tidings.v1.SubscriptionService": [
      "ModifySubscriptions": .login, "FetchSubscriptions": .login, "ExplainSubscriptions": .login,
    ],
    "tidings.v1.NotificationService": [
      "RegisterDevice": .login, "FetchNotificationChanges": .login, "MarkNotificationsRead": .login,
      "ModifyBadge": .login, "TraceNotification": .login, "LeaseNotifications": .login,
      "SettleNotifications": .login, "RotateChannels": .login,
    ],
    "tidings.v1.AssetService": ["UploadAsset": .login, "DownloadAsset": .open],
    "tidings.v1.AccountService": [
      "FetchAccountStatus": .open, "FetchUserRecordID": .login, "FetchUsers": .login,
      "FetchDirectoryEntry": .login, "UpdateDirectoryEntry": .login, "ListDirectory": .login,
      "IssueWebAuthToken": .login, "RevokeWebAuthToken": .login, "ApproveSignIn": .login,
    ],
    "tidings.v1.AdminService": [
      "CreateUser": .open, "UpdateUser": .open, "ListUsers": .open, "AuthorizeKey": .open,
      "RevokeKey": .open, "AssignRoles": .open, "FetchAuditLog": .open, "CreateBackup": .endless,
      "CheckStore": .endless, "FetchStatistics": .open, "ListConnections": .open,
      "EndConnections": .open, "ListDevices": .open, "FetchMetrics": .open, "SetLogLevel": .open,
      "SetRetention": .open,
      "Drain": .open, "FetchClusterStatus": .open, "ResetDevelopment": .open,
      "FetchUserData": .login, "EraseUser": .open,
      "FetchErasure": .open, "CreateWebToken": .open, "ListWebTokens": .open,
      "RevokeWebToken": .open,
    ],
    "tidings.v1.GatewayService": [
      "FetchWebCredential": .open, "RenewWebAuthToken": .open,
      "FetchSessionHandle": .open, "BeginSignIn": .login, "CompleteSignIn": .open,
    ],
    "tidings.v1.DeliveryService": [
      "AddDeliveryTarget": .login, "FetchDeliveryTargets": .login, "RemoveDeliveryTarget": .login,
      "TestDeliveryTarget": .login, "FetchDeadLetters": .login, "ResendDeadLetters": .login,
      "LeaseDeliveries": .open, "SettleDeliveries": .open, "AwaitDeliveries": .open,
    ],
    "tidings.v1.ShareService": [
      "FetchShareMetadata": .login, "AcceptShares": .login,
      "RequestShareAccess": .login, "FetchShares": .login,
    ],
    "tidings.v1.SchemaService": [
      "FetchSchema": .login, "ApplySchema": .login, "DeploySchema": .login,
    ],
    "tidings.rpc.v1.HealthService": ["Check": .open, "Watch": .endless],
    "tidings.rpc.v1.ServerService": ["FetchServerInfo": .open],
    "tidings.rpc.v1.ReflectionService": ["ListServices": .open, "FetchFileDescriptorSet": .open],
  ]

  private static let descriptors: [ServiceDescriptor] = [
    TidingsV1.RecordService.descriptor, TidingsV1.ZoneService.descriptor,
    TidingsV1.SubscriptionService.descriptor, TidingsV1.NotificationService.descriptor,
    TidingsV1.AssetService.descriptor, TidingsV1.AccountService.descriptor,
    TidingsV1.AdminService.descriptor, TidingsV1.GatewayService.descriptor,
    TidingsV1.ShareService.descriptor, TidingsV1.DeliveryService.descriptor,
    TidingsV1.SchemaService.descriptor, TidingsRpcV1.HealthService.descriptor,
    TidingsRpcV1.ServerService.descriptor, TidingsRpcV1.ReflectionService.descriptor,
  ]

  @Test("each method has an expectation, and meets it")
  func everyMethod() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "")
    let served = try await client.reflection.listServices(.init()).services.map(\.name)
    #expect(served.allSatisfy { Self.expectations[$0] != nil }, "\(served)")
    let socket = try RawSocket(.dealer, connectedTo: server.rpcEndpoint)
    // Requests name their database in their first member, where they name one.
    let inPublic = WireBytes().field(1, TidingsV1.DatabaseID(scope: .public).encoded()).bytes
    for service in Self.descriptors {
      for method in service.methods {
        let expected = Self.expectations[service.name]?[method.name]
        #expect(expected != nil, "\(method.fullName) has no expectation")
        switch expected {
        case .login:
          // What is not served yet is not there for anybody.
          let status = try await status(of: method, [], on: socket)
          #expect(status == .unauthenticated || status == .unimplemented, "\(method.fullName)")
        case .open:
          let status = try await status(of: method, [], on: socket)
          #expect(status != .unauthenticated && status != .permissionDenied, "\(method.fullName)")
        case .publicOnly:
          #expect(try await status(of: method, [], on: socket) == .unauthenticated)
          let status = try await status(of: method, inPublic, on: socket)
          #expect(status != .unauthenticated && status != .permissionDenied, "\(method.fullName)")
        case .endless, nil: break
        }
      }
    }
    await client.close()
    try await server.stop()
  }

  private func status(
    of method: MethodDescriptor,
    _ body: [UInt8],
    on socket: RawSocket
  ) async throws -> StatusCode {
    // This one wraps the request that it explains.
    let isWrapped = method.name == "ExplainQuery"
    var call = RawCall(method.fullName, isWrapped ? WireBytes().field(1, body).bytes : body)
    call.header.metadata = [:]
    let (header, _) = try await call.send(on: socket)
    return StatusCode(rawValue: header.status)
  }
}
