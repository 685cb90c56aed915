# Tests against the real Operator Lifecycle Manager, on the local node. The
# Makefile includes this file.

##@ Operator Lifecycle Manager

OLM_VERSION = v0.28.0
OPM_VERSION = v1.56.0
SDK_VERSION = v1.28.0

OLM_BIN = $(CURDIR)/bin/olm
OLM_COMMANDS = $(addprefix $(OLM_BIN)/,olm catalog cpb)
OLM_IMAGES = $(addprefix $(OLM_BIN)/images/,olm.tar opm.tar untar.tar scorecard.tar custom.tar)
# node-image is the archive of an image that the node has.
node-image = $(CURDIR)/.cluster/images/$(subst :,_,$(subst /,_,$(1))).tar
# What an image starts from is the busybox that the node has, too.
OLM_BASE = $(call node-image,docker.io/library/busybox:1.37)
OLM_PARTS = $(OLM_BIN)/parts

# It is small and changes, so the go command decides.
.PHONY: olm-parts
olm-parts:
	go build -C test/olm -o $(OLM_BIN)/parts ./parts
	command -v buildah >/dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends buildah >/dev/null; }

$(OLM_COMMANDS) &: tools/olm/go.sum
	mkdir -p $(OLM_BIN)
	go build -C tools/olm -trimpath -ldflags="-s -w" -o $(OLM_BIN)/ tool
	touch $(OLM_COMMANDS)

$(OLM_BIN)/grpc_health_probe: tools/olm/probe/go.sum
	go build -C tools/olm/probe -trimpath -ldflags="-s -w" -o $@ github.com/grpc-ecosystem/grpc-health-probe

$(OLM_BIN)/opm: tools/opm/go.sum
	go build -C tools/opm -trimpath -ldflags="-s -w" -tags=json1,containers_image_openpgp -o $@ github.com/operator-framework/operator-registry/cmd/opm

$(OLM_BIN)/operator-sdk: tools/operator-sdk/go.sum
	go build -C tools/operator-sdk -trimpath -tags=containers_image_openpgp -o $@ \
		-ldflags="-s -w -X github.com/operator-framework/operator-sdk/internal/version.Version=$(SDK_VERSION)" \
		github.com/operator-framework/operator-sdk/cmd/operator-sdk

$(OLM_BIN)/scorecard-test: tools/scorecard/go.sum
	go build -C tools/scorecard -trimpath -ldflags="-s -w" -o $@ github.com/operator-framework/operator-sdk/images/scorecard-test

# Its sources change, so the go command decides what is to be done.
.PHONY: olm-custom
olm-custom:
	go build -trimpath -o $(OLM_BIN)/scorecard-custom.new ./test/scorecard
	cmp -s $(OLM_BIN)/scorecard-custom.new $(OLM_BIN)/scorecard-custom || cp $(OLM_BIN)/scorecard-custom.new $(OLM_BIN)/scorecard-custom

$(OLM_BIN)/images/olm.tar: $(OLM_COMMANDS) | olm-parts
	$(OLM_PARTS) image -base=$(OLM_BASE) -out=$@ -reference=quay.io/operator-framework/olm:$(OLM_VERSION) \
		$(foreach command,olm catalog cpb,/usr/bin/$(command)=$(OLM_BIN)/$(command))

# Below /usr/bin, because busybox links /bin to it: a folder would hide the link.
# operator-sdk asks an index image for the label, and for something to extend.
$(OLM_BIN)/images/opm.tar: $(OLM_BIN)/opm $(OLM_BIN)/grpc_health_probe | olm-parts
	$(OLM_PARTS) image -base=$(OLM_BASE) -out=$@ -reference=quay.io/operator-framework/opm:$(OPM_VERSION) -entrypoint=/bin/opm \
		-label=operators.operatorframework.io.index.configs.v1=/configs \
		/usr/bin/opm=$(OLM_BIN)/opm /usr/bin/grpc_health_probe=$(OLM_BIN)/grpc_health_probe /configs/.indexignore=/dev/null

$(OLM_BIN)/images/untar.tar: | olm-parts
	$(OLM_PARTS) image -base=$(OLM_BASE) -out=$@ -reference=quay.io/operator-framework/scorecard-untar:v1

$(OLM_BIN)/images/scorecard.tar: $(OLM_BIN)/scorecard-test | olm-parts
	$(OLM_PARTS) image -base=$(OLM_BASE) -out=$@ -reference=quay.io/operator-framework/scorecard-test:$(SDK_VERSION) \
		/usr/bin/scorecard-test=$(OLM_BIN)/scorecard-test

$(OLM_BIN)/images/custom.tar: $(OLM_BIN)/scorecard-custom Makefile | olm-parts
	$(OLM_PARTS) image -out=$@ -reference=$(SCORECARD_IMG) -user=65532 -entrypoint=/scorecard /scorecard=$(OLM_BIN)/scorecard-custom
$(OLM_BIN)/scorecard-custom: olm-custom

.PHONY: olm-images
olm-images: $(OLM_IMAGES) olm-parts $(OLM_BIN)/operator-sdk ## Build OLM, opm, operator-sdk and the images that they need.

# The images of the version after this one, which the tests make, are the same.
# olm-suite runs the specs that $(1) selects, and leaves the node running if
# one fails. It starts the node by itself: in `make test`, the node that was there
# for other tests is down again, and make does not make a target twice.
define olm-suite
	$(call CLUSTER,up)
	$(call CLUSTER,load)
	$(OLM_PARTS) tag $(call node-image,$(IMG)) $(IMAGE_TAG_BASE):v99.0.0 $(OLM_BIN)/images/next.tar
	$(OLM_PARTS) tag $(call node-image,$(MEMCACHED_IMAGE)) example.com/memcached:next $(OLM_BIN)/images/next-memcached.tar
	$(call CLUSTER,load) $(OLM_IMAGES) $(OLM_BIN)/images/next.tar $(OLM_BIN)/images/next-memcached.tar
	cd test/olm && PATH=$(OLM_BIN):$(KUBEBUILDER_ASSETS):$$PATH KUBECONFIG=$(LOCAL_KUBECONFIG) OLM_IMAGES=$(OLM_BIN)/images \
		OLM_CRDS=$$(go list -C $(CURDIR)/tools/olm -m -f '{{.Dir}}' github.com/operator-framework/operator-lifecycle-manager)/deploy/chart/crds \
		$(GINKGO) -tags=olm -timeout=1h -no-color -v $(1) .
endef

.PHONY: test-e2e-olm
test-e2e-olm: cluster olm-images ## Test installation, upgrade and removal by OLM on the local node.
	$(call olm-suite,-label-filter='!slow')
	$(MAKE) cluster-down

.PHONY: test-olm
test-olm: cluster olm-images ## Test everything about OLM, its timeouts and killed pods too (slow).
	$(call olm-suite)
	$(MAKE) cluster-down

.PHONY: olm-demo
olm-demo: cluster olm-images ## Show OLM installing the operator on the local node.
	$(call CLUSTER,load) $(OLM_IMAGES)
	OLM_CRDS=$$(go list -C $(CURDIR)/tools/olm -m -f '{{.Dir}}' github.com/operator-framework/operator-lifecycle-manager)/deploy/chart/crds hack/olm-demo.sh
