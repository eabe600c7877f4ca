package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"istio.io/istio/pkg/kube/krt"
)

// zoneLabel is the only label of a node that is read.
const zoneLabel = "topology.kubernetes.io/zone"

// workload is a pod with the zone of its node.
type workload struct {
	key, app, ip, zone string
}

func (w workload) ResourceName() string       { return w.key }
func (w workload) Equals(other workload) bool { return w == other }

type address struct {
	ip, zone string
}

// endpoints are the addresses that a service or a policy selects.
type endpoints struct {
	key       string
	addresses []address
}

func (e endpoints) ResourceName() string { return e.key }
func (e endpoints) Equals(other endpoints) bool {
	return e.key == other.key && slices.Equal(e.addresses, other.addresses)
}

func zoneOf(node *corev1.Node) string { return node.Labels[zoneLabel] }

func sorted(addresses []address) []address {
	slices.SortFunc(addresses, func(a, b address) int {
		if a.ip < b.ip {
			return -1
		}
		return 1
	})
	return addresses
}

// policyPods makes a collection of policies with the addresses of the pods that each selects.
func (s *subject) policyPods(policies krt.Collection[*corev1.Service], pods krt.Collection[*corev1.Pod]) krt.Collection[endpoints] {
	return krt.NewCollection(policies, func(ctx krt.HandlerContext, policy *corev1.Service) *endpoints {
		s.evaluations.Add(1)
		selected := krt.Fetch(ctx, pods, krt.FilterLabel(policy.Spec.Selector))
		found := make([]address, 0, len(selected))
		for _, pod := range selected {
			found = append(found, address{ip: pod.Status.PodIP})
		}
		return &endpoints{key: krt.GetKey(policy), addresses: sorted(found)}
	}, krt.WithName("policies"))
}

// serviceEndpoints joins pods with their nodes, and the result with services.
func (s *subject) serviceEndpoints(
	services krt.Collection[*corev1.Service], pods krt.Collection[*corev1.Pod], nodes krt.Collection[*corev1.Node],
) krt.Collection[endpoints] {
	workloads := krt.NewCollection(pods, func(ctx krt.HandlerContext, pod *corev1.Pod) *workload {
		s.evaluations.Add(1)
		// The function depends on the label alone, and not on the whole node.
		zones := krt.PartialFetchComparable(ctx, nodes, zoneOf, krt.FilterKey(pod.Spec.NodeName))
		zone := ""
		if len(zones) > 0 {
			zone = zones[0]
		}
		return &workload{key: krt.GetKey(pod), app: pod.Labels["app"], ip: pod.Status.PodIP, zone: zone}
	}, krt.WithName("workloads"))
	byApp := krt.NewIndex(workloads, "app", func(w workload) []string { return []string{w.app} })
	return krt.NewCollection(services, func(ctx krt.HandlerContext, service *corev1.Service) *endpoints {
		s.evaluations.Add(1)
		selected := byApp.Fetch(ctx, service.Spec.Selector["app"])
		found := make([]address, 0, len(selected))
		for _, one := range selected {
			found = append(found, address{ip: one.ip, zone: one.zone})
		}
		return &endpoints{key: krt.GetKey(service), addresses: sorted(found)}
	}, krt.WithName("endpoints"))
}
