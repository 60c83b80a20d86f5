internal import TidingsCodec
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsZeroMQ

/// Lists and ends the connections of a node: what leaders and followers have in common.
struct NodeConnections {
  typealias Holder = (user: String, publicKey: PublicKey)

  private static let pageMax = 1_000

  /// The name of the node; empty: the server is alone.
  let nodeName: String
  /// Whose a key is that may connect.
  let holder: (Int64) -> Holder?

  /// Whose a connection is.
  private func user(_ named: String, _ key: Int64?) -> String {
    guard named.isEmpty, let key else { return named }
    return holder(key)?.user ?? ""
  }

  /// The connections in use.
  func list(
    _ request: TidingsV1.ListConnectionsRequest,
    on loop: LoopContext
  ) -> TidingsV1.ListConnectionsResponse {
    let page = loop.openConnections(
      after: request.after,
      where: { key, user in
        request.userName.isEmpty || self.user(user, key) == request.userName
      },
      limit: Self.pageLimit(request.limit)
    )
    let now = Timestamp.now
    return TidingsV1.ListConnectionsResponse(
      connections: page.connections.map { connection in
        let key = connection.keyNumber.flatMap(holder)
        let age = (loop.now - connection.since) / .milliseconds(1)
        return .init(
          number: connection.number,
          userName: user(connection.user, connection.keyNumber),
          publicKey: key?.publicKey.description ?? "",
          deviceID: connection.device,
          since: .init(
            Timestamp(millisecondsSince1970: now.millisecondsSince1970 - Int64(max(0, age)))
          ),
          callsOpen: UInt32(clamping: connection.callsOpen),
          bytesHeld: UInt64(clamping: connection.bytesHeld),
          isSubscriber: connection.isSubscriber,
          topics: UInt32(clamping: connection.topics)
        )
      },
      moreComing: page.hasMore,
      unusedCount: UInt32(clamping: loop.unusedConnectionCount),
      nodeName: nodeName
    )
  }

  /// Ends connections.
  ///
  /// - Parameters:
  ///   - request: Which.
  ///   - number: That of the call, which stays.
  ///   - loop: The loop.
  /// - Returns: How many.
  /// - Throws: `ItemError`.
  func end(
    _ request: TidingsV1.EndConnectionsRequest,
    except number: UInt64,
    on loop: LoopContext
  ) throws -> TidingsV1.EndConnectionsResponse {
    let isMeant: (UInt64, Int64?, String) -> Bool
    switch request.which {
    case .userName(let name)?:
      isMeant = { _, key, user in self.user(user, key) == name }
    case .publicKey(let text)?:
      let wanted = try PublicKey(ofText: text)
      isMeant = { _, key, _ in key.flatMap(holder)?.publicKey == wanted }
    case .number(let number)?: isMeant = { own, _, _ in own == number }
    case nil: throw Self.nothingToEnd
    }
    let count = loop.endConnections(except: number, where: isMeant)
    return TidingsV1.EndConnectionsResponse(count: UInt32(clamping: count))
  }

  /// What the audit log says about a request.
  ///
  /// - Throws: `ItemError`.
  static func about(_ request: TidingsV1.EndConnectionsRequest) throws -> String {
    switch request.which {
    case .userName("")?, nil: throw nothingToEnd
    case .userName(let name)?: return "user \(name)"
    case .publicKey(let text)?: return "key \(try PublicKey(ofText: text))"
    case .number(let number)?: return "connection \(number)"
    }
  }

  static func pageLimit(_ limit: UInt32) -> Int {
    limit == 0 ? pageMax : min(Int(limit), pageMax)
  }

  private static let nothingToEnd = ItemError(
    .invalidArguments,
    "the request names nothing to end: set user_name, public_key or number"
  )
}
