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

// Package status says what is true of a Memcached: a pure function from the
// resource, what was observed and what this run achieved to the status.
//
// Three rules keep it honest and quiet. What counts is the number of ready nodes,
// never the Deployment's own Available condition, which is True with no node
// ready when size is 1. Messages hold nothing that moves by itself, so that a lasting
// failure costs no further writes. And every condition carries the generation
// that it speaks of.
//
// Reading order: compute.go (input and output), rules.go (one function per
// condition), diagnose.go (what is wrong), refusal.go (what the API server
// said no to).
package status
