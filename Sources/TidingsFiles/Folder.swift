#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What is done with names in folders.
package enum Folder {
  /// Creates a folder for its owner alone.
  ///
  /// - Returns: `false` when it was there.
  @discardableResult
  package static func make(_ path: String) throws(FileError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw FileError("create", path) }
    return false
  }

  /// Waits until names that were added or removed in a folder are on the disk.
  package static func synchronize(_ path: String) throws(FileError) {
    try File(path: path, .read).synchronize()
  }

  /// Gives a file another name, in the place of what had it.
  package static func rename(_ path: String, to other: String) throws(FileError) {
    guard systemRename(path, other) == 0 else { throw FileError("rename", path) }
  }

  /// Removes a file; one that is not there is no error.
  package static func remove(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
  }

  /// The names in a folder, in any order; none when it is not there.
  package static func names(_ path: String) throws(FileError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileError("list", path)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Whether the path leads to a folder.
  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Bytes of a file, and seconds since 1970 at its last change; `nil` when it is not there.
  package static func status(_ path: String) throws(FileError) -> (size: UInt64, changed: Int64)? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw FileError("look at", path)
    }
    return (UInt64(clamping: status.st_size), Int64(status.st_mtim.tv_sec))
  }
}

#if canImport(Glibc)
private let systemRename = Glibc.rename
#else
private let systemRename = Musl.rename
#endif
