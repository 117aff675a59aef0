// Command kubectl is the released kubectl of the same version as the apiserver
// beside it, so that tests never depend on the one a machine may have.
package main

import (
	"os"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // upstream's auth plugins
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// The verbosity has to be known before the command is built: building it
	// already logs (plugins, .kuberc). Upstream's main does the same.
	_, _ = logs.GlogSetter(cmd.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
