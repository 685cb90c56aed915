#!/usr/bin/env bash
# Copies the clone as it stands, changes and new files included, but nothing
# that git ignores: hack/copy.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard -z |
  while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done | xargs -0 cp --parents --target-directory="$1"
