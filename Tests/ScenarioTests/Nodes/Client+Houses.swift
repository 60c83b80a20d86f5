internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

extension Client {
  /// Saves a house once, also if a node is lost during the call.
  func saveHouse(_ name: String) async throws {
    let results = try await modify([.init("Houses", name)], key: UUID().uuidString)
    try #require(results.first?.record != nil, "\(results)")
  }
}
