# A thin layer over CMake: every target is a line or two that you could type. `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: build run test bench install format clean help debug asan tsan coverage clang validation figures pictures

PREFIX ?= /usr/local
JOBS := $(shell nproc 2>/dev/null || echo 2)

build: ## build the library and the program into build/ (needs the packages: tools/setup)
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release -- -j$(JOBS)

# The roof falls at 0.5 s and the ball is shot at 2 s, sooner than in the paper: all of it takes less than a minute.
ROOF_TOWER := roof-tower --set roof-time=0.5 --set ball-time=2
FIVE := erleben-2007,guendelman-2003,dejong-2014,realtime,engineering:step-control=fixed

run: ## install what is missing, build, and run the flagship: a tower, a roof that falls on it, a cannonball (Erleben 2007)
	@tools/setup run
	@$(MAKE) --no-print-directory build
	@mkdir -p out
	@build/ashlar run $(ROOF_TOWER) --time 4 --check --out out/roof-tower
	@build/ashlar picture $(ROOF_TOWER) --at 2 --frames 3 --every 0.7 --size 640x560 --samples 4 \
	  --eye -13,-17,9 --look 1,0,3.6 --fov 31 -o out/roof-tower/tower.png
	@printf '%s\n' '' 'A smaller one, of 100 bricks, by five methods: what each costs, how far bricks went, how deep they overlap'
	@build/ashlar compare roof-tower --methods $(FIVE) --set layers=10 --set per-layer=10 --set roof-time=0.2 \
	  --set ball-time=1 --time 1.8
	@printf '%s\n' '' \
	  'The tower of Erleben (2007): 800 bricks without mortar bear a falling roof, until the ball comes. Look next at' \
	  '  out/roof-tower/tower-0001.png, -0002.png, -0003.png  before the ball, the crack, the collapse' \
	  '  out/roof-tower/recording.h5, outputs.csv, ledger.csv all that was recorded' \
	  '  build/ashlar view roof-tower                         the same in the browser: watch, pull, shoot' \
	  '  build/ashlar run tower --check                       320 bricks by the exact method: nothing moves' \
	  '  build/ashlar compare stack-20 --methods gribel-2009,dejong-2014,engineering' \
	  '                                                       twenty boxes by three methods: which stand?' \
	  '  build/ashlar run string --plot middle                the string of de Jong (2014), let go 50 mm aside' \
	  '  build/ashlar list                                    the other scenes, and the methods' \
	  '  build/ashlar validate                                every experiment beside its paper'

test: ## install what is missing, build, and run every test, also under clang and the sanitizers
	@tools/setup test
	@$(MAKE) --no-print-directory build
	@ctest --preset release -j$(JOBS)

bench: build ## run the benchmarks
	@build/ashlar bench

install: build ## install into PREFIX (/usr/local), below DESTDIR when it is set
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

format: ## lay out every C file as .clang-format says
	@find include src cli bench tests -name '*.[ch]' -print0 | xargs -0 clang-format -i

debug clang asan tsan: ## build and test under that preset, in build-NAME/
	@tools/setup test
	@tools/preset $@

coverage: ## print the line coverage of src/; below 90 % is an error
	@tools/setup test
	@tools/preset coverage

validation: build ## write docs/validation.md anew from this machine
	@tools/validation build/ashlar >docs/validation.md

figures: build ## make the figures and tables of docs/convergence.md anew
	@tools/figures build/ashlar

pictures: build ## make the pictures of README.md and docs/ anew (minutes; their commands are in the documents)
	@tools/pictures build/ashlar

clean: ## remove all builds and results
	@rm -rf build build-* out

help: ## this list
	@sed -n 's/^\([a-z ]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
