import Foundation
import TestSupport
import Testing
import TidingsKeys

@Suite("KeyFile") struct KeyFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    ).intValue
  }

  private func writeText(_ text: String, mode: Int = 0o600) throws -> String {
    let path = folder.file("text.key")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func refusal(_ text: String, mode: Int = 0o600) throws -> String {
    let path = try writeText(text, mode: mode)
    let error = #expect(throws: KeyFileError.self) { try KeyFile(path: path) }
    let description = error?.description ?? ""
    #expect(description.contains(path))
    return description
  }

  @Test("a pair comes back from its file, which is its owner's alone")
  func pair() throws {
    let (pair, path) = (KeyPair(), folder.file("a.key"))
    try KeyFile.pair(pair).write(to: path, title: "alice's laptop")
    #expect(try mode(path) == 0o600)
    let read = try KeyFile.pair(path: path)
    #expect(read.publicKey == pair.publicKey && read.secretKey == pair.secretKey)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("alice's laptop"))
  }

  @Test("a title of several lines stays a comment")
  func title() throws {
    let path = folder.file("a.key")
    try KeyFile.pair(KeyPair()).write(to: path, title: "one\ntwo\r\nthree")
    #expect(throws: Never.self) { try KeyFile(path: path) }
  }

  @Test("the public part alone has no secret, and anybody may read it")
  func publicPart() throws {
    let (key, path) = (KeyPair().publicKey, folder.file("a.pub"))
    try KeyFile.publicKey(key).write(to: path, title: "alice")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(try KeyFile(path: path).publicKey == key)
    #expect(throws: KeyFileError.self) { try KeyFile.pair(path: path) }
  }

  @Test("nothing is overwritten")
  func neverOverwrites() throws {
    let path = folder.file("a.key")
    try KeyFile.pair(KeyPair()).write(to: path, title: "first")
    let before = try String(contentsOfFile: path, encoding: .utf8)
    let error = #expect(throws: KeyFileError.self) {
      try KeyFile.pair(KeyPair()).write(to: path, title: "second")
    }
    #expect(error?.description.contains("not overwritten") == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
  }

  @Test("a secret that others can read is refused", arguments: [0o640, 0o604, 0o620, 0o644])
  func openToOthers(mode: Int) throws {
    let path = folder.file("a.key")
    try KeyFile.pair(KeyPair()).write(to: path, title: "alice")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let error = #expect(throws: KeyFileError.self) { try KeyFile(path: path) }
    #expect(error?.description.contains("chmod 600") == true)
  }

  @Test("what is no key file is refused, and no secret is shown")
  func malformed() throws {
    let pair = KeyPair()
    let path = folder.file("a.key")
    try KeyFile.pair(pair).write(to: path, title: "alice")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let secret = text.split(separator: "\n").last?.split(separator: " ").last.map(String.init) ?? ""
    #expect(secret.count == 40)
    #expect(try refusal("").contains("no line"))
    #expect(try refusal("# nothing\n").contains("no line"))
    #expect(try refusal("public-key short\n").contains("line 1"))
    #expect(try refusal("public-key \(pair.publicKey) more\n").contains("line 1"))
    #expect(!(try refusal("secret-key \(secret)x\n")).contains(secret))
    #expect(!(try refusal("secret \(secret)\n")).contains(secret))
    #expect(try refusal(text + "secret-key \(secret)\n").contains("line 5"))
    #expect(
      try refusal("public-key \(KeyPair().publicKey)\nsecret-key \(secret)\n")
        .contains("belong together")
    )
    #expect(try refusal(String(repeating: "#", count: 5000)).contains("not a key file"))
  }

  @Test("what is not there, and a folder, are refused")
  func notAFile() throws {
    #expect(throws: KeyFileError.self) { try KeyFile(path: folder.file("none")) }
    #expect(throws: KeyFileError.self) { try KeyFile(path: folder.path) }
  }

  @Test("a key survives its text", arguments: 0..<20)
  func text(_: Int) {
    let key = KeyPair().publicKey
    #expect(key.description.count == 40)
    #expect(PublicKey(z85: key.description) == key)
  }
}
