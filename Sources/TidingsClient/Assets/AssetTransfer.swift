internal import TidingsFiles
public import TidingsProto
public import TidingsRPC

/// Sends and fetches the assets of one database.
///
/// Memory stays the same whatever the size of an asset. A transfer that broke off is continued by
/// beginning it again.
public struct AssetTransfer: Sendable {
  /// Called with the progress of a transfer, between its pieces, often.
  public typealias Progress = @Sendable (AssetProgress) -> Void

  let client: TidingsV1.AssetService.Client
  let databaseID: TidingsV1.DatabaseID?
  let options: CallOptions
  let userName: String

  /// Transfers with a database.
  ///
  /// - Parameters:
  ///   - transport: Carries the calls.
  ///   - databaseID: The database; `nil`: the private one of the container `default`.
  ///   - options: For each chunk of an upload. Downloads have no time limit.
  ///   - userName: Downloads what this user could, which takes an administrator; empty: the caller.
  public init(
    _ transport: any ClientTransport,
    in databaseID: TidingsV1.DatabaseID? = nil,
    options: CallOptions = CallOptions(),
    userName: String = ""
  ) {
    self.userName = userName
    client = TidingsV1.AssetService.Client(transport)
    self.databaseID = databaseID
    self.options = options
  }

  /// A transfer is tried again so often without any progress before it fails.
  static let attemptsMax = 5
}

extension Client {
  /// Sends and fetches the assets of a database.
  ///
  /// - Parameter databaseID: The database; `nil`: the private one of the configured container.
  /// - Returns: The transfers.
  public func assets(in databaseID: TidingsV1.DatabaseID? = nil) -> AssetTransfer {
    AssetTransfer(
      transport,
      in: databaseID
        ?? .init(container: configuration.container, environment: configuration.environment)
    )
  }

  /// Uploads a file, so that records of the database may name it.
  ///
  /// - SeeAlso: `AssetTransfer.upload(fileAt:progress:)`.
  public func uploadAsset(
    fileAt path: String,
    in databaseID: TidingsV1.DatabaseID? = nil,
    progress: AssetTransfer.Progress? = nil
  ) async throws -> TidingsV1.Asset {
    try await assets(in: databaseID).upload(fileAt: path, progress: progress)
  }

  /// Downloads an asset into a file.
  ///
  /// - SeeAlso: `AssetTransfer.download(_:to:progress:)`.
  public func downloadAsset(
    _ asset: TidingsV1.Asset,
    in databaseID: TidingsV1.DatabaseID? = nil,
    to path: String,
    progress: AssetTransfer.Progress? = nil
  ) async throws {
    try await assets(in: databaseID).download(asset, to: path, progress: progress)
  }
}
