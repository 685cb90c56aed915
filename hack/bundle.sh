#!/usr/bin/env bash
# Generates the OLM bundle, bundle/ and bundle.Dockerfile, from config/manifests.
# `make bundle` calls it. hack/bundle.sh FOLDER writes both into FOLDER instead.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
: "${VERSION:?}" "${IMG:?}" "${SCORECARD_IMG:?}" "${KUSTOMIZE:?}" "${OPERATOR_SDK:?}"
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "VERSION is '$VERSION', want X.Y.Z" >&2; exit 1; }
mkdir -p bin "${1:-.}"
target=$(realpath "${1:-.}")
base=config/manifests/bases/memcached-operator.clusterserviceversion.yaml
csv=bundle/manifests/memcached-operator.clusterserviceversion.yaml

# operator-sdk 1.28 does not know the layout that PROJECT names, so it works in
# a folder without PROJECT (inside the clone, where Go finds a module).
stage=$(mktemp -d "$root/bin/bundle.XXXXXX")
trap 'rm -rf "$stage"' EXIT
cp -r config "$stage"
(cd "$stage/config/manager" && $KUSTOMIZE edit set image "controller=$IMG")
sed -i "s|image: scorecard:latest|image: $SCORECARD_IMG|" "$stage/config/scorecard/patches/custom.config.yaml"
cd "$stage"
$KUSTOMIZE build --load-restrictor=LoadRestrictionsNone config/manifests |
  $OPERATOR_SDK generate bundle --quiet --package=memcached-operator --version="$VERSION" \
    --channels=candidate,stable --default-channel=stable

# What the CLI gets wrong here: it knows neither its own version nor the layout,
# takes the time of each run for that of the release, and drops relatedImages.
version=$(sed -n "s,.*/operator-sdk \(v[^ ]*\).*,\1,p" "$root/tools/operator-sdk/go.mod")
layout=$(sed -n '/^layout:/{n;s/^- //p;}' "$root/PROJECT")
sed -i -e "s/operator-sdk-unknown/operator-sdk-$version/" -e "s#\(project_layout[:=] *\)unknown#\1$layout#" \
  "$csv" bundle/metadata/annotations.yaml bundle.Dockerfile
sed -i "s|^    createdAt: .*|$(grep '^    createdAt: ' "$base")|" "$csv"
manager=$(sed -n 's/^ *image: //p' "$csv")
memcached=$(sed -n '/name: MEMCACHED_IMAGE$/{n;s/^ *value: //p;}' "$csv")
: "${manager:?}" "${memcached:?}"
sed -i "s|^  version: .*|  relatedImages:\n  - image: $manager\n    name: manager\n  - image: $memcached\n    name: memcached\n&|" "$csv"

rm -rf "$target/bundle"
mv bundle bundle.Dockerfile "$target"
