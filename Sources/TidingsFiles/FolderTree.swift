internal import Glibc

/// What is done with a folder and all that is in it.
package enum FolderTree {
  /// Removes a folder with its content, or a file; what is not there is no error.
  ///
  /// Links are not followed.
  package static func remove(_ path: String) throws(FileError) {
    guard isFolder(path) else { return try Folder.remove(path) }
    for name in try Folder.names(path) { try remove(path + "/" + name) }
    guard rmdir(path) == 0 || errno == ENOENT else { throw FileError("remove", path) }
  }

  /// Waits until the names in a folder, and in the folders in it, are on the disk.
  package static func synchronizeFolders(_ path: String) throws(FileError) {
    for name in try Folder.names(path) where isFolder(path + "/" + name) {
      try synchronizeFolders(path + "/" + name)
    }
    try Folder.synchronize(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
