internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// Uploads and the contents of assets in the tables of a PostgreSQL store, on one connection.
///
/// All that happens to an upload happens in a transaction that has locked its row, so several connections, and several
/// servers, may work on the same ones.
final class AssetContentTable {
  /// What becomes of an upload.
  enum State: Int64 {
    /// Bytes are arriving.
    case arriving = 0
    /// They are all there, and have the checksum: a row of an asset may claim them.
    case verified = 1
    /// Rows of assets name it.
    case complete = 2
    /// Its pieces are being removed.
    case removed = 3
  }

  /// An upload that is locked.
  struct Upload {
    let number: Int64
    var stored: UInt64
    let state: State
    /// It has just begun.
    var isNew = false
  }

  /// A complete content.
  struct Content: Hashable, Sendable {
    let number: Int64
    let size: UInt64
  }

  /// Most bytes of a piece.
  static let pieceBytesMax = 1 << 20
  /// Pieces that are removed in one statement.
  private static let removedPiecesMax: Int64 = 64
  /// Expired uploads that are marked in one statement.
  private static let expiredMax: Int64 = 200

  private let insertUpload: any SQLStatement
  private let selectUpload: any SQLStatement
  private let selectOthers: any SQLStatement
  private let insertPiece: any SQLStatement
  private let update: any SQLStatement
  private let verify: any SQLStatement
  private let drop: any SQLStatement
  private let selectPiece: any SQLStatement
  private let selectComplete: any SQLStatement
  private let lockComplete: any SQLStatement
  private let complete: any SQLStatement
  private let dropAll: any SQLStatement
  private let expire: any SQLStatement
  private let selectDropped: any SQLStatement
  private let deletePieces: any SQLStatement
  private let delete: any SQLStatement

  init(_ connection: any SQLConnection) throws(SQLError) {
    insertUpload = try connection.prepare(
      """
      INSERT INTO asset_contents (checksum, size, stored, state, upload, uploader, changed)
      VALUES (?1, ?2, 0, 0, ?3, ?4, ?5) ON CONFLICT (upload) DO NOTHING
      """
    )
    selectUpload = try connection.prepare(
      "SELECT id, stored, state FROM asset_contents WHERE upload = ?1 FOR UPDATE"
    )
    selectOthers = try connection.prepare(
      """
      SELECT count(*), coalesce(sum(stored), 0) FROM asset_contents
      WHERE uploader = ?1 AND state = 0 AND id <> ?2
      """
    )
    insertPiece = try connection.prepare(
      "INSERT INTO asset_chunks (content_id, first_byte, bytes) VALUES (?1, ?2, ?3)"
    )
    update = try connection.prepare(
      "UPDATE asset_contents SET stored = ?2, changed = ?3 WHERE id = ?1"
    )
    verify = try connection.prepare("UPDATE asset_contents SET state = 1 WHERE id = ?1")
    drop = try connection.prepare(
      "UPDATE asset_contents SET state = 3, upload = NULL, uploader = NULL WHERE id = ?1"
    )
    // No piece is longer than the condition allows, so the difference is a small number.
    selectPiece = try connection.prepare(
      """
      SELECT substr(bytes, CAST(?2 - first_byte AS INTEGER) + 1, CAST(?3 AS INTEGER)) FROM asset_chunks
      WHERE content_id = ?1 AND first_byte <= ?2 AND first_byte > ?2 - \(Self.pieceBytesMax)
      ORDER BY first_byte DESC LIMIT 1
      """
    )
    selectComplete = try connection.prepare(
      "SELECT id, size FROM asset_contents WHERE checksum = ?1 AND state = 2 LIMIT 1"
    )
    lockComplete = try connection.prepare(
      "SELECT id FROM asset_contents WHERE checksum = ?1 AND state = 2 FOR UPDATE"
    )
    complete = try connection.prepare(
      """
      UPDATE asset_contents SET state = 2, upload = NULL, uploader = NULL
      WHERE state = 1 AND id = (SELECT min(id) FROM asset_contents WHERE checksum = ?1 AND state = 1)
      RETURNING id
      """
    )
    dropAll = try connection.prepare(
      """
      UPDATE asset_contents SET state = 3, upload = NULL, uploader = NULL WHERE checksum = ?1 AND state = ?2
      """
    )
    expire = try connection.prepare(
      """
      UPDATE asset_contents SET state = 3, upload = NULL, uploader = NULL
      WHERE state < 2 AND changed < ?1 AND id IN (
        SELECT id FROM asset_contents WHERE state < 2 AND changed < ?1 ORDER BY changed LIMIT ?2
      )
      RETURNING id
      """
    )
    selectDropped = try connection.prepare(
      "SELECT id FROM asset_contents WHERE state = 3 ORDER BY id LIMIT 1"
    )
    deletePieces = try connection.prepare(
      """
      DELETE FROM asset_chunks WHERE content_id = ?1 AND first_byte IN (
        SELECT first_byte FROM asset_chunks WHERE content_id = ?1 ORDER BY first_byte LIMIT ?2
      )
      RETURNING first_byte
      """
    )
    delete = try connection.prepare("DELETE FROM asset_contents WHERE id = ?1 AND state = 3")
  }

  // MARK: Uploads

  /// Locks an upload; `nil`: there is none.
  func lock(_ upload: AssetUpload) throws(SQLError) -> Upload? {
    try lock(upload.partName)
  }

  private func lock(_ name: String) throws(SQLError) -> Upload? {
    selectUpload.bind(name, at: 1)
    defer { selectUpload.reset() }
    guard try selectUpload.step() else { return nil }
    guard let state = State(rawValue: selectUpload.int64(2)) else {
      throw SQLError(.damaged, "an upload is in an unknown state")
    }
    return Upload(
      number: selectUpload.int64(0),
      stored: UInt64(clamping: selectUpload.int64(1)),
      state: state
    )
  }

  /// Begins an upload, unless another connection has just begun it, and locks it.
  ///
  /// - Parameters:
  ///   - name: What it is called as long as it is not complete.
  ///   - asset: What is uploaded.
  ///   - uploader: Who does.
  ///   - time: When.
  /// - Returns: The upload.
  /// - Throws: `SQLError`.
  func begin(
    _ name: String,
    _ asset: Asset,
    by uploader: String,
    at time: SteadyTime
  ) throws(SQLError) -> Upload {
    insertUpload.bind(asset.checksum, at: 1)
    insertUpload.bind(Int64(clamping: asset.size), at: 2)
    insertUpload.bind(name, at: 3)
    insertUpload.bind(uploader, at: 4)
    insertUpload.bind(time.milliseconds, at: 5)
    try insertUpload.run()
    guard var begun = try lock(name) else {
      throw SQLError(.conflict, "the upload was removed while it began")
    }
    begun.isNew = begun.stored == 0
    return begun
  }

  /// How many other uploads of a user are not complete, and their bytes.
  func others(of user: String, except number: Int64) throws(SQLError) -> (count: Int, bytes: UInt64)
  {
    selectOthers.bind(user, at: 1)
    selectOthers.bind(number, at: 2)
    defer { selectOthers.reset() }
    guard try selectOthers.step() else { return (0, 0) }
    return (Int(selectOthers.int64(0)), UInt64(clamping: selectOthers.int64(1)))
  }

  /// Adds bytes to the end of an upload.
  func append(
    _ bytes: ArraySlice<UInt8>,
    to upload: inout Upload,
    at time: SteadyTime
  ) throws(SQLError) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceBytesMax)
      insertPiece.bind(upload.number, at: 1)
      insertPiece.bind(Int64(upload.stored), at: 2)
      insertPiece.bind(Array(piece), at: 3)
      try insertPiece.run()
      upload.stored += UInt64(piece.count)
      rest = rest.dropFirst(piece.count)
    }
    update.bind(upload.number, at: 1)
    update.bind(Int64(upload.stored), at: 2)
    update.bind(time.milliseconds, at: 3)
    try update.run()
  }

  /// The bytes of a locked upload are the asset.
  func setVerified(_ upload: Upload) throws(SQLError) {
    verify.bind(upload.number, at: 1)
    try verify.run()
  }

  /// Throws a locked upload away.
  func drop(_ upload: Upload) throws(SQLError) {
    drop.bind(upload.number, at: 1)
    try drop.run()
  }

  // MARK: Contents

  /// The complete content with a checksum.
  func content(_ checksum: [UInt8]) throws(SQLError) -> Content? {
    selectComplete.bind(checksum, at: 1)
    defer { selectComplete.reset() }
    guard try selectComplete.step() else { return nil }
    return Content(
      number: selectComplete.int64(0),
      size: UInt64(clamping: selectComplete.int64(1))
    )
  }

  /// Reads bytes of a content or an upload.
  ///
  /// - Parameters:
  ///   - number: Which.
  ///   - offset: Where.
  ///   - count: How many.
  /// - Returns: At least one byte, and as many as the piece at the offset has; none: there is no such piece.
  /// - Throws: `SQLError`.
  func read(_ number: Int64, at offset: UInt64, count: Int) throws(SQLError) -> [UInt8] {
    selectPiece.bind(number, at: 1)
    selectPiece.bind(Int64(clamping: offset), at: 2)
    selectPiece.bind(Int64(min(count, Self.pieceBytesMax)), at: 3)
    defer { selectPiece.reset() }
    return try selectPiece.step() ? selectPiece.bytes(0) : []
  }

  // MARK: Removal

  /// Throws some uploads away that were not continued since a time.
  ///
  /// - Returns: How many; 0: there are no more.
  func dropUploads(olderThan time: SteadyTime) throws -> Int {
    expire.bind(time.milliseconds, at: 1)
    expire.bind(Self.expiredMax, at: 2)
    var count = 0
    try expire.forEachRow { count += 1 }
    return count
  }

  /// Removes some pieces of what was thrown away; a crash in between leaves the rest for a later call.
  ///
  /// - Returns: `false`: there is nothing left.
  func removeDropped() throws -> Bool {
    guard let number = try dropped() else { return false }
    deletePieces.bind(number, at: 1)
    deletePieces.bind(Self.removedPiecesMax, at: 2)
    var count: Int64 = 0
    try deletePieces.forEachRow { count += 1 }
    if count < Self.removedPiecesMax {
      delete.bind(number, at: 1)
      try delete.run()
    }
    return true
  }

  private func dropped() throws(SQLError) -> Int64? {
    defer { selectDropped.reset() }
    return try selectDropped.step() ? selectDropped.int64(0) : nil
  }
}

extension AssetContentTable: AssetContents {
  func claim(_ checksum: [UInt8]) throws(SQLError) -> Bool {
    lockComplete.bind(checksum, at: 1)
    defer { lockComplete.reset() }
    if try !lockComplete.step() {
      complete.bind(checksum, at: 1)
      defer { complete.reset() }
      guard try complete.step() else { return false }
    }
    // Others have uploaded the same: one content is for all.
    try dropAll(checksum, in: .verified)
    return true
  }

  func lock(_ checksum: [UInt8]) throws(SQLError) {
    lockComplete.bind(checksum, at: 1)
    defer { lockComplete.reset() }
    _ = try lockComplete.step()
  }

  func remove(_ checksum: [UInt8]) throws(SQLError) { try dropAll(checksum, in: .complete) }

  private func dropAll(_ checksum: [UInt8], in state: State) throws(SQLError) {
    dropAll.bind(checksum, at: 1)
    dropAll.bind(state.rawValue, at: 2)
    try dropAll.run()
  }
}
