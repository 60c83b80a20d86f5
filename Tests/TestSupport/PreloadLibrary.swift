internal import Foundation

/// A library that is loaded into a program before its own, made from C.
public enum PreloadLibrary {
  /// Compiles a library into a folder.
  ///
  /// - Returns: Its path, for LD_PRELOAD.
  /// - Throws: `WaitingFailure` when it cannot be compiled, with the compiler's words.
  public static func make(
    _ name: String,
    source: String,
    in folder: TemporaryFolder
  ) throws -> String {
    try folder.write(Array(source.utf8), to: "\(name).c")
    return try make(name, file: folder.file("\(name).c"), in: folder)
  }

  /// Compiles a file of the package into a folder.
  ///
  /// - Parameters:
  ///   - name: The library's.
  ///   - file: The path of the source, beside which its headers are in `include`.
  ///   - folder: Where the library goes.
  /// - Returns: Its path, for LD_PRELOAD.
  /// - Throws: `WaitingFailure` when it cannot be compiled, with the compiler's words.
  public static func make(_ name: String, file: String, in folder: TemporaryFolder) throws -> String
  {
    guard let compiler = Executable.path("cc") ?? Executable.path("clang") else {
      throw WaitingFailure(description: "no C compiler: install cc")
    }
    let include = URL(fileURLWithPath: file).deletingLastPathComponent().path + "/include"
    let library = folder.file("\(name).so")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: compiler)
    process.arguments = [
      "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I\(include)", "-o", library, file, "-ldl",
      "-lpthread",
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let words = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WaitingFailure(
        description: "\(name).c cannot be compiled: \(String(decoding: words, as: UTF8.self))"
      )
    }
    return library
  }
}
