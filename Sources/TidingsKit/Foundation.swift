// Code for CloudKit has Foundation through it.
@_exported public import Foundation
