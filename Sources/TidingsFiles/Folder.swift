internal import Glibc

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

  /// Waits until the name of a file or folder is on the disk.
  ///
  /// - Throws: `FileError`; not where the folder above may not be read, whose owner made the name.
  package static func synchronize(parentOf path: String) throws(FileError) {
    let slash = path.lastIndex(of: "/")
    let above = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    // A folder may be named by a link, or with a slash at its end.
    let parent = isThere(path) ? path + "/.." : above
    do {
      try synchronize(parent)
    } catch  where error.code == EACCES {
    }
  }

  /// Gives a file another name, in the place of what had it.
  package static func rename(_ path: String, to other: String) throws(FileError) {
    guard systemRename(path, other) == 0 else { throw FileError("rename", path) }
  }

  /// Gives a file a name that nothing has.
  ///
  /// - Throws: `FileError`, `isThere` when something has it.
  package static func renameNew(_ path: String, to other: String) throws(FileError) {
    if link(path, other) == 0 { return try remove(path) }
    // Some file systems have no second names.
    guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else {
      throw FileError("create", other)
    }
    guard try status(other) == nil else { throw FileError("create", other, code: EEXIST) }
    try rename(path, to: other)
  }

  /// Removes a file; one that is not there is no error.
  package static func remove(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
  }

  /// Removes a folder if it is there and empty.
  ///
  /// - Throws: `FileError` when it is empty and stays.
  package static func removeEmpty(_ path: String) throws(FileError) {
    if rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST { return }
    let error = FileError("remove", path)
    // Some systems refuse before they look whether anything is in it.
    guard try names(path).isEmpty else { return }
    throw error
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

  /// Whether the path leads to a file with content, even if it is empty, rather than to a folder, a pipe
  /// or a device.
  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Keeps others than its owner out of a file or folder.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - followsLink: Also if the path is a link: what a link leads to may be anybody's.
  /// - Returns: The rights that it had; `nil`: others had none, or it is a link.
  /// - Throws: `FileError` when the rights cannot be read or changed.
  package static func closeToOthers(
    _ path: String,
    followsLink: Bool = false
  ) throws(FileError) -> UInt32? {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let descriptor = open(path, flags)
    guard descriptor >= 0 else {
      if errno == ELOOP { return nil }
      throw FileError("open", path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError("look at", path) }
    guard status.st_mode & 0o077 != 0 else { return nil }
    guard fchmod(descriptor, status.st_mode & 0o700) == 0 else {
      throw FileError("change the rights of", path)
    }
    return UInt32(status.st_mode & 0o7777)
  }

  /// The rights of what a path leads to.
  package static func mode(_ path: String) throws(FileError) -> UInt32 {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileError("look at", path) }
    return UInt32(status.st_mode & 0o7777)
  }

  /// Whether the path is a link, to whatever.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
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

  /// Seconds since 1970 when a file's content, name or rights changed last; `nil` when it is not there.
  package static func lastTouched(_ path: String) throws(FileError) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw FileError("look at", path)
    }
    return Int64(max(status.st_ctim.tv_sec, status.st_mtim.tv_sec))
  }
}

private let systemRename = Glibc.rename
