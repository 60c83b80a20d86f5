internal import FoundationEssentials
internal import Glibc

/// A folder that is removed with all that is in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws(ConformanceError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/tidings-conformance-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ConformanceError("no folder can be made in '\(parent)': set TMPDIR to another")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Leftovers.add(folder: path)
  }

  deinit { if Leftovers.claim(folder: path) { Self.remove(path) } }

  /// Removes a folder.
  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }
}
