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

package arena

// Frozen returns the operator that is stopped; without one, the first.
func (s *Stage) Frozen() *Operator {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, o := range s.operators {
		if o.Line.Frozen() || o.thawed {
			o.thawed = true
			return o
		}
	}
	return s.operators[0]
}

// Retire ends the operator for good.
func (o *Operator) Retire() {
	o.Line.Crashed = o.cancel
	o.Line.Crash()
}
