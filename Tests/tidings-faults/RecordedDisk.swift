internal import CFaultDisk
internal import DiskModel
internal import Glibc

/// The disk beneath this process: what happens to the files of a folder is recorded, and calls fail on request.
///
/// There is one, because there is one C library.
final class RecordedDisk {
  /// A call that fails.
  struct Fault: CustomStringConvertible {
    /// The call: `sync`, `write`, `open` and others of `fault_disk.h`.
    var call: String
    /// How many succeed first.
    var after: Int
    /// How many fail then; 0: all.
    var count: Int
    /// The errno.
    var code: Int32
    /// What the paths contain.
    var text: String

    var description: String {
      "\(count == 0 ? "every" : "\(count)") \(call) of '\(text)' after \(after): "
        + String(cString: strerror(code))
    }
  }

  private let journalPath: String
  private var journal: DiskJournal
  private var readBytes = 0

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - root: The folder.
  ///   - path: Where the journal goes, outside of the folder.
  init(recording root: String, journal path: String) {
    journalPath = path
    journal = DiskJournal(root: root)
    unlink(path)
    fault_disk_record(path, root)
  }

  /// Records nothing any more, and lets calls succeed.
  func end() {
    fault_disk_clear()
    fault_disk_record(nil, nil)
    _ = entries
    unlink(journalPath)
  }

  /// Adds a mark to what is recorded.
  func mark(_ number: Int) { fault_disk_mark(Int64(number)) }

  /// What happened so far.
  var entries: [DiskJournal.Entry] {
    guard let file = fopen(journalPath, "rb") else { return journal.entries }
    defer { fclose(file) }
    fseek(file, readBytes, SEEK_SET)
    var (bytes, buffer) = ([] as [UInt8], [UInt8](repeating: 0, count: 1 << 18))
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    readBytes += journal.append(bytes)
    return journal.entries
  }

  /// Lets calls fail.
  func fail(_ fault: Fault) {
    _ = fault_disk_fail(fault.call, fault.after, fault.count, Int(fault.code), fault.text)
  }

  /// Lets one bit of what is read of a file be wrong, once.
  static func flipOneBit(of text: String, after count: Int) {
    _ = fault_disk_fail("flip", count, 1, 1, text)
  }

  /// Lets what is read be right again.
  ///
  /// - Returns: How many bits were wrong.
  static func stopFlipping() -> Int {
    defer { fault_disk_clear() }
    return fault_disk_hits()
  }

  /// How many calls failed since the last `heal`.
  var hits: Int { fault_disk_hits() }

  /// Lets calls succeed again.
  func heal() { fault_disk_clear() }
}
