/// The description of a .proto file: generated code has one for each.
public final class FileDescriptor: Sendable {
  /// The path, for example `tidings/v1/record.proto`.
  public let name: String
  /// The files that it imports.
  public let dependencies: [FileDescriptor]
  private let base64: StaticString

  /// Describes a file, for generated code.
  ///
  /// - Parameters:
  ///   - name: The path.
  ///   - dependencies: The files that it imports.
  ///   - base64: The serialized `google.protobuf.FileDescriptorProto`, without comments.
  public init(name: String, dependencies: [FileDescriptor], base64: StaticString) {
    self.name = name
    self.dependencies = dependencies
    self.base64 = base64
  }

  /// The serialized `google.protobuf.FileDescriptorProto`, without comments; decoded at each call.
  public var serialized: [UInt8] {
    base64.withUTF8Buffer { Base64.decode($0) }
  }

  /// The serialized descriptors of this file and all it imports, each once, imports first.
  public var serializedWithDependencies: [[UInt8]] {
    var seen: Set<String> = []
    var serialized: [[UInt8]] = []
    func visit(_ file: FileDescriptor) {
      guard seen.insert(file.name).inserted else { return }
      for dependency in file.dependencies { visit(dependency) }
      serialized.append(file.serialized)
    }
    visit(self)
    return serialized
  }
}
