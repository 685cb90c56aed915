/*
Copyright The Memcached operator authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package result

// The keys of what is measured. The catalogue says what each means.
const (
	CreateRequests    = "create.requests"
	CreateRequestsP99 = "create.requests.p99"
	ScaleRequests     = "scale.requests"
	DeleteRequests    = "delete.requests"
	LifeRequests      = "life.requests"
	LifeReads         = "life.reads"
	LifeConflicts     = "life.conflicts"
	LifeEvents        = "life.events"
	LatencyP50        = "latency.p50"
	LatencyP99        = "latency.p99"
	CreateTime        = "create.time"
	Throughput        = "throughput"
	IdleWrites        = "idle.writes"
	ResyncWrites      = "resync.writes"
	ResyncRuns        = "resync.runs"
	RestartWrites     = "restart.writes"
	Memory            = "memory"
	MemoryPerCR       = "memory.slope"
	Heap              = "heap"
	HeapPerCR         = "heap.slope"
	ForeignHeap       = "foreign.heap"
	RestartServed     = "restart.served"
	RestartCPU        = "restart.cpu"
	RestartMemory     = "restart.memory"
	TimeExponent      = "time.exponent"
	CPUExponent       = "cpu.exponent"
	MemoryExponent    = "memory.exponent"
	HeapExponent      = "heap.exponent"
	FailoverGraceful  = "failover.graceful"
	FailoverCrash     = "failover.crash"
	LifeCPU           = "life.cpu"
	ServerCPU         = "life.server"
	CreateCPU         = "create.cpu"
)

// Metric is something that is measured.
type Metric struct {
	// ID groups metrics: P1 to P11.
	ID string
	// Key is what samples name it by.
	Key string
	// Title says what it is; Unit is empty for counts.
	Title, Unit string
	// Time tells that a value by itself means nothing on another machine, so
	// that only the ratio to the floor is shown.
	Time bool
	// Goal is what was hoped for; nil if it is for information.
	Goal Goal
	// CI tells that the goal is also held on a busy machine, with few resources.
	CI bool
}

// Catalogue are all metrics, in the order in which they are shown. The goals are
// the project's; the figures of leases follow from their 15 seconds.
var Catalogue = []Metric{
	{ID: "P1", Key: CreateRequests, Title: "Requests per resource, create to Ready", Goal: Floor{Plus: 1}, CI: true},
	{ID: "P1", Key: CreateRequestsP99, Title: "the same, 99th percentile", Goal: Floor{Plus: 1}, CI: true},
	{ID: "P2", Key: ScaleRequests, Title: "Requests per resource, scale", Goal: Floor{Plus: 1}, CI: true},
	{ID: "P2", Key: DeleteRequests, Title: "Requests per resource, delete", Goal: Floor{Plus: 1}, CI: true},
	{ID: "P2", Key: LifeRequests, Title: "Requests per resource, create, scale and delete", Goal: Floor{Plus: 3}, CI: true},
	{ID: "P2", Key: LifeReads, Title: "Reads of the API server among them", Goal: AtMost{}, CI: true},
	{ID: "P2", Key: LifeConflicts, Title: "Conflicts among them", Goal: AtMost{}, CI: true},
	{ID: "P2", Key: LifeEvents, Title: "Events, which are counted apart"},
	{ID: "P3", Key: LatencyP50, Title: "Create to Deployment, median", Unit: "ms", Time: true, Goal: Ratio{AtMost: 1.25}},
	{ID: "P3", Key: LatencyP99, Title: "Create to Deployment, 99th percentile", Unit: "ms", Time: true, Goal: Ratio{AtMost: 1.5}},
	{ID: "P4", Key: Throughput, Title: "Resources per second, burst", Unit: "/s", Time: true, Goal: Ratio{AtLeast: 0.8}},
	{ID: "P5", Key: IdleWrites, Title: "Writes while nothing changes", Goal: AtMost{}, CI: true},
	{ID: "P5", Key: ResyncWrites, Title: "Writes on forced resync", Goal: AtMost{}, CI: true},
	{ID: "P5", Key: ResyncRuns, Title: "Runs of Reconcile per resource on forced resync", Goal: AtLeast{Limit: 1}, CI: true},
	{ID: "P5", Key: RestartWrites, Title: "Writes after a restart", Goal: AtMost{}, CI: true},
	{ID: "P6", Key: Memory, Title: "Resident memory", Unit: "MiB"},
	{ID: "P6", Key: RestartMemory, Title: "Resident memory after a restart", Unit: "MiB"},
	{ID: "P6", Key: MemoryPerCR, Title: "Resident memory per resource", Unit: "KiB", Goal: AtMost{Limit: 16}},
	{ID: "P6", Key: Heap, Title: "Live heap after garbage collection", Unit: "MiB"},
	{ID: "P6", Key: HeapPerCR, Title: "Live heap per resource", Unit: "KiB", Goal: AtMost{Limit: 16}},
	{ID: "P7", Key: ForeignHeap, Title: "Live heap for foreign Deployments and as many Secrets", Unit: "MiB", Goal: AtMost{Limit: 2}},
	{ID: "P8", Key: RestartServed, Title: "Start to a new resource served", Unit: "ms", Time: true, Goal: Ratio{AtMost: 1.5}},
	{ID: "P8", Key: RestartCPU, Title: "CPU per resource at start", Unit: "µs", Time: true},
	{ID: "P9", Key: TimeExponent, Title: "Growth exponent of the time to create", Goal: AtMost{Limit: 1.05}},
	{ID: "P9", Key: CPUExponent, Title: "Growth exponent of the operator's CPU time", Goal: AtMost{Limit: 1.05}, CI: true},
	{ID: "P9", Key: MemoryExponent, Title: "Growth exponent of resident memory", Goal: AtMost{Limit: 1.05}},
	{ID: "P9", Key: HeapExponent, Title: "Growth exponent of live heap", Goal: AtMost{Limit: 1.05}, CI: true},
	{ID: "P10", Key: FailoverGraceful, Title: "Another leader serves, after SIGTERM", Unit: "s", Goal: AtMost{Limit: 3}},
	{ID: "P10", Key: FailoverCrash, Title: "Another leader serves, after SIGKILL", Unit: "s", Goal: AtMost{Limit: 18}},
	{ID: "P11", Key: LifeCPU, Title: "CPU per create, scale and delete", Unit: "ms", Time: true, Goal: Ratio{AtMost: 1.5}},
	{ID: "P11", Key: ServerCPU, Title: "CPU of the API server for it, load and stub included", Unit: "ms", Time: true},
	{ID: "P9", Key: CreateTime, Title: "Time to create all", Unit: "s", Time: true},
	{ID: "P9", Key: CreateCPU, Title: "CPU to create all", Unit: "s", Time: true},
}

// Find returns the metric of a key.
func Find(key string) Metric {
	for _, metric := range Catalogue {
		if metric.Key == key {
			return metric
		}
	}
	return Metric{Key: key, Title: key}
}
