internal import Foundation
public import TidingsJSON

/// A vector of `proto/vectors`, as its README.md shows.
public struct TestVector: Sendable, CustomStringConvertible {
  private let object: JSONObject

  fileprivate init(_ object: JSONObject) { self.object = object }

  public var name: String { text("name") ?? "" }
  public var kind: String { text("kind") ?? "" }
  public var description: String { name }

  /// A text; `nil` when it is null or not there.
  public func text(_ member: String) -> String? { object[member]?.string }

  /// Bytes that are written in hexadecimal.
  public func bytes(_ member: String) -> [UInt8]? {
    guard let digits = text(member).map({ Array($0.utf8) }), digits.count % 2 == 0 else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  public func json(_ member: String) -> JSONValue? { object[member] }

  /// The texts of a list; `nil` when it is null or not there.
  public func texts(_ member: String) -> [String]? { object[member]?.array?.compactMap(\.string) }
}

/// The files of `proto/vectors`.
public enum TestVectors {
  /// The folder.
  public static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("proto/vectors").path

  /// The vectors of an area, of one kind or of all; never none.
  public static func load(_ area: String, kind: String? = nil) -> [TestVector] {
    let path = folder + "/" + area + ".json"
    guard let data = FileManager.default.contents(atPath: path),
      let value = try? JSONValue(parsing: Array(data)), let list = value.object?["vectors"]?.array
    else { preconditionFailure("no vectors in \(path)") }
    let vectors = list.compactMap { $0.object.map(TestVector.init) }
      .filter { kind == nil || $0.kind == kind }
    precondition(!vectors.isEmpty, "no vectors of the kind in \(path)")
    return vectors
  }
}
