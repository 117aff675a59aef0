// client-go under test; see ../README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const usage = "usage: client-go-client SERVER NAMESPACE typed|protobuf|dynamic|metadata configmaps|pods|leases"

var resources = map[string]schema.GroupVersionResource{
	"configmaps": core.SchemeGroupVersion.WithResource("configmaps"),
	"pods":       core.SchemeGroupVersion.WithResource("pods"),
	"leases":     coordination.SchemeGroupVersion.WithResource("leases"),
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 4 {
		return fmt.Errorf("%s", usage)
	}
	resource, ok := resources[arguments[3]]
	if !ok {
		return fmt.Errorf("no such resource: %s", arguments[3])
	}
	config := &rest.Config{Host: arguments[0]}
	informer, err := newInformer(config, arguments[1], arguments[2], resource)
	if err != nil {
		return err
	}
	out := &output{encoder: json.NewEncoder(os.Stdout)}
	registered, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { out.event("ADDED", object) },
		UpdateFunc: func(_, object any) { out.event("MODIFIED", object) },
		DeleteFunc: func(object any) { out.event("DELETED", object) },
	})
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	go func() {
		if cache.WaitForCacheSync(stop, registered.HasSynced) {
			out.write(map[string]any{"synced": true})
		}
	}()
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		if commands.Text() != "state" {
			return fmt.Errorf("no such command: %s", commands.Text())
		}
		out.state(informer.GetStore().List())
	}
	return commands.Err()
}

func newInformer(
	config *rest.Config, namespace, api string, resource schema.GroupVersionResource,
) (cache.SharedIndexInformer, error) {
	switch api {
	case "protobuf":
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
		config.ContentType = "application/vnd.kubernetes.protobuf"
		fallthrough
	case "typed":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		generic, err := factory.ForResource(resource)
		if err != nil {
			return nil, err
		}
		return generic.Informer(), nil
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
		return factory.ForResource(resource).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
		return factory.ForResource(resource).Informer(), nil
	}
	return nil, fmt.Errorf("no such API: %s", api)
}

// output writes one JSON document a line, from whatever goroutine.
type output struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (o *output) write(line map[string]any) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if err := o.encoder.Encode(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o *output) event(kind string, object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	name, version, value := describe(object)
	o.write(map[string]any{"event": kind, "name": name, "version": version, "value": value})
}

func (o *output) state(objects []any) {
	state := map[string][2]string{}
	for _, object := range objects {
		name, version, value := describe(object)
		state[name] = [2]string{version, value}
	}
	o.write(map[string]any{"state": state})
}

// describe takes the value from where each kind of object holds it: of objects without a field of their own for it, and
// of those of which only the metadata is known, from the annotation.
func describe(object any) (name, version, value string) {
	accessor := object.(meta.Object)
	value = accessor.GetAnnotations()["k"]
	switch typed := object.(type) {
	case *core.ConfigMap:
		value = typed.Data["k"]
	case *coordination.Lease:
		value = *typed.Spec.HolderIdentity
	case *unstructured.Unstructured:
		if strings.EqualFold(typed.GetKind(), "ConfigMap") {
			value, _, _ = unstructured.NestedString(typed.Object, "data", "k")
		}
	}
	return accessor.GetName(), accessor.GetResourceVersion(), value
}
