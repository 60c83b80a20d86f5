internal import TidingsEngine
internal import TidingsLogging
internal import TidingsModel
internal import TidingsRPC

/// The content of assets, and the threads that work on it: in files of a folder (`AssetFiles`), or in the database
/// (`DatabaseAssets`).
protocol AssetStorage: Sendable {
  /// Takes a chunk of an upload as far as it continues what is stored.
  ///
  /// - Parameters:
  ///   - upload: The asset, and who sends it to which database.
  ///   - offset: Where the chunk begins.
  ///   - chunk: The bytes; none: the answer says how many are stored.
  ///   - addRow: Writes the asset's row, once the content is durable.
  /// - Returns: How far the upload is.
  /// - Throws: `ItemError` for bytes that are not the asset, or when the user has too much that is not complete; what
  ///   `addRow` throws; `FileError`, `SQLError`.
  func receive(
    _ upload: AssetUpload,
    offset: UInt64,
    chunk: [UInt8],
    addRow: () async throws -> Void
  ) async throws -> UploadProgress

  /// Opens an asset of a database; `nil` when to the user the database does not have it.
  ///
  /// - Parameters:
  ///   - asset: Its checksum, and its size, or 0 for any.
  ///   - database: The database.
  ///   - user: Who asks.
  /// - Returns: The asset.
  /// - Throws: `RPCError` DATA_LOSS when the content is gone; `FileError`, `ItemError`, `SQLError`.
  func open(_ asset: Asset, in database: DatabaseID, for user: String) async throws -> OpenAsset?

  /// Removes the contents of assets that no database has any more; what cannot be removed now is swept later.
  func collect(_ checksums: [[UInt8]])

  /// Ends the threads, after what they are doing.
  func stop()
}

/// How far an upload is.
enum UploadProgress: Hashable, Sendable {
  /// So many bytes are stored.
  case stored(UInt64)
  /// The asset is there.
  case complete
}

/// An asset that is being downloaded.
struct OpenAsset: Sendable {
  /// Bytes.
  let size: UInt64
  /// Reads so many bytes at an offset.
  let read: @Sendable (_ offset: UInt64, _ count: Int) async throws -> [UInt8]
  /// Called when the bytes are not the asset; returns what to say of it, and notes it where another upload can replace
  /// them.
  let damaged: @Sendable () async -> RPCError
}

/// What the storage of assets needs of the server that uses it.
struct AssetStorageUser: Sendable {
  /// How large uploads may be, and how long what nobody names is kept.
  let limits: Limits
  /// The steady time of the store.
  let steadyClock: SteadyClock
  /// Logs what was removed.
  let logger: Logger
}
