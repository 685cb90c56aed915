#!/usr/bin/env bash
# The demo of OLM: a Subscription installs the operator, and a cache serves.
# Each command is shown before it runs. It needs what `make olm-demo` builds.
set -euo pipefail
cd "$(dirname "$0")/.."
export KUBECONFIG=$PWD/.cluster/kubeconfig PATH=$PWD/bin/olm:$PWD/.cluster/bin:$PATH
namespace=memcached-demo
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  printf '\033[36m$ %s\033[0m\n' "$*"
  "$@"
}

say "The Operator Lifecycle Manager"
kubectl apply --server-side -f "$OLM_CRDS" >/dev/null
kubectl wait --for=condition=Established -f "$OLM_CRDS" --timeout=1m >/dev/null
run kubectl apply --server-side -f test/olm/olm.yaml
run kubectl rollout status --namespace olm deployment/olm-operator --timeout=2m
run kubectl rollout status --namespace olm deployment/catalog-operator --timeout=2m

say "A catalog with the bundle in it"
channel=$(sed -n 's/.*bundle.channel.default.v1: //p' bundle/metadata/annotations.yaml)
version=$(sed -n 's/^  name: memcached-operator.v//p' bundle/manifests/memcached-operator.clusterserviceversion.yaml)
{
  opm render --output=json bundle
  echo "{\"schema\":\"olm.package\",\"name\":\"memcached-operator\",\"defaultChannel\":\"$channel\"}"
  echo "{\"schema\":\"olm.channel\",\"package\":\"memcached-operator\",\"name\":\"$channel\",\"entries\":[{\"name\":\"memcached-operator.v$version\"}]}"
} >"$scratch/catalog.json"
kubectl create configmap memcached --namespace olm --from-file="$scratch/catalog.json" --dry-run=client --output=yaml | kubectl apply --server-side -f - >/dev/null
sed 's/NAME/memcached/g' test/olm/catalog.yaml | kubectl apply -f - >/dev/null
kubectl rollout status --namespace olm deployment/memcached --timeout=1m >/dev/null
cat >"$scratch/catalog-source.yaml" <<'YAML'
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata:
  name: memcached
  namespace: olm
spec:
  sourceType: grpc
  address: memcached.olm.svc:50051
YAML
run cat "$scratch/catalog-source.yaml"
run kubectl apply -f "$scratch/catalog-source.yaml"

say "The operator, by a Subscription, for all namespaces"
cat >"$scratch/subscription.yaml" <<YAML
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata:
  name: all-namespaces
  namespace: operators
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: memcached-operator
  namespace: operators
spec:
  name: memcached-operator
  channel: $channel
  source: memcached
  sourceNamespace: olm
YAML
run cat "$scratch/subscription.yaml"
run kubectl apply -f "$scratch/subscription.yaml"
run kubectl wait --namespace operators --for=create "clusterserviceversion/memcached-operator.v$version" --timeout=2m
run kubectl wait --namespace operators --for=jsonpath='{.status.phase}'=Succeeded "clusterserviceversion/memcached-operator.v$version" --timeout=3m
run kubectl get subscriptions,installplans,clusterserviceversions,pods --namespace operators

say "A cache"
kubectl create namespace "$namespace" --dry-run=client --output=yaml | kubectl apply -f - >/dev/null
kubectl label namespace "$namespace" --overwrite pod-security.kubernetes.io/enforce=restricted >/dev/null
kubectl apply --namespace "$namespace" -f hack/demo-client.yaml >/dev/null
run kubectl apply --namespace "$namespace" -f config/samples/cache_v1alpha1_memcached.yaml
run kubectl wait --namespace "$namespace" --for=condition=Ready memcached/memcached-sample --timeout=2m
run kubectl get memcached --namespace "$namespace" --output=wide
kubectl wait --namespace "$namespace" --for=condition=Ready pod/client --timeout=2m >/dev/null
# shellcheck disable=SC2016 # the pod expands it
run kubectl exec --namespace "$namespace" client -- sh -c \
  'printf "set greeting 0 60 5\r\nhello\r\nget greeting\r\nquit\r\n" | nc memcached-sample 11211'

say "What to try next"
printf '  export KUBECONFIG=%s PATH=%s:$PATH\n' "$KUBECONFIG" "$PWD/.cluster/bin"
cat <<NEXT
  kubectl get operatorcondition -n operators -o yaml    whether OLM may upgrade now, and why
  kubectl delete subscription,csv --all -n operators    uninstalls the operator; the cache goes on
  make cluster-down                                     removes all of it
NEXT
