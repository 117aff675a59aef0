package cluster

import (
	"strings"
	"testing"
)

func TestExecuteAnswersWithoutServers(t *testing.T) {
	c := &Cluster{etcd: &child{name: "etcd"}, apiserver: &child{name: "apiserver"}}
	for line, want := range map[string]string{
		"status":          "",
		"nonsense":        "unknown command",
		"kill kubelet":    "unknown command",
		"shake apiserver": "unknown command",
		"a b c":           "unknown command",
		"kill  apiserver": "apiserver does not run",
		"stop etcd":       "etcd does not run",
		"restart etcd":    "etcd does not run",
	} {
		result := c.Execute(t.Context(), line)
		if result.OK != (want == "") || !strings.Contains(result.Error, want) {
			t.Errorf("%s: %+v", line, result)
		}
		if result.Command != strings.Join(strings.Fields(line), " ") {
			t.Errorf("%s: answered as %q", line, result.Command)
		}
	}
}
