package cluster

import (
	"context"
	"fmt"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// compactRevKey is where apiservers write what they compacted. Each of them
// watches it to drop what its cache still holds below that revision, so a
// compaction without it would leave old lists readable.
const compactRevKey = "compact_rev_key"

// compact makes everything older than the current revision unreadable, just as
// the apiserver does every five minutes for what is older than that, and
// returns the revision.
func compact(ctx context.Context, url string) (int64, error) {
	client, err := clientv3.New(clientv3.Config{
		Context: ctx, Endpoints: []string{url}, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
	})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	current, err := client.Get(ctx, compactRevKey)
	if err != nil {
		return 0, fmt.Errorf("read the revision: %w", err)
	}
	revision := current.Header.Revision
	if _, err := client.Put(ctx, compactRevKey, strconv.FormatInt(revision, 10)); err != nil {
		return 0, fmt.Errorf("announce the compaction: %w", err)
	}
	if _, err := client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return 0, fmt.Errorf("compact to %d: %w", revision, err)
	}
	return revision, nil
}
