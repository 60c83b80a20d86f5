internal import CommandLineTools
internal import TidingsProto

/// The options of verbs that change records.
struct SaveOptions {
  private static let atomic = OptionKey<Bool>(
    flag: "atomic",
    "Apply the changes of each zone atomically, also in default zones."
  )
  private static let noAtomic = OptionKey<Bool>(
    flag: "no-atomic",
    "Apply each change independently, as in default zones."
  )
  private static let clientTokenData = OptionKey<String?>(
    "client-token-data",
    value: "TEXT",
    mayBeEmpty: true,
    "A mark of this device, returned with the changes of the zones."
  )

  /// The options of verbs that delete records.
  static let deletion = [Option](of: atomic, noAtomic, clientTokenData)

  /// The options of verbs that save records.
  static func options(default policy: String = "if-unchanged") -> [Option] {
    SavePolicyOption.options(default: policy) + deletion
  }

  private var policy = TidingsV1.SavePolicy.ifServerRecordUnchanged
  /// `nil`: the default of the zone.
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
      throw UsageError("--atomic and --no-atomic cannot be combined")
    }
    self.isAtomic = isAtomic ? true : isNot ? false : nil
    tokenData = arguments[Self.clientTokenData] ?? ""
  }

  /// Sets the options in a request.
  func apply(to request: inout TidingsV1.ModifyRecordsRequest) {
    request.savePolicy = policy
    if let isAtomic { request.atomic = isAtomic }
    request.clientChangeTokenData = Array(tokenData.utf8)
  }
}
