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

// Package resources says what should exist for a Memcached: a pure function
// from the resource and the operator's options to apply configurations. Equal
// input gives equal output; nothing here reads a cluster, a clock or the
// environment.
//
// An apply configuration holds exactly the fields that the operator owns, so
// what is absent here is left to others.
//
// Reading order: desired.go (the children), names.go (labels and owner),
// deployment.go, container.go, args.go, service.go.
//
// Changing the pod template restarts every cache of every user at the next
// upgrade of the operator. testdata/ pins it; a change there is a CHANGELOG
// entry "restarts nodes".
package resources
