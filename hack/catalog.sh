#!/usr/bin/env bash
# Puts the bundle of VERSION into the file-based catalog, catalog/, at the head
# of CHANNELS; without CHANNELS, of both channels, unless it is in one already.
# What the catalog says about other versions stays as it is. `make catalog`
# calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${VERSION:?}" "${BUNDLE_IMG:?}" "${OPM:?}"
package=memcached-operator
catalog=catalog/$package
csv=bundle/manifests/$package.clusterserviceversion.yaml
name=$package.v$VERSION

grep -q "^  name: $name\$" "$csv" || { echo "bundle/ is not of version $VERSION: run 'make bundle VERSION=$VERSION' first" >&2; exit 1; }
for file in "$catalog"/channel-*.yaml; do
  head=$(sed -n 's/^- name: //p' "$file" | tail -n 1)
  if grep -q "^- name: $name\$" "$file" && [ "$head" != "$name" ]; then
    echo "$file already has $head, so $name stays as it is" >&2
    exit 1
  fi
done

# The package says what the newest ClusterServiceVersion says.
description=$(sed -n '/^  description: |/,/^  [a-zA-Z]/{/^  [a-zA-Z]/d;s/^    //;p;}' "$csv")
$OPM init "$package" --default-channel=stable --icon=config/manifests/icon.svg --description=/dev/stdin --output=yaml \
  <<<"$description" >"$catalog/package.yaml"

# A bundle's manifests are in its image; the catalog has what describes it.
$OPM render bundle --alpha-image-ref-template="$BUNDLE_IMG" --migrate-level=bundle-object-to-csv-metadata --output=yaml \
  >"$catalog/bundle-v$VERSION.yaml"

# A channel is a chain: each version replaces the one before it, and may be
# reached from all before it at once.
if [ -z "${CHANNELS-}" ]; then
  grep -qs "^- name: $name\$" "$catalog"/channel-*.yaml || CHANNELS=candidate,stable
fi
for channel in ${CHANNELS//,/ }; do
  file=$catalog/channel-$channel.yaml
  [ -f "$file" ] || printf -- '---\nentries:\nname: %s\npackage: %s\nschema: olm.channel\n' "$channel" "$package" >"$file"
  ! grep -q "^- name: $name\$" "$file" || continue
  head=$(sed -n 's/^- name: //p' "$file" | tail -n 1)
  if [ -n "$head" ] && [ "$(printf '%s\n' "$head" "$name" | sort -V | tail -n 1)" != "$name" ]; then
    echo "channel $channel already has $head, which is newer than $name" >&2
    exit 1
  fi
  sed -i "/^name: /i - name: $name${head:+\n  replaces: $head}\n  skipRange: <$VERSION" "$file"
done

$OPM validate catalog
