// Command apiserver is the released kube-apiserver: it takes exactly the flags
// the upstream binary takes and adds none of its own.
package main

import (
	"os"
	_ "time/tzdata" // time zones for CronJob, as upstream's main has them

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client-go metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // version metric
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
