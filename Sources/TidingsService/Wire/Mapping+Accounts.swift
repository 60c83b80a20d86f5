internal import TidingsAudit
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto

extension TidingsV1.Account {
  init(_ account: Account) {
    self.init(
      name: account.name,
      roles: account.roles,
      keys: account.keys.map { .init($0) },
      created: .init(account.created),
      displayName: account.displayName,
      restricted: account.restricted.map { .init($0) },
      quota: account.quota.map { .init($0) }
    )
  }
}

extension TidingsV1.PublicKey {
  init(_ key: AccountKey) {
    self.init(
      key: key.publicKey.description,
      expires: key.expires.map { .init($0) },
      revoked: key.revoked.map { .init($0) },
      label: key.label,
      admitted: .init(key.admitted)
    )
  }

  /// The request; fields that only the server sets are ignored.
  var keyRequest: KeyRequest {
    get throws {
      KeyRequest(
        try TidingsKeys.PublicKey(ofText: key),
        label: label,
        expires: try expires?.model
      )
    }
  }
}

extension PublicKey {
  /// A key from its text.
  ///
  /// - Throws: `ItemError` `invalidArguments`, which does not repeat the text: it might be a secret.
  init(ofText text: String) throws(ItemError) {
    guard let key = PublicKey(z85: text) else {
      throw ItemError(
        .invalidArguments,
        "the public key is not valid: it has 40 characters of Z85, as `rpcctl keys generate` writes it"
      )
    }
    self = key
  }
}

extension TidingsV1.Quota {
  init(_ quota: Quota) {
    self.init(
      recordsMax: UInt64(clamping: quota.recordsMax),
      bytesMax: UInt64(clamping: quota.bytesMax),
      callsPerSecondMax: UInt32(clamping: quota.callsPerSecondMax),
      subscriptionsMax: UInt32(clamping: quota.subscriptionsMax),
      connectionsMax: UInt32(clamping: quota.connectionsMax)
    )
  }

  var model: Quota {
    Quota(
      recordsMax: Int64(clamping: recordsMax),
      bytesMax: Int64(clamping: bytesMax),
      callsPerSecondMax: Int64(callsPerSecondMax),
      subscriptionsMax: Int64(subscriptionsMax),
      connectionsMax: Int64(connectionsMax)
    )
  }
}

extension TidingsV1.Usage {
  init(_ usage: ContainerUsage) {
    self.init(
      container: usage.container,
      records: UInt64(clamping: usage.usage.records),
      bytes: UInt64(clamping: usage.usage.bytes),
      subscriptions: UInt64(clamping: usage.subscriptions)
    )
  }
}

extension TidingsV1.AuditChain {
  init(_ kind: AuditKind, _ head: ChainHead) {
    self.init(
      name: kind.name,
      headNumber: head.number,
      headHash: head.number == 0 ? [] : head.hash
    )
  }

  init(_ kind: AuditKind, _ check: ChainCheck) {
    self.init(kind, check.head)
    lineCount = check.lineCount
    firstNumber = check.firstNumber
    problems = check.problems
    remarks = check.remarks
  }
}

extension TidingsV1.AuditEntry {
  init(_ entry: AuditEntry) {
    self.init(
      time: .init(entry.time),
      action: entry.action,
      userName: entry.user,
      publicKey: entry.publicKey,
      address: entry.address,
      refused: entry.isRefused,
      count: entry.count,
      detail: entry.detail
    )
  }
}
