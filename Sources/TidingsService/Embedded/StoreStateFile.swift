internal import TidingsFiles

/// `store.state` in the data folder: the newest state in one of two slots, which are written in turn.
///
/// A write that is torn leaves the other slot. Notes of commits are not waited for: the log was, so a
/// power loss may make the file older than the log, never newer.
struct StoreStateFile {
  static let name = "store.state"
  /// In different pages of the file.
  private static let slotDistance: UInt64 = 4096

  private let file: File
  private var number: UInt64

  /// The newest state in a file.
  ///
  /// - Returns: `nil`: there is no file, or it holds no whole state.
  /// - Throws: `FileError` when it cannot be read.
  static func read(_ path: String) throws(FileError) -> StoreState? {
    guard try Folder.status(path) != nil else { return nil }
    return try newest(in: File(path: path, .read))?.state
  }

  /// Opens the file, or makes it; the next state is written over the older one.
  ///
  /// - Throws: `FileError`.
  init(_ path: String) throws(FileError) {
    file = try File(path: path, .create)
    number = try Self.newest(in: file)?.number ?? 0
  }

  /// Writes a state, and does not wait for the disk.
  mutating func write(_ state: StoreState) throws(FileError) {
    number += 1
    try file.write(state.encoded(number)[...], at: number % 2 * Self.slotDistance)
  }

  /// Waits until what was written is on the disk.
  func synchronize() throws(FileError) { try file.synchronize() }

  private static func newest(
    in file: File
  ) throws(FileError) -> (state: StoreState, number: UInt64)? {
    var newest: (state: StoreState, number: UInt64)?
    for slot in 0...1 as ClosedRange<UInt64> {
      let bytes = try file.read(at: slot * slotDistance, count: StoreState.byteCount)
      guard let found = StoreState.decoded(bytes[...]) else { continue }
      if newest.map({ $0.number < found.number }) ?? true { newest = found }
    }
    return newest
  }
}
