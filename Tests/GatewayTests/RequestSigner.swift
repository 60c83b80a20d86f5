internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// A server's key, with which openssl signs requests.
struct RequestSigner {
  /// DER, as a server registers it.
  let publicKey: [UInt8]
  private let folder: TemporaryFolder

  init(in folder: TemporaryFolder) throws {
    self.folder = folder
    let (key, der) = (folder.file("signer.pem"), folder.file("signer.der"))
    try Self.openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
    try Self.openssl(["ec", "-in", key, "-pubout", "-outform", "DER", "-out", der])
    publicKey = try Self.bytes(der)
  }

  /// The headers of a request of the server's key with an ID.
  func headers(
    _ keyID: String,
    path: String,
    body: String = "",
    date: Date = Date()
  ) throws -> [String] {
    let date = ISO8601DateFormatter().string(from: date)
    let hash = try result(of: body) { ["dgst", "-sha256", "-binary", "-out", $1, $0] }
    let signature = try result(of: "\(date):\(Base64.encode(hash)):\(path)") {
      ["dgst", "-sha256", "-sign", folder.file("signer.pem"), "-out", $1, $0]
    }
    return [
      "X-Apple-CloudKit-Request-KeyID: \(keyID)",
      "X-Apple-CloudKit-Request-ISO8601Date: \(date)",
      "X-Apple-CloudKit-Request-SignatureV1: \(Base64.encode(signature))",
    ]
  }

  /// What openssl makes of a text, with the arguments for the files of both.
  private func result(
    of text: String,
    _ arguments: (_ input: String, _ output: String) -> [String]
  ) throws -> [UInt8] {
    let (input, output) = (folder.file("signer.input"), folder.file("signer.output"))
    try Data(text.utf8).write(to: URL(fileURLWithPath: input))
    try Self.openssl(arguments(input, output))
    return try Self.bytes(output)
  }

  private static func openssl(_ arguments: [String]) throws {
    let program = try #require(Executable.path("openssl"), "openssl is not installed")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments)")
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
