internal import TidingsFiles
internal import TidingsSQL

extension SQLError {
  /// A file of the store that the system refuses.
  init(_ error: FileError) {
    self.init(.storage, "\(error)")
    isFull = error.isFull
    systemCode = error.code
  }
}
