public import TidingsRPC

/// Says who calls, and whether the call may begin, before anything else looks at it.
///
/// Asked on the loop thread for each call, also one of a method that does not exist.
public protocol CallGate: AnyObject {
  /// Looks at a call.
  ///
  /// - Parameters:
  ///   - key: The number that admission gave the key of the caller's connection; `nil`: it has none.
  ///   - method: What is called; `nil`: no method of this server.
  ///   - claim: Looks for the user whom the call's metadata names, valid for the call; `nil`: none.
  /// - Returns: What becomes of the call.
  func admit(
    key: Int64?,
    method: MethodDescriptor?,
    claiming claim: () -> UnsafeRawBufferPointer?
  ) -> CallAdmission
}

/// What becomes of a call.
public enum CallAdmission {
  /// It begins, in the name of a user; empty: of a guest.
  case admitted(user: String)
  /// It begins, in the name of whom its metadata names.
  case believed
  /// It is answered with an error.
  case refused(RPCError)
}
