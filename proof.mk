# Reliability and performance, proven. The Makefile includes this file.

##@ Reliability and performance

# Which plans are played (a regular expression of their names; all by default),
# only so many of them, spread over all (0: all), for how long random ones, and
# the seed of the first of those.
PLAN ?=
FEW ?= 0
SOAK ?= $(if $(PLAN),0,10m)
SEED ?= $(shell date +%s)

CAMPAIGN = go run ./test/campaign -assets $(KUBEBUILDER_ASSETS)
BENCH = go run -C test/bench . -project $(CURDIR) $(BENCH_ARGS)

.PHONY: proof-ci
proof-ci: campaign-ci bench-ci ## Play and measure what can be in some minutes.

.PHONY: campaign
campaign: envtest ## Play the fault campaign, test its oracles and write docs/reliability.md; or only PLAN.
	$(CAMPAIGN) -few $(FEW) -soak $(SOAK) -seed $(SEED) $(if $(PLAN),-only '$(PLAN)',-mutants -report docs/reliability.md)

.PHONY: campaign-ci
campaign-ci: envtest ## Play a selection of the fault campaign.
	$(CAMPAIGN) -few 120 -parallel 12

.PHONY: bench
bench: envtest ## Measure the operator against the least work possible, in about an hour; writes docs/performance.md (BENCH_ARGS=-help).
	$(BENCH)

.PHONY: bench-ci
bench-ci: envtest ## Check how many requests the operator needs and how it grows, in about three minutes.
	go test -C test/bench ./...
	$(BENCH) -ci
