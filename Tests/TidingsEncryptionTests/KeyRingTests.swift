internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsFiles

@testable import TidingsEncryption

@Suite struct KeyRingTests {
  @Test("the newest key to seal seals; all open; no key is there twice")
  func uses() throws {
    let (old, new, others) = (EncryptionKey(), EncryptionKey(), EncryptionKey())
    var ring = KeyRing([.init(old, .seal)])
    let added = [
      ring.add(.init(new, .seal)), ring.add(.init(others, .open)), ring.add(.init(old, .open)),
    ]
    #expect(added == [true, true, false])
    #expect(ring.sealingKey == new)
    #expect([old, new, others].allSatisfy { ring.key($0.id) == $0 })
    #expect(ring.key([1]) == nil)
    #expect(KeyRing([.init(others, .open)]).sealingKey == nil)
    #expect(try KeyRing(text: ring.text) == ring)
  }

  @Test("what is no key ring is refused with the line, and no key is shown")
  func refusals() throws {
    let text = KeyRing([.init(EncryptionKey(), .seal)]).text
    let line = text.split(separator: "\n")[2]
    let key = String(line.split(separator: " ")[2])
    for (bad, reason) in [
      (text + line, "twice"), (text.replacing("seal", with: "lock"), "line 3"),
      (String(text.dropLast(3)), "line 3"), (text + "\u{0}\n", "line 4"),
      (text.replacing(key, with: String(repeating: "0", count: 64)), "match its ID"),
    ] {
      let error = #expect(throws: KeyRingError.self) { try KeyRing(text: bad) }
      #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
      #expect(error?.description.contains(key) == false)
    }
    #expect(try KeyRing(text: "").entries.isEmpty)
  }

  @Test("a file is its owner's, is never overwritten, and only grows")
  func file() throws {
    let folder = try TemporaryFolder()
    let file = KeyRingFile(path: folder.file("ring"))
    #expect(throws: KeyRingError.self) { try file.read() }
    let first = KeyRing([.init(EncryptionKey(), .seal)])
    try file.create(first)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(throws: KeyRingError.self) { try file.create(KeyRing()) }
    #expect(try file.read() == first)

    // As an editor leaves it that ends no line.
    try FileHandle(forWritingTo: URL(fileURLWithPath: file.path)).truncate(
      atOffset: UInt64(first.text.utf8.count - 1)
    )
    let second = KeyRing.Entry(EncryptionKey(), .open)
    #expect(try file.add([first.entries[0], second]) == [second])
    #expect(try file.add([second]).isEmpty)
    #expect(try file.read().entries == first.entries + [second])

    #expect(chmod(file.path, 0o640) == 0)
    let error = #expect(throws: KeyRingError.self) { try file.read() }
    #expect(error?.description.contains("chmod 600") == true)
  }

  @Test("values that this library seals open in Python, as the documentation describes")
  func python() throws {
    let key = EncryptionKey()
    var (lines, expected): ([String], [String]) = ([], [])
    var random = SplitMix64(seed: 3)
    for count in [0, 1, 40, 1000] {
      let value = (0..<count).map { _ in UInt8(random.below(256)) }
      let location = FieldLocation(
        container: "default",
        environment: "production",
        zoneOwner: "ada",
        zoneName: "notes",
        recordName: "r\(count)",
        field: "text"
      )
      let sealed = key.seal(value, for: location)
      for record in [location.recordName, "other"] {
        let parts = [
          location.container, location.environment, location.zoneOwner, location.zoneName, record,
          location.field,
        ]
        lines.append(
          "{\"ring\":\"\(KeyRing.Entry(key, .seal).line.dropLast())\","
            + "\"place\":\(parts),\"sealed\":\"\(sealed.hexadecimal)\"}\n"
        )
        expected.append(record == "other" ? "-" : value.hexadecimal)
      }
    }
    let opened = try Self.run(lines.joined())
    #expect(opened == expected.joined(separator: "\n") + "\n")
  }

  /// Takes the first Python that has PyNaCl, which tools/install-dependencies --tests installs.
  private static let findPython = """
    for python in $(which -a python3); do
      "$python" -c 'import nacl' 2>&- && exec "$python" "$0"
    done
    echo "no python3 has PyNaCl: run tools/install-dependencies --tests"
    """

  private static func run(_ input: String) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(Array(input.utf8), to: "input")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    process.arguments = ["-c", findPython, script.appendingPathComponent("opens.py").path]
    process.standardInput = try FileHandle(
      forReadingFrom: URL(fileURLWithPath: folder.file("input"))
    )
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
