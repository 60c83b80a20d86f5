public import TidingsProto
public import TidingsRPC

/// What users share in a container: the shares that the user owns, was invited to or has accepted.
///
/// A share is a record of the type `cloudkit.share` in a zone of its owner's private database, so that
/// all that works on records works on shares too. Here is what is done with them most.
public struct Shares: Sendable {
  /// The type of shares.
  public static let recordType = "cloudkit.share"
  /// The name of the share of a whole zone.
  public static let zoneShareName = "cloudkit.zoneshare"
  /// A change of a share is tried again so often when somebody else changed it meanwhile.
  static let attemptsMax = 5

  let service: TidingsV1.ShareService.Client
  let records: TidingsV1.RecordService.Client
  let container: String
  let environment: TidingsV1.Environment
  let options: CallOptions

  /// The shares of a container.
  ///
  /// - Parameters:
  ///   - transport: Carries the calls.
  ///   - container: The container; empty: `default`.
  ///   - environment: The environment.
  ///   - options: For each call.
  public init(
    _ transport: any ClientTransport,
    container: String = "",
    environment: TidingsV1.Environment = .unspecified,
    options: CallOptions = CallOptions()
  ) {
    service = .init(transport)
    records = .init(transport)
    self.container = container
    self.environment = environment
    self.options = options
  }

  func database(_ scope: TidingsV1.DatabaseScope) -> TidingsV1.DatabaseID {
    .init(container: container, environment: environment, scope: scope)
  }

  // MARK: Those who are invited

  /// What is behind URLs, in their order: for each the share as the user may see it, or that it is not
  /// there.
  public func metadata(
    of urls: [String],
    wantsRootRecord: Bool = false
  ) async throws(ShareError) -> [TidingsV1.ShareResult] {
    do {
      let request = TidingsV1.FetchShareMetadataRequest(
        urls: urls,
        wantsRootRecord: wantsRootRecord
      )
      return try await service.fetchShareMetadata(request, options: options).results
    } catch { throw ShareError(error) }
  }

  /// Joins shares: what is shared appears in the user's shared database.
  public func accept(_ urls: [String]) async throws(ShareError) -> [TidingsV1.ShareResult] {
    do {
      return try await service.acceptShares(.init(urls: urls), options: options).results
    } catch { throw ShareError(error) }
  }

  /// Joins a share: what is shared appears in the user's shared database.
  public func accept(_ url: String) async throws(ShareError) -> TidingsV1.ShareMetadata {
    switch try await accept([url]).first?.outcome {
    case .metadata(let metadata)?: return metadata
    case .error(let error)?: throw .refused(error)
    case nil: throw .noAnswer
    }
  }

  /// Asks the owners of shares for access that the user may not accept, where they allow it.
  ///
  /// - Parameter urls: The URLs of the shares.
  /// - Returns: In their order; without an error the request was made, or had been.
  /// - Throws: What the call throws.
  public func requestAccess(
    _ urls: [String]
  ) async throws(ShareError) -> [TidingsV1.ShareAccessResult] {
    do {
      return try await service.requestShareAccess(.init(urls: urls), options: options).results
    } catch { throw ShareError(error) }
  }

  /// Leaves a share that the user has accepted.
  ///
  /// - Parameter share: The share, in a zone with its owner.
  /// - Throws: `unknownItem` when there is no such share for the user; what the call throws.
  public func leave(_ share: TidingsV1.RecordID) async throws(ShareError) {
    try await delete(share, from: .shared)
  }

  /// All shares that the user owns, was invited to or has accepted, page after page.
  public func all() async throws(ShareError) -> [TidingsV1.ShareMetadata] {
    var request = TidingsV1.FetchSharesRequest(container: container, environment: environment)
    var all: [TidingsV1.ShareMetadata] = []
    repeat {
      do {
        let page = try await service.fetchShares(request, options: options)
        all += page.shares
        request.continuation = page.continuation
      } catch { throw ShareError(error) }
    } while !request.continuation.isEmpty
    return all
  }

  private func delete(
    _ share: TidingsV1.RecordID,
    from scope: TidingsV1.DatabaseScope
  ) async throws(ShareError) {
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: database(scope),
      recordIDsToDelete: [share]
    )
    let response: TidingsV1.ModifyRecordsResponse
    do {
      response = try await records.modifyRecords(request, options: options)
    } catch { throw ShareError(error) }
    if case .error(let error)? = response.results.first?.outcome { throw .refused(error) }
  }

  // MARK: Owners and administrators

  /// Where the share of a zone is changed: an administrator names the zone with its owner.
  private func database(of zone: TidingsV1.ZoneID?) -> TidingsV1.DatabaseID {
    database(zone?.ownerName.isEmpty ?? true ? .private : .shared)
  }

  /// Ends a share that the user owns; what was shared stays the owner's.
  public func end(_ share: TidingsV1.RecordID) async throws(ShareError) {
    try await delete(share, from: .private)
  }

  /// Fetches a share that the user owns or takes part in.
  public func share(_ id: TidingsV1.RecordID) async throws(ShareError) -> TidingsV1.Record {
    try await record(id)
  }

  /// The name of the share of a record with its descendants, or of the zone, in which a record is.
  ///
  /// - Parameters:
  ///   - root: The record; `nil`: the zone.
  ///   - zone: The zone.
  /// - Returns: The name; whether the zone is shared is not looked at.
  /// - Throws: `unknownItem` for a record that is not shared; what the call throws.
  public func shareID(
    of root: String?,
    in zone: TidingsV1.ZoneID
  ) async throws(ShareError) -> TidingsV1.RecordID {
    guard let root else { return .init(recordName: Self.zoneShareName, zoneID: zone) }
    let record = try await record(.init(recordName: root, zoneID: zone))
    guard !record.shareRecordName.isEmpty else {
      throw .refused(.init(code: .unknownItem, message: "record '\(root)' is not shared"))
    }
    return .init(recordName: record.shareRecordName, zoneID: zone)
  }

  /// Saves a share as it is, and returns it as stored, with its URL.
  ///
  /// Without a change tag it is created: under the name `zoneShareName` it shares the zone, under any
  /// other, or none, the record that it names with all its descendants.
  public func save(_ share: TidingsV1.Record) async throws(ShareError) -> TidingsV1.Record {
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: database(of: share.recordID?.zoneID),
      recordsToSave: [share]
    )
    let response: TidingsV1.ModifyRecordsResponse
    do {
      response = try await records.modifyRecords(request, options: options)
    } catch { throw ShareError(error) }
    switch response.results.first?.outcome {
    case .record(let saved)?:
      var id = saved.recordID ?? .init()
      // What the user changed is read where it was changed.
      id.zoneID = share.recordID?.zoneID
      return try await record(id)
    case .error(let error)?: throw .refused(error)
    default: throw .noAnswer
    }
  }

  /// Changes a share that the user owns or administers: fetches it, lets `body` change it, saves it, and begins again
  /// when somebody else, a participant who accepts for example, changed it meanwhile.
  public func change(
    _ id: TidingsV1.RecordID,
    _ body: (inout TidingsV1.Share) -> Void
  ) async throws(ShareError) -> TidingsV1.Record {
    try await changeRecord(id) { record in
      var share = record.share ?? .init()
      body(&share)
      record.share = share
    }
  }

  /// Changes the record of a share that the user owns or administers, its title for one, like `change`.
  public func changeRecord(
    _ id: TidingsV1.RecordID,
    _ body: (inout TidingsV1.Record) -> Void
  ) async throws(ShareError) -> TidingsV1.Record {
    var attempts = 0
    while true {
      var record = try await record(id)
      body(&record)
      attempts += 1
      do throws(ShareError) {
        return try await save(record)
      } catch {
        guard case .refused(let item) = error, item.code == .serverRecordChanged,
          attempts < Self.attemptsMax
        else { throw error }
      }
    }
  }

  private func record(_ id: TidingsV1.RecordID) async throws(ShareError) -> TidingsV1.Record {
    let response: TidingsV1.FetchRecordsResponse
    do {
      response = try await records.fetchRecords(
        .init(databaseID: database(of: id.zoneID), recordIDs: [id]),
        options: options
      )
    } catch { throw ShareError(error) }
    switch response.results.first?.outcome {
    case .record(let record)?: return record
    case .error(let error)?: throw .refused(error)
    default: throw .noAnswer
    }
  }
}

extension Client {
  /// The shares of the configured container.
  public var shares: Shares {
    Shares(
      transport,
      container: configuration.container,
      environment: configuration.environment,
      options: CallOptions(timeout: configuration.timeout)
    )
  }
}
