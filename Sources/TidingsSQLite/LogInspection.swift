/// What a write-ahead log holds, read without SQLite.
///
/// SQLite ends a log at the first frame that is damaged, and ignores one whose header is: without a
/// word, as it cannot know that there was more. Nothing is changed by looking.
public struct LogInspection: Hashable, Sendable {
  /// `nil`: it is damaged, and SQLite would ignore the log.
  public private(set) var header: LogHeader?
  /// Frames up to the end of the last whole commit.
  public private(set) var committedFrames: UInt32 = 0
  /// Frames that are whole, with those of a commit that did not end.
  public private(set) var validFrames: UInt32 = 0
  /// The log holds the database's first page.
  public private(set) var hasFirstPage = false
  /// Bytes of the file.
  public private(set) var fileBytes: UInt64

  private static let frameHeaderBytes = 24

  /// Which log it is, and where its last whole commit ends; `nil` when the header is damaged.
  public var position: LogPosition? {
    header.map { LogPosition(log: $0.log, frames: committedFrames) }
  }

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - fileBytes: The length of the file.
  ///   - read: Reads bytes at a place: fewer only at the end of the file.
  /// - Throws: What `read` throws.
  public init<Failure: Error>(
    fileBytes: UInt64,
    read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    self.fileBytes = fileBytes
    guard let header = LogHeader(try read(0, LogHeader.byteCount)) else { return }
    self.header = header
    let frameBytes = Self.frameHeaderBytes + header.pageBytes
    // About a megabyte at once.
    let framesPerPiece = max((1 << 20) / frameBytes, 1)
    var (checksum, offset) = (header.checksum, UInt64(LogHeader.byteCount))
    var firstPageIsPending = false
    while true {
      let piece = try read(offset, framesPerPiece * frameBytes)
      var start = 0
      while start + frameBytes <= piece.count {
        let frame = piece.withUnsafeBytes {
          Frame(UnsafeRawBufferPointer(rebasing: $0[start..<start + frameBytes]), header, &checksum)
        }
        guard let frame else { return }
        validFrames += 1
        if frame.page == 1 { firstPageIsPending = true }
        if frame.endsCommit {
          committedFrames = validFrames
          hasFirstPage = hasFirstPage || firstPageIsPending
        }
        start += frameBytes
      }
      guard start > 0 else { return }
      offset += UInt64(start)
    }
  }

  private struct Frame {
    let page: UInt32
    let endsCommit: Bool

    /// `nil`: it is of an earlier log, damaged, or cut.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: LogHeader, _ checksum: inout LogChecksum) {
      page = bytes.bigEndianWord(0)
      endsCommit = bytes.bigEndianWord(4) != 0
      guard page != 0, bytes.bigEndianWord(8) == header.log.salt1,
        bytes.bigEndianWord(12) == header.log.salt2
      else { return nil }
      checksum.add(UnsafeRawBufferPointer(rebasing: bytes[..<8]), header.readsBigEndian)
      let content = UnsafeRawBufferPointer(rebasing: bytes[LogInspection.frameHeaderBytes...])
      checksum.add(content, header.readsBigEndian)
      let stored = LogChecksum(first: bytes.bigEndianWord(16), second: bytes.bigEndianWord(20))
      guard checksum == stored else { return nil }
    }
  }
}
