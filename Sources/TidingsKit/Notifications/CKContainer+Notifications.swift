internal import Foundation
internal import TidingsProto
internal import TidingsRPC

extension CKOperation {
  /// The container that is used, by operations that are not on one database.
  var targetContainer: CKContainer { container ?? CKContainer.default() }
}

extension ContainerLink {
  /// The container and the environment, for calls that are not on one database.
  var place: TidingsV1.DatabaseID { databaseID(.private) }
}

extension CKContainer {
  /// Whose notifications these are; empty: that cannot be found out now.
  func userName() async -> String {
    if !link.settings.user.isEmpty { return link.settings.user }
    return (try? await userRecordID())?.recordName ?? ""
  }
}
