# A thin layer over CMake: every target is a line or two that you could type. `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: docs papers build run test test-long sanitize fuzz laws arm64 web fresh bench install format clean help debug asan tsan coverage clang validation figures pictures

PREFIX ?= /usr/local
JOBS := $(shell nproc 2>/dev/null || echo 2)
# Some tests mostly wait.
TESTS_AT_ONCE := $(shell expr $(JOBS) + 1)

# A tree that is new has no tests: they need packages that the program does not. `make test` adds them, and they stay.
CONFIGURE := cmake --preset release --log-level=WARNING --no-warn-unused-cli
WITHOUT_TESTS := $(if $(wildcard build/CMakeCache.txt),,-DASHLAR_TESTS=OFF)

build: ## build the library and the program into build/ (needs the packages: tools/setup)
	@$(CONFIGURE) $(WITHOUT_TESTS) >/dev/null
	@cmake --build --preset release --target product -- -j$(JOBS)

# The roof falls at 0.5 s and the ball is shot at 2 s, sooner than in the paper: all of it takes less than a minute.
ROOF_TOWER := roof-tower --set roof-time=0.5 --set ball-time=2
FIVE := erleben-2007,guendelman-2003,dejong-2014,realtime,engineering:step-control=fixed

run: ## install what is missing, build, and run the flagship: a tower, a roof that falls on it, a cannonball (Erleben 2007)
	@tools/setup run
	@$(CONFIGURE) $(WITHOUT_TESTS) >/dev/null
	@cmake --build --preset release --target ashlar-cli -- -j$(JOBS)
	@mkdir -p out
	@build/ashlar run $(ROOF_TOWER) --time 4 --check --out out/roof-tower
	@build/ashlar picture $(ROOF_TOWER) --at 2 --frames 3 --every 0.7 --size 640x560 --samples 4 \
	  --eye -13,-17,9 --look 1,0,3.6 --fov 31 -o out/roof-tower/tower.png
	@printf '%s\n' '' 'A smaller tower of 100 bricks, by five methods:'
	@build/ashlar compare roof-tower --methods $(FIVE) --set layers=10 --set per-layer=10 --set roof-time=0.2 \
	  --set ball-time=1 --time 1.8
	@printf '%s\n' '' \
	  'What it means. Every method brings the tower down. They differ in cost and in error, and the table lets you choose:' \
	  'realtime is the cheapest, and engineering satisfies the contact law best (residual). Its overlap here does not come' \
	  'from its solver: at a fixed step of 10 ms the ball, at 40 m/s, is up to 0.4 m inside the bricks before it is found' \
	  '(with step-control=impacts, the default of engineering, steps stop at the impact). The residual is the distance of' \
	  'the velocities at the worst contact of the worst step from a solution; no body moves that fast. The hundreds of m/s' \
	  'of erleben-2007 are from the step in which the ball hits: shock propagation then treats lower bricks as fixed.' \
	  '' 'Next, watch it in the browser, pull bricks out, shoot:' '' '  build/ashlar view roof-tower' '' \
	  'and make a scene of your own:' '' '  cp scenes/pyramid.json mine.json    # change it in an editor' '  build/ashlar view mine.json'

test: ## install what is missing, build, and run every test (long ones in part: test-long)
	@tools/setup test
	@$(CONFIGURE) -DASHLAR_TESTS=ON >/dev/null
	@cmake --build --preset release -- -j$(JOBS)
	@ctest --preset release -j$(TESTS_AT_ONCE) --output-junit results.xml

test-long: ## the same tests with all of their random trials, allocations and experiments, in build-long/ (half an hour)
	@tools/setup test
	@tools/preset long

sanitize: ## build by clang and test under the sanitizers of addresses and undefined behaviour, fuzz, and test threads
	@tools/setup sanitize
	@tools/preset asan tsan

SECONDS ?= 60
fuzz: ## make up inputs for every reader, SECONDS (60) for each, and say what was found
	@tools/setup sanitize
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build --preset fuzz -- -j$(JOBS)
	@tools/fuzz $(SECONDS) build-fuzz/tests/fuzz-*

arm64: ## build the core for arm64, run it under qemu, and compare its results with this machine's bit by bit
	@tools/setup arm64
	@tools/arm64

web: ## build the viewer as one HTML file with the engine inside (WebAssembly): out/web/index.html
	@tools/setup web
	@tools/web

fresh: ## follow make run, make install and the build of make test on a clean Debian 12, in a chroot (root, debootstrap)
	@tools/fresh

# Of each of the twelve families: more than 100 000 worlds by every preset.
WORLDS ?= 9091

laws: ## judge 100 000 generated worlds by every preset (hours; WORLDS=100 for some minutes): docs/laws.md
	@tools/setup test
	@$(CONFIGURE) -DASHLAR_TESTS=ON >/dev/null
	@cmake --build --preset release --target ashlar-laws -- -j$(JOBS)
	@mkdir -p out/laws
	@build/tests/ashlar-laws --worlds $(WORLDS) --known tests/laws/known.txt --shrink 1 --out out/laws
	@build/tests/ashlar-laws --long 20 --known tests/laws/long.txt

bench: build ## run the benchmarks
	@build/ashlar bench

install: ## install what is missing, build, and install into PREFIX (/usr/local), below DESTDIR when it is set
	@tools/setup run
	@$(MAKE) --no-print-directory build
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

format: ## lay out every C file as .clang-format says
	@find include src scene experiments app bench tests -name '*.[ch]' -print0 | xargs -0 clang-format -i

debug clang asan tsan: ## build and test under that preset, in build-NAME/
	@tools/setup sanitize
	@tools/preset $@

coverage: ## print the line coverage of the libraries; below 90 % is an error
	@tools/setup sanitize
	@tools/preset coverage

docs: ## install what is missing, build, and make the documentation site in build/docs (offline, with search)
	@tools/setup docs
	@$(MAKE) --no-print-directory build
	@tools/docs build/ashlar build/docs

papers: build ## write docs/papers.md from the tables of the papers
	@tools/papers build/ashlar >docs/papers.md

validation: build ## write docs/validation.md anew from this machine
	@tools/validation build/ashlar >docs/validation.md

figures: build ## make the figures and tables of docs/convergence.md anew
	@tools/figures build/ashlar

pictures: build ## make the pictures of README.md and docs/ anew (minutes; their commands are in the documents)
	@tools/pictures build/ashlar

clean: ## remove all builds and results
	@rm -rf build build-* out

help: ## this list
	@sed -n 's/^\([a-z0-9 ]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
