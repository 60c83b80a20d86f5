internal import TidingsAudit
internal import TidingsFiles

extension DataFolder {
  /// Keeps other users of the machine out of the folder and its files.
  ///
  /// Rights that are too wide are a mistake that can be repaired, so the server repairs it and says so
  /// rather than stay down. A folder that others' files are in is not closed: it may be `/tmp`. There a
  /// server with a key does not start where others may write, as they could give it another key.
  ///
  /// Before the database is opened: SQLite's locks end when any descriptor of its files is closed.
  ///
  /// - Parameter hasKey: Callers prove who they are.
  /// - Returns: What was wrong, for the log; `nil`: nothing.
  /// - Throws: `StartError`.
  func keepOthersOut(hasKey: Bool) throws(StartError) -> String? {
    do throws(FileError) {
      let names = try Folder.names(path)
      let files = try closeFiles(names)
      let mode = try Folder.mode(path)
      guard mode & 0o077 != 0 else { return nil }
      let isOpen = "the data folder is open to other users (mode \(String(mode, radix: 8)))"
      if names.allSatisfy(Self.isOwn) {
        _ = try Folder.closeToOthers(path, followsLink: true)
        let had = files.isEmpty ? "" : "; they may have \(files.joined(separator: ", "))"
        return "\(isOpen): it has mode 700 from now on\(had)"
      }
      if mode & 0o022 == 0 || !hasKey {
        return "\(isOpen) and has files that are not rpcd's: give rpcd a folder of its own"
      }
    } catch {
      guard hasKey else { return "other users may use the data folder: \(error)" }
      throw StartError(
        "other users may use the data folder '\(path)', and rpcd cannot change that (\(error)): let its "
          + "owner run chmod 700 '\(path)'"
      )
    }
    throw StartError(
      "other users may write in the data folder '\(path)', which has files that are not rpcd's: choose a "
        + "folder of its own with --data, or run chmod 700 '\(path)'"
    )
  }

  /// Returns the files that others could open, sorted.
  private func closeFiles(_ names: [String]) throws(FileError) -> [String] {
    var closed: [String] = []
    for name in names.sorted() where Self.isSecret(name) {
      if try Folder.closeToOthers(path + "/" + name) != nil { closed.append(name) }
    }
    return closed
  }

  /// The name of a file that rpcd makes for itself alone.
  ///
  /// Keys are looked at when they are read.
  private static func isSecret(_ name: String) -> Bool {
    name.hasPrefix("tidings.sqlite") || name == StoreStateFile.name || AuditKind.isFileName(name)
  }

  /// The name of something that belongs in a data folder.
  private static func isOwn(_ name: String) -> Bool {
    isSecret(name)
      || ["lock", "assets", "server.pub", "restoring", "placing", "copying", "lost+found"].contains(
        name
      )
      || name.hasSuffix(".key") || name.hasSuffix(".part")
  }
}
