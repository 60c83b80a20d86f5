/// All types of a request, by full name.
struct TypeIndex {
  /// A type that fields and methods can name.
  struct Entry {
    /// For example `TidingsV1.Record`, with backticks where needed.
    var swiftName: String
    /// The file's package.
    var package: String
    /// The .proto file.
    var file: String
  }

  private(set) var entries: [String: Entry] = [:]
  private(set) var messages: [String: MessageModel] = [:]

  init(_ files: [FileModel]) {
    for file in files {
      let scope = SwiftNames.namespace(file.package).map { SwiftNames.escaped($0) }
      for message in file.messages { add(message, scope, file) }
      for item in file.enums { add(item.fullName, item.name, scope, file) }
    }
  }

  /// The Swift name of a message or enum.
  func swiftName(_ fullName: String) -> String {
    entries[fullName]?.swiftName ?? fullName
  }

  private mutating func add(_ message: MessageModel, _ scope: String?, _ file: FileModel) {
    let path = add(message.fullName, message.name, scope, file)
    messages[message.fullName] = message
    for nested in message.messages { add(nested, path, file) }
    for item in message.enums { add(item.fullName, item.name, path, file) }
  }

  @discardableResult
  private mutating func add(
    _ fullName: String,
    _ name: String,
    _ scope: String?,
    _ file: FileModel
  ) -> String {
    let name = SwiftNames.escaped(SwiftNames.type(name))
    let path = scope.map { $0 + "." + name } ?? name
    entries[fullName] = Entry(swiftName: path, package: file.package, file: file.name)
    return path
  }
}
