// Saves houses, and prints notifications of the expensive ones.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	tidings "tidings/v1"
)

func main() {
	c := &client{endpoint: os.Getenv("TIDINGS_ENDPOINT"), metadata: map[string]string{},
		keys: keys{os.Getenv("TIDINGS_SERVER_KEY"), os.Getenv("TIDINGS_PUBLIC_KEY"), os.Getenv("TIDINGS_SECRET_KEY")}}
	if c.endpoint == "" {
		c.endpoint = "tcp://127.0.0.1:5570"
	}
	for variable, entry := range map[string]string{"TIDINGS_USER": "tidings-user", "TIDINGS_DEVICE": "tidings-device"} {
		if value := os.Getenv(variable); value != "" {
			c.metadata[entry] = value
		}
	}
	if err := run(c, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "houses:", err)
		os.Exit(1)
	}
}

func run(c *client, words []string) error {
	switch {
	case len(words) == 3 && words[0] == "save":
		price, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return err
		}
		return save(c, words[1], price)
	case len(words) == 2 && words[0] == "fetch":
		return fetch(c, words[1])
	case len(words) == 2 && words[0] == "subscribe":
		return subscribe(c, words[1])
	case len(words) == 2 && words[0] == "watch":
		return watch(c, words[1])
	}
	return errors.New("usage: houses save NAME PRICE | fetch NAME | subscribe PREDICATE | watch FILE")
}

func itemFailure(err *tidings.ItemError) error { return fmt.Errorf("%s (%s)", err.Message, err.Code) }

func save(c *client, name string, price int64) error {
	record := &tidings.Record{RecordId: &tidings.RecordID{RecordName: name}, RecordType: "Houses",
		Fields: map[string]*tidings.FieldValue{
			"price": {Value: &tidings.FieldValue_Int64Value{Int64Value: price}}}}
	var response tidings.ModifyRecordsResponse
	err := c.call("tidings.v1.RecordService/ModifyRecords", &tidings.ModifyRecordsRequest{
		RecordsToSave: []*tidings.Record{record}, SavePolicy: tidings.SavePolicy_SAVE_POLICY_CHANGED_KEYS}, &response)
	if err != nil {
		return err
	}
	// A call has one status, and each of its items has its own result.
	for _, result := range response.Results {
		if result.GetError() != nil {
			return itemFailure(result.GetError())
		}
		fmt.Printf("saved %s, change tag %s\n", name, result.GetRecord().GetChangeTag())
	}
	return nil
}

func fetch(c *client, name string) error {
	var response tidings.FetchRecordsResponse
	err := c.call("tidings.v1.RecordService/FetchRecords", &tidings.FetchRecordsRequest{
		RecordIds: []*tidings.RecordID{{RecordName: name}}}, &response)
	if err != nil {
		return err
	}
	for _, result := range response.Results {
		if result.GetError() != nil {
			return itemFailure(result.GetError())
		}
		for key, value := range result.GetRecord().GetFields() {
			fmt.Printf("%s: %s %d\n", name, key, value.GetInt64Value())
		}
	}
	return nil
}

func subscribe(c *client, predicate string) error {
	subscription := &tidings.Subscription{SubscriptionId: "houses", RecordType: "Houses",
		Type:      tidings.SubscriptionType_SUBSCRIPTION_TYPE_QUERY,
		Predicate: &tidings.Predicate{Text: predicate}, FiresOnRecordCreation: true, FiresOnRecordUpdate: true}
	var response tidings.ModifySubscriptionsResponse
	err := c.call("tidings.v1.SubscriptionService/ModifySubscriptions", &tidings.ModifySubscriptionsRequest{
		SubscriptionsToSave: []*tidings.Subscription{subscription}}, &response)
	if err != nil {
		return err
	}
	for _, result := range response.Results {
		if result.GetError() != nil {
			return itemFailure(result.GetError())
		}
		fmt.Println("subscribed to", predicate)
	}
	return nil
}

// watch prints notifications; after a restart it resumes after the last page that was printed.
func watch(c *client, path string) error {
	for {
		token, err := os.ReadFile(path)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			err = c.follow(token, func(page *tidings.FetchNotificationChangesResponse) error { return print(page, path) })
		}
		var failed *failure
		if !errors.As(err, &failed) || !failed.isTransient() {
			return err
		}
		fmt.Fprintln(os.Stderr, "houses:", err)
		time.Sleep(time.Second)
	}
}

func print(page *tidings.FetchNotificationChangesResponse, path string) error {
	for _, notification := range page.Notifications {
		fmt.Println(notification.NotificationId, notification.GetRecordId().GetRecordName())
	}
	// Replaces the file atomically: after a crash it has the old token or the new one.
	if err := os.WriteFile(path+".new", page.ChangeToken, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
