# The OLM bundle and catalog.

# The channels that `make catalog` adds this version to; by default both, if it
# is in neither yet.
CHANNELS ?=
# Where the bundle is written.
BUNDLE_ROOT ?= .
BUNDLE_IMG ?= $(IMAGE_TAG_BASE)-bundle:v$(VERSION)
CATALOG_IMG ?= $(IMAGE_TAG_BASE)-catalog:latest
# The image of the scorecard tests in test/scorecard, which the bundle names.
SCORECARD_IMG ?= $(IMAGE_TAG_BASE)-scorecard:v$(VERSION)

# Not `go tool`, which takes no build tags.
OPERATOR_SDK = go run -modfile=$(CURDIR)/tools/operator-sdk/go.mod -tags=containers_image_openpgp github.com/operator-framework/operator-sdk/cmd/operator-sdk
OPM = go run -modfile=$(CURDIR)/tools/opm/go.mod -tags=json1,containers_image_openpgp github.com/operator-framework/operator-registry/cmd/opm

##@ OLM

.PHONY: bundle
bundle: manifests ## Generate the OLM bundle of VERSION, with IMG.
	VERSION=$(VERSION) IMG=$(IMG) SCORECARD_IMG=$(SCORECARD_IMG) KUSTOMIZE="$(KUSTOMIZE)" OPERATOR_SDK="$(OPERATOR_SDK)" hack/bundle.sh $(BUNDLE_ROOT)

.PHONY: bundle-validate
# In bundle/, because operator-sdk 1.28 cannot read PROJECT.
bundle-validate: ## Validate the bundle with operator-sdk.
	cd bundle && $(OPERATOR_SDK) bundle validate . --select-optional suite=operatorframework 2>&1 | \
		awk '/level=warning.* Migrate the API\(s\) for events: [^,]*"$$/ {known = 1; next} /level=(warning|error)/ {failed = 1} {print} \
		END {if (known) print "left out: the warning about events.k8s.io, see test/bundle/validators_test.go"; exit failed}'

.PHONY: test-bundle
# Uncached: Go does not see when files outside of the module change.
test-bundle: ## Test the bundle and the catalog.
	cd test/bundle && go test -count=1 ./...

.PHONY: bundle-build
bundle-build: ## Build the bundle's image, BUNDLE_IMG.
	$(CONTAINER_TOOL) build -f bundle.Dockerfile -t $(BUNDLE_IMG) .

.PHONY: bundle-push
bundle-push: ## Push the bundle's image, BUNDLE_IMG.
	$(CONTAINER_TOOL) push $(BUNDLE_IMG)

.PHONY: scorecard-build
scorecard-build: ## Build the image of the scorecard tests, SCORECARD_IMG.
	$(CONTAINER_TOOL) build -f test/scorecard/Dockerfile -t $(SCORECARD_IMG) .

.PHONY: scorecard-push
scorecard-push: ## Push the image of the scorecard tests, SCORECARD_IMG.
	$(CONTAINER_TOOL) push $(SCORECARD_IMG)

.PHONY: catalog
catalog: ## Put the bundle of VERSION, which is BUNDLE_IMG, into the catalog.
	VERSION=$(VERSION) BUNDLE_IMG=$(BUNDLE_IMG) CHANNELS=$(CHANNELS) OPM="$(OPM)" hack/catalog.sh

.PHONY: catalog-validate
catalog-validate: ## Validate the catalog with opm.
	$(OPM) validate catalog

.PHONY: catalog-build
catalog-build: ## Build the catalog's image, CATALOG_IMG.
	$(CONTAINER_TOOL) build -f catalog.Dockerfile -t $(CATALOG_IMG) .

.PHONY: catalog-push
catalog-push: ## Push the catalog's image, CATALOG_IMG.
	$(CONTAINER_TOOL) push $(CATALOG_IMG)

.PHONY: release
release: ## Make the release VERSION: version, bundle and catalog; see RELEASING.md.
	@[ "$(origin VERSION)" = "command line" ] || { echo "say which: make release VERSION=X.Y.Z" >&2; exit 1; }
	@! git rev-parse --quiet --verify refs/tags/v$(VERSION) >/dev/null || { echo "v$(VERSION) is released, and stays as it is" >&2; exit 1; }
	sed -i 's/^VERSION ?= .*/VERSION ?= $(VERSION)/' Makefile
	cd config/manager && $(KUSTOMIZE) edit set image controller=$(IMG)
	sed -i "s/^    createdAt: .*/    createdAt: \"$$(date -u +%Y-%m-%dT%H:%M:%SZ)\"/" config/manifests/bases/memcached-operator.clusterserviceversion.yaml
	$(MAKE) bundle bundle-validate
	$(MAKE) catalog test-bundle
