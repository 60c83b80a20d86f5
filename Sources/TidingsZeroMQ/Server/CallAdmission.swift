public import TidingsRPC

/// What becomes of a call.
public enum CallAdmission {
  /// It begins, in the name of a user; empty: of a guest.
  case admitted(user: String)
  /// It begins, in the name of a user on the web (empty: of a guest), whose credential takes the place of the key;
  /// the connection is the gateway's.
  case admittedOnWeb(user: String, credential: Int64, gateway: String)
  /// It begins, in the name of the user whom its metadata claims.
  case claimed
  /// It is answered with an error.
  case refused(RPCError)
}
