# shellcheck shell=bash
# Installs the developer's tools. ./fairlane-dev sources this file and calls `setup`; nothing here runs by itself.
#
# Each tool goes into a folder of its own below TOOLS, so that nothing else on the machine changes.

# Packages of npm and of PyPI, with their digests, are in the lock files below .ci/npm and .ci/python: npm writes the
# former, uv the latter (the command is in each file).
TRUNK=0.21.14
SPLIT=0.2.4
MDBOOK=0.5.4
GECKO=0.37.1
TYPOS=$(sed -n 's/^typos==\([0-9.]*\).*/\1/p' .ci/python/typos.txt)
BINARYEN=$(sed -n 's/.*"binaryen": "\([0-9]*\).*/\1/p' .ci/npm/build/package.json)
# The wasm-bindgen command must have exactly the library's version, which Cargo.lock pins.
BINDGEN=$(awk '$0 == "name = \"wasm-bindgen\"" { getline; gsub(/[^0-9.]/, ""); print; exit }' Cargo.lock)

TOOLS=${FAIRLANE_TOOLS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/fairlane}
WASM=wasm32-unknown-unknown

# The folder of what a lock file names: another one once the lock file changes.
locked_folder() { # NAME LOCK-FILE
  printf '%s/%s-%s' "$TOOLS" "$1" "$(cksum <"$2" | cut -d' ' -f1)"
}
NPM_BUILD=$(locked_folder npm-build .ci/npm/build/package-lock.json)
NPM_TEST=$(locked_folder npm-test .ci/npm/test/package-lock.json)

# ---- Which tools are installed -------------------------------------------------------------------------------

# Prints the version a command reports, such as 0.21.14 for "trunk 0.21.14" or 132 for "wasm-opt version 132 (...)".
version_of() { # COMMAND
  if has "$1"; then
    "$1" --version 2>/dev/null | tr -s ' ' '\n' | sed 's/-.*//' | awk '/^[0-9]+(\.[0-9]+)*$/ { print; exit }'
  fi
}

# Puts our own folder of a tool first on the path.
use_folder() { # FOLDER
  case :$PATH: in *:"$1":*) ;; *) PATH=$1:$PATH ;; esac
}

# Succeeds if COMMAND is installed in our FOLDER, or on the path in this VERSION. Our folder goes first on the path:
# with another version there, Trunk would try to download wasm-bindgen, and Debian's wasm-opt breaks the page.
has_version() { # COMMAND VERSION FOLDER
  if [ -x "$3/$1" ]; then
    use_folder "$3"
  else
    [ "$(version_of "$1")" = "$2" ]
  fi
}

need_rust() {
  if ! has cargo && [ -x "${HOME:-}/.cargo/bin/cargo" ]; then PATH=$HOME/.cargo/bin:$PATH; fi
  if ! has cargo || ! has rustc; then
    die "Rust is missing: install it from https://rustup.rs, then try again."
  fi
  local required installed
  required=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  # rustup knows the toolchain of rust-toolchain.toml by its number; what it calls stable may be the same one.
  if ! rustc --version >/dev/null 2>&1 && [ "$(RUSTUP_TOOLCHAIN=stable version_of rustc)" = "$required" ]; then
    export RUSTUP_TOOLCHAIN=stable
  fi
  rustc --version >/dev/null 2>&1 || die "Rust $required is missing: run 'rustup toolchain install'."
  required=$(awk -F'"' '/^rust-version/ { print $2; exit }' Cargo.toml)
  installed=$(version_of rustc)
  if [ "$(printf '%s\n' "$required" "$installed" | sort -V | head -n 1)" != "$required" ]; then
    die "Rust $installed is too old; Fairlane needs $required: run 'rustup update stable'."
  fi
  has cc || has gcc || has clang ||
    die "a C compiler is missing; Rust links with it: install gcc or clang (Debian: apt-get install gcc libc6-dev)."
}

has_wasm_target() {
  local folder
  folder=$(rustc --print target-libdir --target "$WASM" 2>/dev/null) && ls "$folder"/libcore-*.rlib >/dev/null 2>&1
}

has_trunk() { has_version trunk "$TRUNK" "$TOOLS/trunk-$TRUNK/bin"; }

has_mdbook() { has_version mdbook "$MDBOOK" "$TOOLS/mdbook-$MDBOOK/bin"; }

has_wasm_opt() { has node && has_version wasm-opt "$BINARYEN" "$NPM_BUILD/node_modules/.bin"; }

has_typos() { has_version typos "$TYPOS" "$TOOLS/typos-$TYPOS/bin"; }

# What the tests use of npm: examples/build and the tests of the package for JavaScript read the packages' folder from
# FAIRLANE_EXAMPLES, the tests of types the compiler's path from FAIRLANE_TSC, and the tests of accessibility the
# checker's from FAIRLANE_AXE.
has_npm_packages() {
  export FAIRLANE_EXAMPLES=$NPM_TEST/node_modules
  export FAIRLANE_TSC=$FAIRLANE_EXAMPLES/typescript/lib/tsc.js FAIRLANE_AXE=$FAIRLANE_EXAMPLES/axe-core/axe.min.js
  [ -d "$FAIRLANE_EXAMPLES" ]
}

# Python is not required: without it the package for Python is not tested.
has_python() {
  has python3 && python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

has_python_wheels() {
  has_python || return 1
  # pip reads these.
  PIP_FIND_LINKS=$(locked_folder python-wheels .ci/python/package.txt)
  export PIP_FIND_LINKS=$PIP_FIND_LINKS-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ -d "$PIP_FIND_LINKS" ]
}

# Spark is not required: without Java and PySpark nothing is tested with it. The tests read its path from FAIRLANE_PYSPARK.
has_java() { [ -x "${JAVA_HOME:-}/bin/java" ] || java -version >/dev/null 2>&1; }

has_pyspark() {
  FAIRLANE_PYSPARK=$(locked_folder pyspark .ci/python/spark.txt)
  export FAIRLANE_PYSPARK
  [ -d "$FAIRLANE_PYSPARK" ]
}

has_bindgen() {
  local folder=$TOOLS/wasm-bindgen-$BINDGEN/bin
  has_version wasm-bindgen "$BINDGEN" "$folder" && has_version wasm-bindgen-test-runner "$BINDGEN" "$folder"
}

# wasm-split-cli does not report its version: only our own is used.
has_split() {
  local folder=$TOOLS/wasm-split-$SPLIT/bin
  [ -x "$folder/wasm-split-cli" ] && use_folder "$folder"
}

find_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    if [ -z "${CHROME_BIN:-}" ] && has "$name"; then CHROME_BIN=$(command -v "$name"); fi
  done
  if [ -z "${CHROMEDRIVER:-}" ] && has chromedriver; then CHROMEDRIVER=$(command -v chromedriver); fi
  export CHROME_BIN=${CHROME_BIN:-} CHROMEDRIVER=${CHROMEDRIVER:-}
  [ -n "$CHROME_BIN" ] && [ -n "$CHROMEDRIVER" ]
}

has_geckodriver() { has_version geckodriver "$GECKO" "$TOOLS/geckodriver-$GECKO/bin"; }

find_firefox() {
  local name
  for name in firefox-esr firefox; do
    if [ -z "${FIREFOX_BIN:-}" ] && has "$name"; then FIREFOX_BIN=$(command -v "$name"); fi
  done
  export FIREFOX_BIN=${FIREFOX_BIN:-}
  [ -n "$FIREFOX_BIN" ]
}

# ---- What to install -----------------------------------------------------------------------------------------

# Everything missing is collected and announced before anything is installed: PLAN is shown, STEPS are run,
# PACKAGES go to the system's package manager, BY_HAND is what only the user can install.
PLAN=() STEPS=() PACKAGES=() BY_HAND=()

plan() { # STEP DESCRIPTION
  STEPS+=("$1")
  PLAN+=("$2")
}

# Succeeds if apt-get can be used without asking for a password unattended.
can_apt() {
  has apt-get || return 1
  [ "$(id -u)" = 0 ] || { has sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

plan_packages() { # DESCRIPTION HINT PACKAGE...
  if can_apt; then
    PLAN+=("$1 (apt-get: ${*:3})")
    PACKAGES+=("${@:3}")
  else
    BY_HAND+=("$1: $2")
  fi
}

plan_target() {
  if has_wasm_target; then return; fi
  if has rustup; then
    plan install_target "$WASM, the browser's target for Rust -> rustup (seconds)"
  else
    BY_HAND+=("the Rust target $WASM: this Rust was not installed by rustup; install rustup (https://rustup.rs), \
or your system's package (Debian: libstd-rust-dev-wasm32, Fedora: rust-std-static-$WASM, Arch: rust-wasm)")
  fi
}

plan_component() { # SUBCOMMAND COMPONENT
  if cargo "$1" --version >/dev/null 2>&1; then return; fi
  if has rustup; then
    plan "install_component $2" "$2 -> rustup (seconds)"
  else
    BY_HAND+=("$2: install rustup (https://rustup.rs), or your system's package of that name")
  fi
}

plan_lint() {
  plan_component fmt rustfmt
  plan_component clippy clippy
  if ! has_typos; then plan install_typos "typos $TYPOS -> $TOOLS/typos-$TYPOS (seconds; minutes without pip)"; fi
}

plan_trunk() {
  if ! has_trunk; then plan install_trunk "trunk $TRUNK -> $TOOLS/trunk-$TRUNK (about 2 minutes, once)"; fi
}

plan_bindgen() {
  if ! has_bindgen; then
    plan install_bindgen "wasm-bindgen $BINDGEN -> $TOOLS/wasm-bindgen-$BINDGEN (about a minute, once)"
  fi
}

plan_wasm_opt() {
  if has_wasm_opt || ! plan_npm; then return; fi
  plan "install_npm build" "wasm-opt (binaryen $BINARYEN) -> $NPM_BUILD (seconds)"
}

plan_release() {
  if ! has_split; then plan install_split "wasm-split $SPLIT -> $TOOLS/wasm-split-$SPLIT (about a minute, once)"; fi
  if ! has_mdbook; then plan install_mdbook "mdbook $MDBOOK -> $TOOLS/mdbook-$MDBOOK (about a minute, once)"; fi
}

# Succeeds if npm will be installed by the time the steps run; several tools ask for it, it is planned once.
NPM_PLANNED=
plan_npm() {
  if has npm && has node; then return; fi
  if [ -z "$NPM_PLANNED" ]; then
    NPM_PLANNED=yes
    plan_packages "Node.js and npm, for wasm-opt, axe-core and the package for JavaScript" \
      "brew install node / dnf install nodejs npm / pacman -S nodejs npm / https://nodejs.org" nodejs npm
  fi
  can_apt
}

plan_npm_packages() {
  if has_npm_packages || ! plan_npm; then return; fi
  plan "install_npm test" "axe-core, TypeScript, React, Vue, Preact, Docusaurus, bundlers and checkers -> $NPM_TEST (2 minutes)"
}

plan_python_wheels() {
  if ! has_python || has_python_wheels; then return; fi
  plan install_python_wheels "what the package for Python, Sphinx and MkDocs are made and tested with -> $PIP_FIND_LINKS (a minute)"
}

plan_spark() {
  if ! has_java; then
    plan_packages "Java, for the tests with Spark" \
      "brew install openjdk@17 / dnf install java-17-openjdk-headless / pacman -S jre17-openjdk-headless" \
      openjdk-17-jre-headless
  fi
  if has_pyspark || ! has_python; then return; fi
  plan install_pyspark "pyspark -> $FAIRLANE_PYSPARK (a minute, 340 MB)"
}

plan_browser() {
  if find_browser; then return; fi
  plan_packages "Chromium and chromedriver" \
    "brew install --cask chromium chromedriver / dnf install chromium chromedriver / pacman -S chromium" \
    chromium chromium-driver
}

plan_firefox() {
  if ! find_firefox; then
    plan_packages "Firefox" "brew install --cask firefox / dnf install firefox / pacman -S firefox" firefox-esr
  fi
  if ! has_geckodriver; then
    plan install_geckodriver "geckodriver $GECKO -> $TOOLS/geckodriver-$GECKO (about 2 minutes, once)"
  fi
}

# ---- Installation --------------------------------------------------------------------------------------------

install_packages() {
  local root=()
  if [ "$(id -u)" != 0 ]; then root=(sudo); fi
  # ${root[@]+...}: the old bash of macOS rejects an empty list.
  ${root[@]+"${root[@]}"} apt-get update -q
  ${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${PACKAGES[@]}"
}

install_target() { rustup target add "$WASM"; }
install_component() { rustup component add "$1"; }

# A tool is installed into a temporary folder that is renamed at the end, so that an interrupted one does not count.
UNFINISHED=
discard() {
  if [ -n "$UNFINISHED" ]; then rm -rf "$UNFINISHED"; fi
  UNFINISHED=
}
# Tools that Cargo compiles share what they depend on, in a folder that goes when all are installed.
COMPILED=
discard_compiled() {
  if [ -n "$COMPILED" ]; then rm -rf "$COMPILED"; fi
  COMPILED=
}
trap 'discard; discard_compiled' EXIT
begin() {
  mkdir -p "$TOOLS"
  UNFINISHED=$(mktemp -d "$TOOLS/unfinished.XXXXXX")
}
finish() { # FOLDER
  rm -rf "${TOOLS:?}/$1"
  chmod 755 "$UNFINISHED"
  mv "$UNFINISHED" "$TOOLS/$1"
  UNFINISHED=
}

# What the crate's own authors have compiled, where cargo-binstall is installed: seconds instead of minutes.
install_binary() { # CRATE@VERSION
  has cargo-binstall &&
    cargo binstall --no-confirm --no-track --strategies crate-meta-data --root "$UNFINISHED" "$1"
}
# Else the tools are compiled without optimization: what runs for seconds is not worth minutes (Trunk's own release
# profile: 43 minutes on two cores).
install_crate() { # FOLDER CRATE VERSION ARGUMENT...
  local quiet=()
  if [ ! -t 2 ]; then quiet=(--quiet); fi
  begin
  if ! install_binary "$2@$3"; then
    if [ -z "$COMPILED" ]; then COMPILED=$(mktemp -d "$TOOLS/compiled.XXXXXX"); fi
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
      cargo install ${quiet[@]+"${quiet[@]}"} --root "$UNFINISHED" --target-dir "$COMPILED" --no-track \
      "$2" --version "$3" "${@:4}"
  fi
  finish "$1"
}
# Without default features: it downloads nothing and serves nothing encrypted.
install_trunk() {
  install_crate "trunk-$TRUNK" trunk "$TRUNK" --locked --no-default-features
}
install_mdbook() {
  install_crate "mdbook-$MDBOOK" mdbook "$MDBOOK" --locked --no-default-features --features search
}
# Without --locked: the lock file it was published with can name releases that no longer exist.
install_bindgen() {
  install_crate "wasm-bindgen-$BINDGEN" wasm-bindgen-cli "$BINDGEN" --no-default-features
}
install_geckodriver() {
  install_crate "geckodriver-$GECKO" geckodriver "$GECKO" --locked
}
install_split() {
  install_crate "wasm-split-$SPLIT" wasm_split_cli_support "$SPLIT" --locked --features build-binary
}
# The Python package is the compiled program; where pip cannot install it, Cargo compiles it.
install_typos() {
  begin
  if python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --only-binary :all: \
    --require-hashes --requirement .ci/python/typos.txt --target "$UNFINISHED" 2>/dev/null &&
    [ -x "$UNFINISHED/bin/typos" ]; then
    finish "typos-$TYPOS"
  else
    discard
    install_crate "typos-$TYPOS" typos-cli "$TYPOS" --locked
  fi
}
# A failure is not fatal here: the commands that need the packages check for them.
install_npm() { # build|test
  begin
  cp ".ci/npm/$1/package.json" ".ci/npm/$1/package-lock.json" "$UNFINISHED"
  if npm ci --silent --no-audit --no-fund --prefix "$UNFINISHED"; then
    case $1 in
      build) finish "${NPM_BUILD##*/}" ;;
      test) finish "${NPM_TEST##*/}" ;;
    esac
  else
    discard
    say "npm could not install what .ci/npm/$1/package-lock.json names."
  fi
}
# A failure is not fatal: the package for Python is not tested then.
install_python_wheels() {
  begin
  if python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --dest "$UNFINISHED" \
    --require-hashes --requirement .ci/python/package.txt; then
    finish "${PIP_FIND_LINKS##*/}"
  else
    discard
    say "pip could not download what .ci/python/package.txt names."
  fi
}
# A failure is not fatal: nothing is tested with Spark then. Its Python packages serve every version of Python.
install_pyspark() {
  begin
  if python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$UNFINISHED" \
    --require-hashes --requirement .ci/python/spark.txt; then
    finish "${FAIRLANE_PYSPARK##*/}"
  else
    discard
    say "pip could not install what .ci/python/spark.txt names."
  fi
}

# ---- The entry points ----------------------------------------------------------------------------------------

# Installs what a part of the commands needs, and puts it on the path.
setup() { # native|lint|web|package|release|test
  need_rust
  case $1 in
    native) return ;;
    lint | web | package | release | test) plan_target ;;
    *) die "setup takes native, lint, web, package, release or test, not '$1'." ;;
  esac
  case $1 in lint | test) plan_lint ;; esac
  case $1 in web | release | test) plan_trunk ;; esac
  if [ "$1" != lint ]; then plan_bindgen; fi
  case $1 in package | release | test) plan_wasm_opt ;; esac
  case $1 in release | test) plan_release ;; esac
  if [ "$1" = test ]; then plan_browser; plan_firefox; plan_npm_packages; plan_python_wheels; plan_spark; fi

  local item step
  for item in ${PLAN[@]+"${PLAN[@]}"}; do say "Will install: $item"; done
  for item in ${BY_HAND[@]+"${BY_HAND[@]}"}; do say "Missing, install it by hand: $item"; done
  if [ ${#PACKAGES[@]} -gt 0 ]; then install_packages; fi
  for step in ${STEPS[@]+"${STEPS[@]}"}; do
    say "Installing ${step#install_} ..."
    # shellcheck disable=SC2086 # a step is a function's name and at most one argument
    $step
  done
  discard_compiled

  # Check again, which also puts the new tools on the path.
  has_wasm_target || die "the Rust target $WASM is missing."
  case $1 in lint | test) has_typos || die "typos $TYPOS is missing." ;; esac
  case $1 in web | release | test) has_trunk || die "trunk $TRUNK is missing." ;; esac
  if [ "$1" != lint ]; then has_bindgen || die "wasm-bindgen $BINDGEN is missing."; fi
  case $1 in
    package | release | test)
      has_wasm_opt || die "wasm-opt (binaryen $BINARYEN) is missing; releases need it." ;;
  esac
  case $1 in
    release | test)
      has_split || die "wasm-split $SPLIT is missing."
      has_mdbook || die "mdbook $MDBOOK is missing."
      ;;
  esac
  if [ "$1" = test ]; then
    find_browser || die "the tests need Chromium and chromedriver; CHROME_BIN and CHROMEDRIVER can name them."
    find_firefox || die "the tests need Firefox; FIREFOX_BIN can name it."
    has_geckodriver || die "geckodriver $GECKO is missing."
  fi
  # The page is built offline: fetch every package that Cargo.lock names.
  cargo fetch --quiet --locked
}

need_npm_packages() { has_npm_packages || die "the tests need what .ci/npm/test/package-lock.json names; install npm."; }
