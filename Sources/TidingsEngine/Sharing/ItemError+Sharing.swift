internal import TidingsModel

extension ItemError {
  /// To the caller there is no such share, whether it exists or not.
  static let noShare = ItemError(
    .unknownItem,
    "there is no share with this URL that you may accept: ask who gave it to you whether it still is "
      + "shared, and with you"
  )
}
