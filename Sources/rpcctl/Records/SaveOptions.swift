internal import CommandLineTools
internal import TidingsProto

/// How a call changes records, as the options of verbs that change some say.
struct SaveOptions {
  private static let atomic = OptionKey<Bool>(
    flag: "atomic",
    "All items of a zone succeed, or none does, also in default zones."
  )
  private static let noAtomic = OptionKey<Bool>(
    flag: "no-atomic",
    "Items of a zone succeed or fail each by itself, as in default zones."
  )
  private static let clientTokenData = OptionKey<String?>(
    "client-token-data",
    value: "TEXT",
    "This device's mark, which comes back with the changes of the zones."
  )

  /// The options of verbs that delete records.
  static let deletion = [Option](of: atomic, noAtomic, clientTokenData)

  /// The options of verbs that save records.
  static func options(default policy: String = "if-unchanged") -> [Option] {
    SavePolicyOption.options(default: policy) + deletion
  }

  private var policy = TidingsV1.SavePolicy.ifServerRecordUnchanged
  /// `nil`: as the zone does.
  private let isAtomic: Bool?
  private let tokenData: String

  /// Reads the options of a verb that saves.
  init(
    _ arguments: ParsedArguments,
    default word: String = "if-unchanged"
  ) throws(UsageError) {
    try self.init(ofDeletion: arguments)
    policy = try SavePolicyOption.policy(arguments, default: word)
  }

  /// Reads the options of a verb that deletes.
  init(ofDeletion arguments: ParsedArguments) throws(UsageError) {
    let (isAtomic, isNot) = (arguments[Self.atomic], arguments[Self.noAtomic])
    guard !isAtomic || !isNot else {
      throw UsageError("--atomic and --no-atomic exclude each other")
    }
    self.isAtomic = isAtomic ? true : isNot ? false : nil
    tokenData = arguments[Self.clientTokenData] ?? ""
  }

  /// Puts the options into a request.
  func apply(to request: inout TidingsV1.ModifyRecordsRequest) {
    request.savePolicy = policy
    if let isAtomic { request.atomic = isAtomic }
    request.clientChangeTokenData = Array(tokenData.utf8)
  }
}
