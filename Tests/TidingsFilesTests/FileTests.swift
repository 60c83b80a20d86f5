internal import TestSupport
internal import Testing

@testable internal import TidingsFiles

@Suite struct FileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a")
  }

  @Test("bytes are where they were written; reads end with the file")
  func readsAndWrites() throws {
    let file = try File(path: path, .create)
    try file.write([1, 2, 3, 4], at: 2)
    #expect(try file.size == 6)
    #expect(try file.read(at: 1, count: 3) == [0, 1, 2])
    #expect(try file.read(at: 4, count: 100) == [3, 4])
    #expect(try file.read(at: 100, count: 1) == [])
    try file.truncate(to: 3)
    #expect(try folder.read("a") == [0, 0, 1])
  }

  @Test("a hash covers its range")
  func hashes() throws {
    let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0) }
    try folder.write(bytes, to: "a")
    let file = try File(path: path, .read)
    var (hash, last) = (SHA256(), UInt64(0))
    try file.hash(into: &hash, 10..<500_000) { last = $0 }
    #expect(hash.checksum() == SHA256.checksum(of: Array(bytes[10..<500_000])))
    #expect(last == 500_000)
  }

  @Test("a lock is one file's; it ends with the file")
  func locks() throws {
    var file: File? = try File(path: path, .create)
    let other = try File(path: path, .write)
    #expect(file?.lock() == true && !other.lock())
    file = nil
    #expect(other.lock())
  }

  @Test("what the system refuses says what, where and why")
  func failures() throws {
    #expect(throws: FileError("open", path, code: 2)) { try File(path: path, .read) }
    #expect(throws: FileError("open", path, code: 2)) { try File(path: path, .write) }
    #expect(FileError("open", "x", code: 2).isMissing)
    #expect("\(FileError("open", "x", code: 2))" == "cannot open 'x': No such file or directory")
    #expect(FileError("write", "x", code: 28).isFull)
  }

  @Test("names in folders")
  func folders() throws {
    #expect(try Folder.make(path) && !Folder.make(path))
    #expect(try Folder.names(path) == [] && Folder.names(path + "/none") == [])
    try folder.write([1, 2], to: "a/b")
    #expect(try Folder.status(path + "/b")?.size == 2)
    #expect(try Folder.status(path + "/c") == nil)
    try Folder.rename(path + "/b", to: path + "/c")
    try Folder.synchronize(path)
    #expect(try Folder.names(path) == ["c"])
    try Folder.remove(path + "/c")
    try Folder.remove(path + "/c")
    #expect(try Folder.names(path) == [])
  }
}
