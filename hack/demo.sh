#!/usr/bin/env bash
# The demo: the operator at work, each command shown before it runs.
#   hack/demo.sh up IMAGE     on a local node of its own, or, with
#                             USE_EXISTING_CLUSTER=true, on the cluster of the
#                             current kubeconfig, which must be able to pull IMAGE
#   hack/demo.sh down IMAGE   removes all of it
set -euo pipefail
cd "$(dirname "$0")/.."
verb=$1 image=$2
existing=${USE_EXISTING_CLUSTER:-false}
namespace=memcached-demo
cache=memcached-sample

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  printf '\033[36m$ %s\033[0m\n' "$*"
  "$@"
}
quietly() { make --no-print-directory "$@" >/dev/null; }

connect() {
  if [ "$existing" = true ]; then
    command -v kubectl >/dev/null || { echo "kubectl is not on the PATH: install it, or leave USE_EXISTING_CLUSTER out" >&2; exit 1; }
    say "Using the cluster of the current kubeconfig:"
    kubectl config current-context
    kubectl cluster-info | head -n 1
    return
  fi
  export KUBECONFIG=$PWD/.cluster/kubeconfig PATH=$PWD/.cluster/bin:$PATH
  # The node is not behind any proxy.
  export NO_PROXY=${NO_PROXY:+$NO_PROXY,}10.0.0.0/8
}

# What a client of the cache does: it asks DNS for the address of every node,
# and each node keeps what it is told.
client='
nodes() { nslookup "$CACHE" | sed -n "/^Name:/,\$s/^Address.*: *//p" | sort -u; }
until [ "$(nodes | wc -l)" = "$SIZE" ]; do sleep 1; done # DNS servers keep an answer for some seconds
nodes | while read -r node; do
  echo "node $node answers:"
  printf "set greeting 0 60 5\r\nhello\r\nget greeting\r\nquit\r\n" | nc "$node" 11211 | sed "s/^/    /"
done'

talk() { # talk SIZE
  run kubectl exec --namespace "$namespace" client -- env SIZE="$1" CACHE="$cache.$namespace.svc.cluster.local" timeout 60 sh -c "$client"
}

up() {
  if [ "$existing" != true ]; then
    say "A Kubernetes node of this project's own (built the first time, which takes minutes)"
    make --no-print-directory cluster IMG="$image"
  fi
  connect
  say "The operator, from config/default"
  printf '\033[36m$ make deploy IMG=%s\033[0m\n' "$image"
  quietly deploy IMG="$image"
  run kubectl rollout status --namespace memcached-operator-system deployment/memcached-operator-controller-manager --timeout=3m

  say "A cache of one node"
  kubectl create namespace "$namespace" --dry-run=client --output=yaml | kubectl apply -f - >/dev/null
  kubectl label namespace "$namespace" --overwrite pod-security.kubernetes.io/enforce=restricted >/dev/null
  kubectl apply --namespace "$namespace" -f hack/demo-client.yaml >/dev/null
  run cat config/samples/cache_v1alpha1_memcached.yaml
  run kubectl apply --namespace "$namespace" -f config/samples/cache_v1alpha1_memcached.yaml
  run kubectl wait --namespace "$namespace" --for=condition=Ready "memcached/$cache" --timeout=2m
  run kubectl get memcached --namespace "$namespace" --output=wide
  kubectl wait --namespace "$namespace" --for=condition=Ready pod/client --timeout=2m >/dev/null
  talk 1

  say "Scaled to three nodes"
  run kubectl scale --namespace "$namespace" "memcached/$cache" --replicas=3
  run kubectl wait --namespace "$namespace" --for=condition=Ready "memcached/$cache" --timeout=2m
  run kubectl get memcached --namespace "$namespace" --output=wide
  talk 3

  say "Somebody deletes the Deployment; it comes back"
  run kubectl delete deployment --namespace "$namespace" "$cache"
  run kubectl wait --namespace "$namespace" --for=create "deployment/$cache" --timeout=1m
  run kubectl wait --namespace "$namespace" --for=condition=Ready "memcached/$cache" --timeout=2m
  run kubectl get memcached,deployment,pods --namespace "$namespace"

  say "What to try next"
  [ "$existing" = true ] || printf '  export KUBECONFIG=%s PATH=%s:$PATH\n' "$PWD/.cluster/kubeconfig" "$PWD/.cluster/bin"
  cat <<NEXT
  kubectl config set-context --current --namespace $namespace
  kubectl get events --watch                          what the operator does, and why
  kubectl scale deployment/$cache --replicas=0        put right at once
  kubectl scale memcached/$cache --replicas=4         refused, with the reason
  kubectl describe memcached $cache                   the conditions
  make demo-down                                      removes all of it
NEXT
}

down() {
  if [ "$existing" != true ]; then
    make --no-print-directory cluster-down
    return
  fi
  connect
  # Resources first: the operator has to let them go.
  kubectl get crd memcacheds.cache.example.com >/dev/null 2>&1 &&
    run kubectl delete memcached --all --namespace "$namespace" --ignore-not-found
  run kubectl delete namespace "$namespace" --ignore-not-found
  if kubectl get memcached --all-namespaces --output=name 2>/dev/null | grep -q .; then
    echo "The operator stays: this cluster has other Memcached resources, which would hang without it." >&2
    echo "See them with: kubectl get memcached --all-namespaces" >&2
    exit 1
  fi
  printf '\033[36m$ make undeploy\033[0m\n'
  quietly undeploy ignore-not-found=true
}

if [ "$existing" = true ] && [ "$verb" = up ] && [[ "$image" == example.com/* ]]; then
  echo "USE_EXISTING_CLUSTER=true needs an image that the cluster can pull: make demo USE_EXISTING_CLUSTER=true IMG=registry/name:tag" >&2
  exit 1
fi
"$verb"
