# The version of the operator, and the image it is in.
VERSION ?= 0.0.1
IMAGE_TAG_BASE ?= example.com/memcached-operator
IMG ?= $(IMAGE_TAG_BASE):v$(VERSION)

# For docker-build: docker, podman, buildah, or what speaks like them.
CONTAINER_TOOL ?= docker
PLATFORMS ?= linux/arm64,linux/amd64,linux/s390x,linux/ppc64le

SHELL = /usr/bin/env bash -o pipefail
.SHELLFLAGS = -ec

# Everything is built without cgo, so that Go's build cache serves the operator,
# its tests and the local node alike.
export CGO_ENABLED = 0

# Tools are Go modules, pinned in a module of their own under tools/.
TOOL = go tool -modfile=$(CURDIR)/tools/$(1)/go.mod
CONTROLLER_GEN = $(call TOOL,codegen) controller-gen
CRD_REF_DOCS = $(call TOOL,codegen) crd-ref-docs
KUSTOMIZE = $(call TOOL,kustomize) kustomize
GINKGO = $(call TOOL,ginkgo) ginkgo
GOLANGCI_LINT = $(call TOOL,lint) golangci-lint
CLUSTER = go run -C test/cluster . $(1) -project $(CURDIR) -operator-image $(IMG)
KUBECTL ?= kubectl

# Where the local node is.
LOCAL_BIN = $(CURDIR)/.cluster/bin
export KUBEBUILDER_ASSETS ?= $(LOCAL_BIN)
LOCAL_KUBECONFIG = $(CURDIR)/.cluster/kubeconfig

# kustomized prints the manifests under config/$(1) with the operator's image
# set to IMG. It works on a copy (inside the clone, where `go tool` finds a
# module): deploying must not leave the clone changed.
kustomized = mkdir -p bin && copy=$$(mktemp -d $(CURDIR)/bin/config.XXXXXX) && trap 'rm -rf $$copy' EXIT && cp -r config $$copy && \
	(cd $$copy/config/manager && $(KUSTOMIZE) edit set image controller=$(IMG)) && \
	$(KUSTOMIZE) build $$copy/config/$(1)

# The targets of `make test` share the local node.
.NOTPARALLEL:

.PHONY: all
all: build

##@ General

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN {FS = ":.*##"} /^[a-zA-Z0-9_-]+:.*##/ {printf "  \033[36m%-18s\033[0m %s\n", $$1, $$2} /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)}' $(MAKEFILE_LIST)

##@ See it work

.PHONY: demo
demo: ## Show the operator at work, on a local node or (USE_EXISTING_CLUSTER=true IMG=...) on your cluster.
	hack/demo.sh up $(IMG)

.PHONY: demo-down
demo-down: ## Remove what the demo made.
	hack/demo.sh down $(IMG)

.PHONY: cluster
cluster: ## Start the local Kubernetes node (as root, on Debian); kubeconfig in .cluster/kubeconfig.
	$(call CLUSTER,up)

.PHONY: cluster-load
cluster-load: ## Build the operator anew and load its image into the local node.
	$(call CLUSTER,load)

.PHONY: cluster-down
cluster-down: ## Stop the local node and remove all that it made.
	$(call CLUSTER,down)

##@ Development

.PHONY: manifests
manifests: ## Generate the CRD and the manager's role.
	$(CONTROLLER_GEN) rbac:roleName=manager-role crd paths="./api/..." paths="./internal/..." output:crd:artifacts:config=config/crd/bases

.PHONY: generate
generate: ## Generate DeepCopy methods.
	$(CONTROLLER_GEN) object:headerFile=hack/boilerplate.go.txt paths="./api/..."

.PHONY: docs
docs: ## Generate the API reference, docs/api.md.
	$(CRD_REF_DOCS) --source-path=api --config=docs/api.config.yaml --renderer=markdown --output-path=docs/api.md

.PHONY: fmt
fmt: ## Format the code.
	go fmt ./...

.PHONY: vet
vet: ## Run go vet.
	go vet -tags=e2e ./...

.PHONY: lint
lint: ## Run the linters.
	$(GOLANGCI_LINT) run --build-tags=e2e ./...
	for module in test/bench test/cluster test/bundle test/olm; do \
		(cd $$module && $(GOLANGCI_LINT) run --config=$(CURDIR)/.golangci.yml --build-tags=e2e,olm ./...); done

.PHONY: lint-fix
lint-fix: ## Run the linters and mend what they can.
	$(GOLANGCI_LINT) run --fix ./...

.PHONY: run
run: manifests generate ## Run the manager here, against the cluster of the current kubeconfig.
	MEMCACHED_IMAGE=$${MEMCACHED_IMAGE:-$(MEMCACHED_IMAGE)} go run ./cmd --leader-election=none

# The default image of the memcached nodes stands in one place.
MEMCACHED_IMAGE = $(shell sed -n '/name: MEMCACHED_IMAGE/{n;s/.*value: //p;}' config/manager/manager.yaml)

##@ Tests

.PHONY: test
test: check proof-ci test-cluster test-e2e test-e2e-olm ## Run every check and test there is (as root, on Debian).

.PHONY: check
check: lint verify test-unit test-integration test-cli bundle-validate catalog-validate test-bundle ## Run what needs neither root nor the local node.

.PHONY: verify
verify: ## Check that generating again changes nothing and that modules are tidy.
	hack/verify.sh

.PHONY: test-unit
test-unit: ## Test the pure packages and the command.
	go test -shuffle=on ./api/... ./cmd/... ./internal/resources/... ./internal/status/...

.PHONY: envtest
envtest: ## Build what tests without a node need into .cluster/bin.
	$(call CLUSTER,assets)

.PHONY: test-integration
test-integration: envtest ## Test the controller against a real API server and etcd.
	go test -p=1 ./internal/controller/... ./internal/olm/... -ginkgo.no-color -ginkgo.randomize-all

.PHONY: test-cli
test-cli: ## Test that the kubebuilder CLI goes on working here.
	hack/test-cli.sh

.PHONY: test-cluster
test-cluster: ## Test the local node (as root, on Debian).
	cd test/cluster && go test -tags=e2e ./... -timeout=20m

.PHONY: test-e2e
test-e2e: cluster ## Test the operator on the local node.
	$(call CLUSTER,load)
	PATH=$(LOCAL_BIN):$$PATH NO_PROXY=$${NO_PROXY:+$$NO_PROXY,}10.0.0.0/8 KUBECONFIG=$(LOCAL_KUBECONFIG) AUDIT_LOG=$(CURDIR)/.cluster/log/audit.log IMG=$(IMG) \
		$(GINKGO) -procs=4 -tags=e2e -timeout=30m -no-color ./test/e2e
	$(MAKE) cluster-down

##@ Build

.PHONY: build
build: manifests generate fmt vet ## Build the manager.
	go build -o bin/manager ./cmd

.PHONY: docker-build
docker-build: ## Build the image IMG.
	$(CONTAINER_TOOL) build -t $(IMG) .

.PHONY: docker-push
docker-push: ## Push the image IMG.
	$(CONTAINER_TOOL) push $(IMG)

.PHONY: docker-buildx
docker-buildx: ## Build and push the image IMG for all PLATFORMS.
	$(CONTAINER_TOOL) buildx build --push --platform=$(PLATFORMS) --tag $(IMG) .

.PHONY: build-installer
build-installer: manifests generate ## Write CRD and operator, with IMG, to dist/install.yaml.
	mkdir -p dist
	$(call kustomized,default) > dist/install.yaml

##@ Deployment

# ignore-not-found=true lets uninstall and undeploy pass where nothing is left.
ignore-not-found ?= false

.PHONY: install
install: manifests ## Install the CRD into the cluster of the current kubeconfig.
	$(KUSTOMIZE) build config/crd | $(KUBECTL) apply -f -

.PHONY: uninstall
uninstall: ## Remove the CRD, and with it every Memcached; delete those first.
	$(KUSTOMIZE) build config/crd | $(KUBECTL) delete --ignore-not-found=$(ignore-not-found) -f -

.PHONY: deploy
deploy: manifests ## Deploy the operator, with IMG, to the cluster of the current kubeconfig.
	$(call kustomized,default) | $(KUBECTL) apply -f -

.PHONY: undeploy
undeploy: ## Remove the operator and the CRD; delete every Memcached first.
	$(call kustomized,default) | $(KUBECTL) delete --ignore-not-found=$(ignore-not-found) -f -

include proof.mk
include olm.mk
include olm-test.mk
