import TestSupport
import Testing
import TidingsKeys
import VectorSupport

import struct Foundation.Data
import class Foundation.FileManager

/// Keys and their files are what the vectors of all languages say.
@Suite struct VectorTests {
  @Test("Z85")
  func z85() throws {
    for vector in TestVectors.load("keys", kind: "z85") {
      let text = try #require(vector.text("text"))
      #expect(Z85.decode(text) == vector.bytes("bytes"), "\(vector)")
      if let bytes = vector.bytes("bytes") { #expect(Z85.encode(bytes) == text, "\(vector)") }
    }
  }

  @Test("key files")
  func files() throws {
    let folder = try TemporaryFolder()
    for vector in TestVectors.load("keys", kind: "key_file") {
      let path = folder.file(vector.name)
      let text = try #require(vector.text("text"))
      _ = FileManager.default.createFile(
        atPath: path,
        contents: Data(text.utf8),
        attributes: [.posixPermissions: 0o600]
      )
      guard let publicKey = vector.text("public_key") else {
        #expect(throws: KeyFileError.self, "\(vector)") { try KeyFile(path: path) }
        continue
      }
      let file = try KeyFile(path: path)
      #expect("\(file.publicKey)" == publicKey, "\(vector)")
      if let secretKey = vector.text("secret_key") {
        #expect(try Z85.encode(KeyFile.pair(path: path).secretKey) == secretKey, "\(vector)")
      }
    }
  }
}
