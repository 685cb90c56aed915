#!/usr/bin/env bash
# Checks that the kubebuilder CLI goes on working in this repository: in a copy,
# it scaffolds a second API, and all builds and vets with it.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
hack/copy.sh "$copy"
cd "$copy"
git init --quiet
kubebuilder=$PWD/bin/kubebuilder
go build -C tools/kubebuilder -o "$kubebuilder" sigs.k8s.io/kubebuilder/v4
"$kubebuilder" create api --group cache --version v1alpha1 --kind Second --resource --controller --make=false
make --no-print-directory manifests generate vet
go build -o bin/manager ./cmd
for path in config/crd/bases/cache.example.com_seconds.yaml api/v1alpha1/second_types.go internal/controller/second_controller.go; do
  [ -f "$path" ] || { echo "the CLI did not make $path" >&2; exit 1; }
done
grep -q SecondReconciler cmd/main.go || { echo "the CLI did not register the second controller in cmd/main.go" >&2; exit 1; }
grep -q seconds config/crd/kustomization.yaml || { echo "the CLI did not add the second CRD to config/crd" >&2; exit 1; }
echo "the kubebuilder CLI scaffolds a second API that builds"
