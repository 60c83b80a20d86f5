internal import Glibc

/// A folder's lock, for one process at a time; free again when it is no longer held.
///
/// It is on the folder itself, by whatever path it is reached, so removing a file in it does not open
/// it. A file `lock` in the folder is locked too, for file systems that lock no folders (NFS).
package final class FolderLock: Sendable {
  private let folder: CInt
  private let file: CInt

  /// Locks a folder.
  ///
  /// - Throws: `FileError`, `isLocked` when another process has it.
  package init(_ path: String) throws(FileError) {
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw FileError("open", path) }
    guard flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(folder)
      throw FileError("lock", path, code: EWOULDBLOCK)
    }
    let name = path + "/lock"
    let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let error = FileError("create", name)
      close(folder)
      throw error
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = FileError("lock", name)
      close(descriptor)
      close(folder)
      throw error
    }
    file = descriptor
  }

  deinit {
    // A process that is just being started has copies of the descriptors, and the locks with them.
    for descriptor in [file, folder] {
      _ = flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }
}
