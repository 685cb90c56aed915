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

// Package bundle tests the OLM bundle and the catalog as they are in the
// repository: what a catalog's reviewers, OLM and OLM v1 ask of them.
//
// Read bundle_test.go first; validators_test.go runs the validators of the
// Operator Framework, and the other files each test what those do not.
package bundle
