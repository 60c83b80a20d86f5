internal import TestSupport
internal import Testing
internal import TidingsFiles
internal import TidingsSQL

@testable internal import TidingsService

@Suite struct DataFolderTests {
  @Test("a folder is one owner's at a time, and free again when the owner goes")
  func lock() throws {
    let path = try TemporaryFolder().file("data")
    do {
      let folder = try DataFolder(path: path)
      #expect(throws: StartError.self) { _ = try DataFolder(path: path) }
      try Folder.remove(path + "/lock")
      #expect(throws: StartError.self) { _ = try DataFolder(path: path) }
      _ = try folder.openDatabase(isThorough: true)
    }
    let again = try DataFolder(path: path)
    _ = try again.openDatabase(isThorough: false)
  }

  @Test("a folder that cannot be made, or is none, is refused with what to do")
  func unusable() throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "file")
    for path in [folder.file("no/folder"), folder.file("file")] {
      do {
        _ = try DataFolder(path: path)
        Issue.record("\(path) was taken")
      } catch {
        #expect(error.description.contains(path))
      }
    }
  }
}
