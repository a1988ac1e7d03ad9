# The project's tasks; `just` lists them. They expect an activated virtual environment.

_default:
    @just --list

# Everything needed to work on formwright.
setup:
    pip install -e ".[test]"
    pip install --group dev

# Rebuild the kernel in place, optimised.
build:
    maturin develop --release

# The Python tests, as in the README but without a new build.
test *arguments:
    pytest {{arguments}}

# The Python tests, the slow ones too.
test-all:
    pytest -m "slow or not slow"

# The Rust tests.
test-rust:
    cargo test --workspace --exclude formwright-python

# Random schemas from a seed on: texts written, values offered, two validators. 200,000 take about an hour.
attack count seed:
    python tests/programs/attack.py {{count}} {{seed}}

# Random schemas, models that never want to end, budgets from the shortest text on: each strategy must end in form.
endings count seed:
    python tests/programs/endings.py {{count}} {{seed}}

# Random compositions: the parts that are read, masks, and every strategy within the smallest budgets.
compositions count seed:
    python tests/programs/compositions.py {{count}} {{seed}}

# Clients of others against the server, each in an environment of its own.
clients *names:
    tests/clients/run {{names}}

# Engines and frameworks, each in an environment of its own, and the programs of their pages; vllm, sglang, exllama and
# tensorrt_llm by their names.
hosts *names:
    tests/hosts/run {{names}}

# The tests of the model smollm2, in an environment of its own; llama.cpp is compiled for it.
real:
    tests/hosts/run smollm2

# Requests and answers of APIs against the types of their SDKs.
wires:
    pip install --quiet --group sdks
    pytest tests/client/test_wires.py

# Requests of mixed forms, 64 at a time: none invalid, none lost, each answered as it is alone.
load count seed:
    python tests/programs/load.py {{count}} {{seed}}

# The styles of tool calls against the chat templates of models.
chat-templates:
    tests/programs/chat_templates

# A random sample of changes to the kernel, each of which some test should find: Rust tests first, then Python tests.
mutants count="40" seed="1":
    tests/programs/mutants {{count}} {{seed}}

# Formatting and lints, both languages.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    ruff format --check .
    ruff check .
    lint-imports

# Types, and the stub file against the compiled module.
types:
    mypy
    mypy tests/typing
    python docs/programs.py build/programs
    mypy --strict build/programs
    pyright
    python -m mypy.stubtest formwright._kernel --mypy-config-file pyproject.toml

# Put everything into the project's format.
format:
    cargo fmt --all
    ruff format .
    ruff check --fix .

# The docstrings of the compiled kernel into its stub, and the tables of the code into the documentation.
docs: build
    python docs/stubs.py
    python docs/tables.py
    python docs/draw_diagrams.py

# The documentation as a site, in build/site/html.
site:
    pip install --quiet --group site
    python docs/build_site.py

# What a release needs and any Linux can check without publishing.
release-check:
    pip install --quiet --group release
    tests/programs/release_check

# Everything that a change must pass, in a new environment.
ci:
    .ci/run

# A wheel for this machine.
wheel:
    maturin build --release

# The same, optimised for what requests do; in build/profiled/dist.
profiled-wheel:
    tests/programs/profiled_wheel
