/// Why nothing was generated; protoc prints it.
struct GenerationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
