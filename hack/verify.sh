#!/usr/bin/env bash
# Checks that generating again changes nothing and that every module is tidy.
# It works on a copy, so that it neither needs nor leaves a clean tree.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/before" "$work/after"
hack/copy.sh "$work/before"
hack/copy.sh "$work/after"
(
  cd "$work/after"
  make --no-print-directory manifests generate docs bundle catalog
  find . -name go.mod -execdir go mod tidy \;
)
if ! diff -ru --exclude=bin "$work/before" "$work/after"; then
  echo "Generated files or modules are out of date (see above): run make manifests generate docs bundle catalog, and go mod tidy where it differs." >&2
  exit 1
fi
