internal import TidingsFiles

/// Reads a backup as its bytes come: holds one section at most, verifies each before it is returned,
/// and that they come in their order and number.
package struct BackupDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var next = 0
  private var checksum: [UInt8]?
  private var order = BackupOrder()
  /// Bytes of the file that were verified.
  package private(set) var offset: UInt64 = 0

  /// Nothing has come yet.
  package init() {}

  /// What the backup says of itself; `nil` until it has come.
  package var manifest: BackupManifest? { order.manifest }
  /// What has come so far.
  package var totals: BackupTotals { order.totals }

  /// Takes the next bytes of the file.
  package mutating func append(_ bytes: [UInt8]) {
    if next > 0 {
      buffer.removeFirst(next)
      next = 0
    }
    buffer += bytes
  }

  /// The next section; `nil` when more bytes are needed.
  ///
  /// - Throws: `BackupError` when the bytes are not those of a backup.
  package mutating func nextSection() throws(BackupError) -> BackupSection? {
    if checksum == nil, try !readHead() { return nil }
    guard !order.hasEnded else {
      guard next == buffer.count else { throw .damaged("more than a backup", at: offset) }
      return nil
    }
    let headEnd = next + BackupFormat.sectionHeadBytes
    guard buffer.count >= headEnd else { return nil }
    let count = Int(UInt32(bigEndian: buffer[next + 1..<headEnd]))
    guard let kind = BackupFormat.Kind(rawValue: buffer[next]),
      count <= BackupFormat.contentBytesMax
    else { throw .damaged("not a section", at: offset) }
    let end = headEnd + count
    guard buffer.count >= end + SHA256.checksumBytes else { return nil }
    try verify(upTo: end)
    let content = Array(buffer[headEnd..<end])
    guard let section = BackupSection(kind, content) else {
      throw .damaged("a section has another length", at: offset)
    }
    try order.take(section, at: offset)
    offset += UInt64(end + SHA256.checksumBytes - next)
    next = end + SHA256.checksumBytes
    return section
  }

  /// No more bytes come.
  ///
  /// - Throws: `BackupError` when the backup is not whole.
  package func finish() throws(BackupError) {
    guard checksum != nil else {
      throw BackupError("the file is too short for a backup: use another one")
    }
    guard order.hasEnded else { throw .cut(at: offset + UInt64(buffer.count - next)) }
  }

  private mutating func readHead() throws(BackupError) -> Bool {
    guard buffer.count >= BackupFormat.headBytes else { return false }
    let head = Array(buffer[..<BackupFormat.headBytes])
    guard head.starts(with: BackupFormat.magic) else {
      throw BackupError("the file is not a backup of Tidings: `rpcctl backup FILE` makes one")
    }
    guard head[BackupFormat.magic.count] == BackupFormat.version else {
      throw BackupError(
        "the backup has version \(head[BackupFormat.magic.count]) of the format and this program reads "
          + "\(BackupFormat.version): use the program that made it"
      )
    }
    checksum = SHA256.checksum(of: head)
    next = BackupFormat.headBytes
    offset = UInt64(next)
    return true
  }

  private mutating func verify(upTo end: Int) throws(BackupError) {
    var hash = SHA256()
    hash.update((checksum ?? [])[...])
    hash.update(buffer[next..<end])
    let found = hash.checksum()
    guard buffer[end..<end + SHA256.checksumBytes].elementsEqual(found) else {
      throw .damaged("the checksum is wrong", at: offset)
    }
    checksum = found
  }
}

extension BackupSection {
  /// A section from its content; `nil` when that has another length.
  fileprivate init?(_ kind: BackupFormat.Kind, _ content: [UInt8]) {
    switch kind {
    case .manifest:
      guard content.count <= BackupFormat.manifestBytesMax,
        let manifest = BackupManifest(content)
      else { return nil }
      self = .manifest(manifest)
    case .pages:
      guard content.count > 8 else { return nil }
      self = .pages(first: UInt64(bigEndian: content[..<8]), bytes: Array(content[8...]))
    case .asset:
      guard content.count == SHA256.checksumBytes + 8 else { return nil }
      self = .asset(
        checksum: Array(content[..<SHA256.checksumBytes]),
        size: UInt64(bigEndian: content[SHA256.checksumBytes...])
      )
    case .piece:
      guard !content.isEmpty else { return nil }
      self = .piece(content)
    case .damagedAsset:
      guard content.isEmpty else { return nil }
      self = .damagedAsset
    case .end:
      guard content.count == 32 else { return nil }
      var totals = BackupTotals()
      totals.pages = UInt64(bigEndian: content[..<8])
      totals.assets = UInt64(bigEndian: content[8..<16])
      totals.assetBytes = UInt64(bigEndian: content[16..<24])
      totals.damagedAssets = UInt64(bigEndian: content[24...])
      self = .end(totals)
    }
  }
}
