internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel

/// One asset on its way into a database, from one user: others cannot disturb it.
struct AssetUpload: Hashable, Sendable {
  let database: DatabaseID
  let user: String
  let asset: Asset

  /// The name of the file or row that holds what has come so far: the checksum, by which its thread is
  /// found, and hashes of the user, whose parts are counted, and of all the rest.
  var partName: String {
    let parts = [
      database.container, "\(database.environment.rawValue)", "\(database.scope.rawValue)",
      database.owner, "\(asset.size)",
    ]
    // No name contains a line feed.
    let rest = Self.hash(parts.joined(separator: "\n"))
    return "\(asset.checksum.hexadecimal)-\(userHash)-\(rest).part"
  }

  /// Stands for the user, whose unfinished uploads are counted.
  var userHash: String { Self.hash(user) }

  /// What came is not the asset.
  func mismatch(size: UInt64, checksum: [UInt8]) -> ItemError {
    ItemError(
      .invalidArguments,
      "the \(size) bytes that came have the checksum \(checksum.hexadecimal), the asset says "
        + "\(asset.checksum.hexadecimal): upload it again from its beginning"
    )
  }

  private static func hash(_ text: String) -> String {
    Array(SHA256.checksum(of: Array(text.utf8)).prefix(16)).hexadecimal
  }

  /// What a part's name says of its user; `nil` for one of an earlier version.
  static func userHash(ofPart name: String) -> Substring? {
    let words = name.split(separator: "-")
    return words.count == 3 ? words[1] : nil
  }
}

/// Where the files of assets are: `ab/cdef…` by checksum, one for all databases, and in `incoming`
/// what is not complete.
struct AssetFolder: Sendable {
  let path: String

  /// Creates the folder if needed.
  ///
  /// - Throws: `StartError`.
  init(path: String) throws(StartError) {
    self.path = path
    do throws(FileError) {
      try Folder.make(path)
      try Folder.make(path + "/incoming")
      // Also if they were there: an earlier start may have been cut short before they were on the disk.
      try Folder.synchronize(path)
      try Folder.synchronize(parentOf: path)
    } catch {
      throw StartError("cannot use the folder of the assets", error)
    }
  }

  /// The folders that complete files are spread over, named for their checksums' first byte.
  static let groups: ClosedRange<UInt8> = 0...255

  func groupPath(_ group: UInt8) -> String { "\(path)/\([group].hexadecimal)" }

  func filePath(_ checksum: [UInt8]) -> String {
    precondition(checksum.count == SHA256.checksumBytes, "not a checksum")
    return groupPath(checksum[0]) + "/" + Array(checksum.dropFirst()).hexadecimal
  }

  func partPath(_ name: String) -> String { "\(path)/incoming/\(name)" }

  /// The checksums of the complete files of a group; what has another name is not ours.
  func checksums(in group: UInt8) throws(FileError) -> [[UInt8]] {
    try Folder.names(groupPath(group)).compactMap { name in
      guard let rest = [UInt8](hexadecimal: name), rest.count == SHA256.checksumBytes - 1 else {
        return nil
      }
      return [group] + rest
    }
  }

  /// The names of the incomplete files whose checksums begin with a byte for which `isOurs` holds.
  func partNames(where isOurs: (UInt8) -> Bool) throws(FileError) -> [String] {
    try Folder.names(path + "/incoming").filter { name in
      guard name.hasSuffix(".part"), let first = [UInt8](hexadecimal: name.prefix(2)) else {
        return false
      }
      return first.first.map(isOurs) ?? false
    }
  }

  /// Gives a complete file its place, durably.
  ///
  /// What a failed sync leaves is undone: the system forgets what it could not write, so that a second
  /// sync of the same says nothing.
  func position(_ partName: String, as checksum: [UInt8]) throws(FileError) {
    let (group, file) = (groupPath(checksum[0]), filePath(checksum))
    // One that is empty may be what a failed sync left: made again, it is synced again.
    try Folder.removeEmpty(group)
    if try Folder.make(group) {
      do throws(FileError) {
        try Folder.synchronize(path)
      } catch {
        try? Folder.removeEmpty(group)
        throw error
      }
    }
    let isAgain = try Folder.status(file)?.size == Folder.status(partPath(partName))?.size
    try Folder.rename(partPath(partName), to: file)
    do throws(FileError) {
      try Folder.synchronize(group)
    } catch {
      // A whole file that was there may be another database's, and either of the two is the asset.
      if !isAgain { try? Folder.remove(file) }
      throw error
    }
  }

  /// Waits until the names of a group's files are on the disk, which an earlier run may have left
  /// undone.
  func synchronize(group: UInt8) throws(FileError) {
    do throws(FileError) {
      try Folder.synchronize(groupPath(group))
    } catch  where error.isMissing {
      // Nothing is in it.
    }
  }
}
