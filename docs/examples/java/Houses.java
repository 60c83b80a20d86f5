import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import tidings.v1.FetchNotificationChangesResponse;
import tidings.v1.FetchRecordsRequest;
import tidings.v1.FetchRecordsResponse;
import tidings.v1.FieldValue;
import tidings.v1.ItemError;
import tidings.v1.ModifyRecordsRequest;
import tidings.v1.ModifyRecordsResponse;
import tidings.v1.ModifySubscriptionsRequest;
import tidings.v1.ModifySubscriptionsResponse;
import tidings.v1.Predicate;
import tidings.v1.Record;
import tidings.v1.RecordID;
import tidings.v1.RecordResult;
import tidings.v1.SavePolicy;
import tidings.v1.Subscription;
import tidings.v1.SubscriptionResult;
import tidings.v1.SubscriptionType;

/** Saves houses, and prints notifications of the expensive ones. */
final class Houses {
  public static void main(String[] words) throws Exception {
    String endpoint = System.getenv().getOrDefault("TIDINGS_ENDPOINT", "tcp://127.0.0.1:5570");
    String command = words.length == 0 ? "" : words[0] + " " + words.length;
    try (Tidings client =
        new Tidings(endpoint, System.getenv("TIDINGS_USER"), System.getenv("TIDINGS_DEVICE"))) {
      switch (command) {
        case "save 3" -> save(client, words[1], Long.parseLong(words[2]));
        case "fetch 2" -> fetch(client, words[1]);
        case "subscribe 2" -> subscribe(client, words[1]);
        case "watch 2" -> watch(client, Path.of(words[1]));
        default -> System.err.println(
            "usage: houses save NAME PRICE | fetch NAME | subscribe PREDICATE | watch FILE");
      }
    } catch (Tidings.Failure failure) {
      System.err.println("houses: " + failure.getMessage());
      System.exit(1);
    }
  }

  private static void save(Tidings client, String name, long price) throws Tidings.Failure {
    Record record = Record.newBuilder().setRecordId(RecordID.newBuilder().setRecordName(name))
        .setRecordType("Houses")
        .putFields("price", FieldValue.newBuilder().setInt64Value(price).build()).build();
    ModifyRecordsResponse response = client.call("tidings.v1.RecordService/ModifyRecords",
        ModifyRecordsRequest.newBuilder().addRecordsToSave(record)
            .setSavePolicy(SavePolicy.SAVE_POLICY_CHANGED_KEYS).build(),
        ModifyRecordsResponse.parser());
    // A call has one status, and each of its items has its own result.
    for (RecordResult result : response.getResultsList()) {
      if (result.hasError()) throw failure(result.getError());
      System.out.println("saved " + name + ", change tag " + result.getRecord().getChangeTag());
    }
  }

  private static void fetch(Tidings client, String name) throws Tidings.Failure {
    FetchRecordsResponse response = client.call("tidings.v1.RecordService/FetchRecords",
        FetchRecordsRequest.newBuilder().addRecordIds(RecordID.newBuilder().setRecordName(name))
            .build(),
        FetchRecordsResponse.parser());
    for (RecordResult result : response.getResultsList()) {
      if (result.hasError()) throw failure(result.getError());
      result.getRecord().getFieldsMap()
          .forEach((key, value) -> System.out.println(name + ": " + key + " " + value.getInt64Value()));
    }
  }

  private static void subscribe(Tidings client, String predicate) throws Tidings.Failure {
    ModifySubscriptionsResponse response =
        client.call("tidings.v1.SubscriptionService/ModifySubscriptions",
            ModifySubscriptionsRequest.newBuilder()
                .addSubscriptionsToSave(Subscription.newBuilder().setSubscriptionId("houses")
                    .setType(SubscriptionType.SUBSCRIPTION_TYPE_QUERY).setRecordType("Houses")
                    .setPredicate(Predicate.newBuilder().setText(predicate))
                    .setFiresOnRecordCreation(true).setFiresOnRecordUpdate(true))
                .build(),
            ModifySubscriptionsResponse.parser());
    for (SubscriptionResult result : response.getResultsList()) {
      if (result.hasError()) throw failure(result.getError());
      System.out.println("subscribed to " + predicate);
    }
  }

  /** Prints notifications; after a restart it resumes after the last page that was printed. */
  private static void watch(Tidings client, Path path) throws Exception {
    while (true) {
      byte[] token = Files.exists(path) ? Files.readAllBytes(path) : new byte[0];
      try {
        client.follow(token, page -> print(page, path));
      } catch (Tidings.Failure failure) {
        if (!failure.isTransient()) throw failure;
        System.err.println("houses: " + failure.getMessage());
        Thread.sleep(1000);
      }
    }
  }

  private static void print(FetchNotificationChangesResponse page, Path path) throws Exception {
    page.getNotificationsList().forEach(notification -> System.out.println(
        notification.getNotificationId() + " " + notification.getRecordId().getRecordName()));
    // Replaces the file atomically: after a crash it has the old token or the new one.
    Path next = Path.of(path + ".new");
    Files.write(next, page.getChangeToken().toByteArray());
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static Tidings.Failure failure(ItemError error) {
    return new Tidings.Failure(0, error.getMessage() + " (" + error.getCode() + ")");
  }
}
