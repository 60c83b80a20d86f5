import CloudKit
import CoreLocation

// The names of types as programs for CloudKit write them: that they compile is the test.

struct Names {
  var action: CKRecord.Reference.Action = .deleteSelf
  var actionBehind: CKRecord_Reference_Action = .none
  var permissions: CKContainer.Application.Permissions = .userDiscoverability
  var permissionsBehind: CKContainer_Application_Permissions = []
  var status: CKContainer.Application.PermissionStatus = .granted
  var statusBehind: CKContainer_Application_PermissionStatus = .denied
  var block: CKContainer.Application.PermissionBlock = { _, _ in }
  var olderBlock: CKContainer.ApplicationPermissionBlock = { _, _ in }
  var participant: CKShare.Participant.ID = "ada"
  var type: CKShare.Participant.ParticipantType = .privateUser
  var permission: CKShare_Participant_Permission = .readOnly
  var role: CKShare_Participant_Role = .owner
  var acceptance: CKShare_Participant_AcceptanceStatus = .pending
  var operation: CKOperation.ID = CKFetchRecordsOperation().operationID
  var coordinate: CLLocationCoordinate2D = CLLocation(latitude: 60, longitude: 10).coordinate

  func ask(_ container: CKContainer) {
    container.requestApplicationPermission(permissions, completionHandler: block)
    container.status(forApplicationPermission: permissions, completionHandler: olderBlock)
  }
}
