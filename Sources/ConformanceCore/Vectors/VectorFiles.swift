internal import FoundationEssentials

/// The folder `proto/vectors`: what is in it, and what should be.
public enum VectorFiles {
  /// Writes all files.
  ///
  /// - Parameter folder: The folder; it must be there.
  /// - Returns: The names of the files.
  /// - Throws: `ConformanceError`.
  public static func write(to folder: String) throws -> [String] {
    try files().map { name, text in
      do {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name), options: .atomic)
      } catch {
        throw ConformanceError("'\(folder)/\(name)' cannot be written: is the folder there?")
      }
      return name
    }
  }

  /// Compares the files with what would be written.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The names of those that differ, are missing, or should not be there.
  /// - Throws: `ConformanceError`.
  public static func outdated(in folder: String) throws -> [String] {
    let files = try files()
    let differing = files.filter { name, text in
      FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
        != Array(text.utf8)
    }
    let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let expected = Set(files.map(\.name))
    let others = found.filter { $0.hasSuffix(".json") && !expected.contains($0) }.sorted()
    return differing.map(\.name) + others
  }

  private static func files() throws -> [(name: String, text: String)] {
    try VectorArea.all().map { ($0.name + ".json", $0.text) }
  }
}
