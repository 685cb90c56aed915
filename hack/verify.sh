#!/usr/bin/env bash
# Checks that what is generated is what generating gives, and that every
# module is tidy. It works on a copy, so that it neither needs nor leaves a
# clean tree.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -t "$copy"
cp -r "$copy" "$copy.before"
trap 'rm -rf "$copy" "$copy.before"' EXIT
(
  cd "$copy"
  make --no-print-directory manifests generate docs
  find . -name go.mod -not -path './.cluster/*' -execdir go mod tidy \;
)
if ! diff -ru "$copy.before" "$copy"; then
  echo "generated files or modules are out of date: run 'make manifests generate docs' and 'go mod tidy'" >&2
  exit 1
fi
