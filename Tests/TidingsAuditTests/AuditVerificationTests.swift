import Foundation
import TestSupport
import Testing
import TidingsAudit

@Suite struct AuditVerificationTests {
  /// A folder with three files of three lines each.
  private func folder() throws -> (TemporaryFolder, ChainHead) {
    let folder = try TemporaryFolder()
    var head = ChainHead.none
    for number in [2, 1, 0] {
      var bytes: [UInt8] = []
      for index in 0..<3 {
        let link = ChainLink(after: head)
        let line = link.text + Array("\"detail\":\"\(number) \(index)\"}\n".utf8)
        head = ChainHead(number: link.number, line: line[...])
        bytes += line
      }
      try folder.write(bytes, to: AuditKind.administration.fileName(number))
    }
    return (folder, head)
  }

  private func check(_ folder: TemporaryFolder) throws -> ChainCheck {
    try AuditVerification(.administration, folder: folder.path).check()
  }

  @Test("the chain goes through all files; one that is gone is missed")
  func files() throws {
    let (folder, head) = try folder()
    var found = try check(folder)
    #expect(found.problems == [] && found.lineCount == 9 && found.head == head)
    let middle = try folder.read("audit.1.log")
    try FileManager.default.removeItem(atPath: folder.file("audit.1.log"))
    #expect(try check(folder).problems == ["audit.log, line 1: lines 4 to 6 are missing before it"])
    try folder.write(middle.dropLast(3), to: "audit.1.log")
    found = try check(folder)
    #expect(found.problems.first == "audit.1.log, line 3: it was cut off", "\(found)")
    try folder.write(middle, to: "audit.1.log")
    try folder.write(try folder.read("audit.log").dropLast(3), to: "audit.log")
    found = try check(folder)
    #expect(found.problems == [] && found.remarks.count == 1 && found.head.number == 8)
    #expect(try AuditVerification(.refusals, folder: folder.path).check().lineCount == 0)
  }

  @Test("what is no file is refused at once, and a line without end is not read without end")
  func noFile() throws {
    let (folder, _) = try folder()
    #expect(mkfifo(folder.file("refusals.log"), 0o600) == 0)
    #expect(throws: (any Error).self) {
      _ = try AuditVerification(.refusals, folder: folder.path)
    }
    try folder.write([UInt8](repeating: 0, count: 3 << 20), to: "schemas.log")
    #expect(try AuditVerification(.schemas, folder: folder.path).check().problemCount == 1)
  }
}
