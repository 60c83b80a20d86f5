// `import CloudKit` finds TidingsKit, so that code for CloudKit compiles as it is.
@_exported public import TidingsKit
