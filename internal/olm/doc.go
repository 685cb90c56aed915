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

// Package olm is what the operator does for the Operator Lifecycle Manager
// (OLM): it elects a leader for life, and it tells OLM when the operator may be
// upgraded. Both are operator-lib's; this package gives them their place in a
// manager. It knows nothing of how a Memcached is reconciled.
//
// Reading order: leader.go (leader-for-life), decide.go (PURE: may OLM upgrade
// now?), upgradeable.go (saying so).
package olm
