/// Options that programs have in common.
public enum StandardOption {
  /// Shows the help of a program, or of one of its verbs.
  public static let help = OptionKey<Bool>(flag: "help", letter: "h", "Show this.")
  /// Shows the version of a program.
  public static let version = OptionKey<Bool>(flag: "version", "Show the version.")
  /// Shows more of the version.
  public static let verbose = OptionKey<Bool>(
    flag: "verbose",
    "With --version: show the versions of the libraries that are loaded, too."
  )
  /// Further options, in a file.
  public static let config = OptionKey<String?>(
    "config",
    value: "FILE",
    "Options as lines `name = value`; the environment and the command line take precedence."
  )
}
