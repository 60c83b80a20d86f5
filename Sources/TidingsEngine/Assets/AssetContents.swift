public import TidingsSQL

/// The contents of assets that are in the store itself: they come and go in the transactions of the rows that name
/// them, so no row is ever without content.
///
/// Used by the thread of the engine, in its transaction.
public protocol AssetContents: AnyObject {
  /// A row is about to name an asset: its content stays from now on.
  ///
  /// - Parameter checksum: The asset's.
  /// - Returns: Whether there is content; if not, nothing was written.
  /// - Throws: `SQLError`.
  func claim(_ checksum: [UInt8]) throws(SQLError) -> Bool

  /// A row that named an asset was removed: waits for other transactions that are about to name it.
  ///
  /// - Throws: `SQLError`.
  func lock(_ checksum: [UInt8]) throws(SQLError)

  /// Removes the content of an asset that is locked and that no row names.
  ///
  /// - Throws: `SQLError`.
  func remove(_ checksum: [UInt8]) throws(SQLError)
}
