internal import CSQLite
internal import CStoreVFS
internal import Synchronization
internal import TidingsFiles
public import TidingsSQL

/// The pages of the database file as they were at one moment, in order, while the server goes on
/// writing.
///
/// Only checkpoints write the database file. One that is about to overwrite a page that was not read yet
/// puts the page aside first, into a file without a name beside the database; so it holds at most as
/// much as the database had at that moment, and nothing else waits.
public final class FrozenPages: @unchecked Sendable {
  // All that changes is guarded by the lock of the store's pages (tidings_vfs_lock), which the writer
  // of a page holds too.

  /// Pages that were read at once.
  public struct Run: Sendable {
    /// The number of the first, from 1; the others follow it.
    public let first: Int
    /// All of them.
    public let bytes: [UInt8]
    /// The numbers of those whose checksum is another one.
    public let damaged: [Int]
  }

  /// Bytes of one page.
  public let pageBytes: Int
  /// How many pages there are.
  public let pageCount: Int

  private let lockPage: Int
  private let connection: SQLiteConnection
  private let file: UnsafeMutableRawPointer
  private let store: OpaquePointer
  private let aside: File
  /// How many pages were put aside before each that is there.
  private var positions: [UInt32: UInt32] = [:]
  private var asideCount: UInt32 = 0
  private var readCount = 0
  private var failure: FileError?
  private var isOpen = true

  /// Freezes the pages of a database whose log was moved, on the thread that moves it.
  init(_ connection: SQLiteConnection, path: String) throws(SQLError) {
    guard let file = connection.file, let store = tidings_vfs_store(file) else {
      throw SQLError(.storage, "the database file is not open")
    }
    (self.connection, self.file, self.store) = (connection, file, store)
    aside = try Self.makeFile(path + "-frozen")
    var header = [UInt8](repeating: 0, count: 100)
    let code = tidings_vfs_read(file, &header, CInt(header.count), 0)
    guard code == SQLITE_OK else { throw connection.error(code) }
    let size = Int(header[16]) << 8 | Int(header[17])
    pageBytes = size == 1 ? 65_536 : size
    pageCount = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    guard pageBytes >= 512, pageCount > 0 else {
      throw SQLError(.damaged, "the header of the database file has no size")
    }
    lockPage = PageChecksum.lockPage(of: pageBytes)
    try watch()
  }

  deinit { close() }

  /// The next pages, at most `count`; `nil` at the end.
  ///
  /// - Throws: `SQLError` when they cannot be read, or could not be put aside.
  public func next(_ count: Int) throws(SQLError) -> Run? {
    tidings_vfs_lock(store)
    defer { tidings_vfs_unlock(store) }
    if let failure { throw SQLError(failure) }
    let first = readCount + 1
    let last = min(readCount + max(count, 1), pageCount)
    guard isOpen, first <= last else { return nil }
    var bytes = try read(first...last)
    for page in first...last {
      guard let position = positions.removeValue(forKey: UInt32(page)) else { continue }
      let start = (page - first) * pageBytes
      bytes.replaceSubrange(start..<start + pageBytes, with: try takeAside(position))
    }
    readCount = last
    let damaged = (first...last).filter { page in
      let start = (page - first) * pageBytes
      return page != lockPage && !PageChecksum.isValid(bytes[start..<start + pageBytes])
    }
    return Run(first: first, bytes: bytes, damaged: damaged)
  }

  /// Ends it; nothing is put aside any longer.
  public func close() {
    tidings_vfs_lock(store)
    defer { tidings_vfs_unlock(store) }
    guard isOpen else { return }
    isOpen = false
    _ = tidings_vfs_watch(store, nil)
  }

  // MARK: Reading

  private func read(_ pages: ClosedRange<Int>) throws(SQLError) -> [UInt8] {
    let offset = Int64(pages.lowerBound - 1) * Int64(pageBytes)
    var bytes = [UInt8](repeating: 0, count: pages.count * pageBytes)
    let code = readThrough(&bytes, at: offset)
    // A page that SQLite has not written yet lies behind the end of the file, and is in no tree.
    guard
      code == SQLITE_OK || code == tidings_sqlite_ioerr_short_read
        || code == tidings_sqlite_ioerr_data
    else { throw connection.error(code) }
    return bytes
  }

  private func readThrough(_ bytes: inout [UInt8], at offset: Int64) -> CInt {
    bytes.withUnsafeMutableBytes { buffer in
      tidings_vfs_read(file, buffer.baseAddress, CInt(buffer.count), offset)
    }
  }

  private func takeAside(_ position: UInt32) throws(SQLError) -> [UInt8] {
    do {
      let page = try aside.read(at: UInt64(position) * UInt64(pageBytes), count: pageBytes)
      if page.count == pageBytes { return page }
    } catch {
      throw SQLError(error)
    }
    throw SQLError(.storage, "a page that was put aside is gone")
  }

  // MARK: Putting aside

  private static func makeFile(_ path: String) throws(SQLError) -> File {
    do {
      try Folder.remove(path)
      let file = try File(path: path, .createNew)
      // Whatever ends the process, the system removes it.
      try Folder.remove(path)
      return file
    } catch {
      throw SQLError(error)
    }
  }

  private func watch() throws(SQLError) {
    // It outlives the watch: `close` ends that before it goes.
    var watch = tidings_page_watch(
      before_write: { context, page in
        guard let context else { return SQLITE_OK }
        Unmanaged<FrozenPages>.fromOpaque(context).takeUnretainedValue().putAside(UInt32(page))
        return SQLITE_OK
      },
      context: Unmanaged.passUnretained(self).toOpaque()
    )
    tidings_vfs_lock(store)
    defer { tidings_vfs_unlock(store) }
    guard tidings_vfs_watch(store, &watch) != 0 else {
      isOpen = false
      throw SQLError(.busy, "the database is being copied already: try again later")
    }
  }

  /// A checkpoint goes on, whatever becomes of the copy.
  private func putAside(_ page: UInt32) {
    guard Int(page) > readCount, page <= pageCount, positions[page] == nil, failure == nil else {
      return
    }
    var bytes = [UInt8](repeating: 0, count: pageBytes)
    _ = readThrough(&bytes, at: Int64(page - 1) * Int64(pageBytes))
    do {
      try aside.write(bytes[...], at: UInt64(asideCount) * UInt64(pageBytes))
      positions[page] = asideCount
      asideCount += 1
    } catch {
      failure = error
    }
  }
}

extension Checkpointer {
  /// Moves the whole log into the database file and freezes its pages as of then: all that was
  /// acknowledged before the call is in them.
  ///
  /// Blocks; not for the thread that commits.
  ///
  /// - Throws: `SQLError`; `busy` when they are frozen already.
  public func freeze() throws(SQLError) -> FrozenPages {
    try withMovedLog { [path] _ throws(SQLError) in
      try FrozenPages(try SQLiteConnection(path: path, cacheBytes: 1 << 16), path: path)
    }
  }
}
