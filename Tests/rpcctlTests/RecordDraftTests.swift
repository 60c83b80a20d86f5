import Foundation
import Testing
import TidingsJSON

@testable import rpcctl

@Suite struct RecordDraftTests {
  @Test("a text is kept only if it was edited, with advice on how to save it")
  func keeps() throws {
    let messages = Recorder()
    let output = Output(format: .jsonl, writeData: { _ in }, writeMessage: { messages.append($0) })
    let record: JSONValue = .object(["recordName": .string("h1"), "fields": .object([:])])
    let same = try RecordDraft(record)
    same.keep(output)
    #expect(!FileManager.default.fileExists(atPath: same.path) && messages.text.isEmpty)

    let edited = try RecordDraft(record)
    defer { edited.discard() }
    try Data("{".utf8).write(to: URL(fileURLWithPath: edited.path))
    edited.keep(output)
    #expect(FileManager.default.fileExists(atPath: edited.path))
    #expect(messages.text.contains("records put \(edited.path) --save-policy changed-keys"))
  }
}
