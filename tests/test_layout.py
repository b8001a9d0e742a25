"""The layout of the house: floors, imports, sizes, and what must not stand in the package."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dicegames"
NAME = "dicegames"

# What each floor may import besides itself; a module in full, or a package with all that is in it.
# `face` is __init__.py and whatever else lies directly in the package.
GROUND = {"ground"}
UP_TO_COMPILER = GROUND | {"syntax", "solver", "rules", "compiler"}
MAY_IMPORT: dict[str, set[str]] = {
    "ground": set(),
    "syntax": GROUND,
    "solver": GROUND,
    "rules": GROUND | {"syntax"},
    "compiler": GROUND | {"syntax", "rules", "solver.model"},
    "play": UP_TO_COMPILER,
    "analysis": UP_TO_COMPILER,
    "authoring": UP_TO_COMPILER | {"analysis"},
    "face": UP_TO_COMPILER | {"play", "analysis", "authoring"},
    "adapters": UP_TO_COMPILER | {"play", "analysis", "face"},
    "editor": UP_TO_COMPILER | {"face"},
    "cli": UP_TO_COMPILER | {"play", "analysis", "authoring", "face", "editor"},
}
# Inside a floor with folders: what may be imported, the lowest first. A module or folder imports
# nothing that stands after it.
ORDER = {
    "rules": ("parts", "reading", "running", "check"),
    "compiler": (
        *("goal", "effort", "graph", "open_values", "exploring", "explored", "emitting"),
        *("independence", "compiled", "form", "listing", "compile", "make_grid"),
    ),
    "analysis": (
        *("chances", "solving", "saved", "solution"),
        *("studies", "to_win", "export", "solution_cache"),
    ),
    "authoring": ("sweeps", "cards", "reports", "drawing"),
    "cli": (
        *(
            "failure",
            "completing",
            "options",
            "printing",
            "watch",
            "executors",
            "solving",
            "playing",
        ),
        *("commands", "authors", "app", "entry"),
    ),
    "solver": (
        *(
            "status",
            "model",
            "validation",
            "solved",
            "kernels",
            "graph",
            "explicit",
            "blocks",
            "grid",
            "chain",
            "results",
        ),
        *("methods", "solve", "packing"),
    ),
}
# `python -m dicegames` is the command line by another name.
ENTRY = f"{NAME}.__main__"

# A third party has one place of entry.
THIRD_PARTIES = {
    "lark": {"syntax"},
    "numba": {"solver"},
    "llvmlite": {"solver"},
    "click": {"cli"},
    "rich_click": {"cli"},
    "pygments": {"face"},
    "gymnasium": {"adapters"},
    "pettingzoo": {"adapters"},
    "prompt_toolkit": {"cli"},
    "distributed": {"cli"},
    "pygls": {"editor"},
    "lsprotocol": {"editor"},
}

MOST_PARAMETERS = 8
LONGEST_FUNCTION = 60
LONGEST_FILE = 400
LONGER_ON_PURPOSE = {
    "dicegames.solver.blocks.program.build": "a table of columns, each computed from others",
}

# Names that are also plain English: they count only as the game spells them, or as its file's name
# where that has more than one word.
PLAIN_ENGLISH = {
    "Can't Stop": "cant_stop",
    "Craps": "craps",
    "Drop Dead": "drop_dead",
    "Threes": "threes",
}

# Absolute paths of some machine; put together so that this line is not one itself.
MACHINE_PATH = re.compile(
    r"(?<![\w.~:*-])(?:/(?:home|root|work|farm|tmp|opt|mnt|Users)/\w|[A-Z]:\\\w)"
)


# --- the modules and their imports ---------------------------------------------------------------


@functools.cache
def modules() -> dict[str, Path]:
    """Every module of the package, by its full name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def absolute(module: str, node: ast.ImportFrom) -> str:
    """What `from X import ...` means in a module, leading dots resolved."""
    if not node.level:
        return node.module or ""
    is_package = modules()[module].name == "__init__.py"
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)


def imports(module: str) -> Iterator[tuple[int, str]]:
    """Line and target of every import, those inside functions and type checks included."""
    for node in ast.walk(tree(modules()[module])):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = absolute(module, node)
            for alias in node.names:
                inside = f"{source}.{alias.name}"
                yield node.lineno, inside if inside in modules() else source


def own_imports(module: str) -> Iterator[tuple[int, str]]:
    return ((n, t) for n, t in imports(module) if t.split(".")[0] == NAME)


def floor(module: str) -> str:
    parts = [*module.split("."), ""]
    inside = parts[1] in MAY_IMPORT or (PACKAGE / parts[1] / "__init__.py").exists()
    return parts[1] if parts[1] and inside else "face"


def allowed(module: str, target: str) -> bool:
    here, there = floor(module), floor(target)
    if module == ENTRY and there == "cli":
        return True
    if here == there:
        order = ORDER.get(here, ())
        whole = module == f"{NAME}.{here}"
        return whole or not order or place(order, target) <= place(order, module)
    if there == "face":
        return "face" in MAY_IMPORT[here]
    path = target.removeprefix(f"{NAME}.")
    return any(path == may or path.startswith(f"{may}.") for may in MAY_IMPORT[here])


def place(order: tuple[str, ...], module: str) -> int:
    """Where a module of a floor with folders stands; before all others, what they share."""
    inside = module.split(".")[2:3]
    return order.index(inside[0]) if inside else -1


def cycle() -> list[str] | None:
    """A cycle of imports between modules, or None: depth first, grey nodes on the path."""
    done: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> list[str] | None:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done or module not in modules():
            return None
        path.append(module)
        for _, target in own_imports(module):
            if found := visit(target):
                return found
        done.add(path.pop())
        return None

    return next(filter(None, map(visit, modules())), None)


def test_every_package_is_on_a_floor() -> None:
    assert {floor(module) for module in modules()} <= MAY_IMPORT.keys()


@pytest.mark.parametrize("module", list(modules()))
def test_imports_point_down(module: str) -> None:
    wrong = [f"line {n}: {t}" for n, t in own_imports(module) if not allowed(module, t)]
    assert not wrong, f"{module} ({floor(module)}) may not import: {wrong}"


@pytest.mark.parametrize("module", list(modules()))
def test_what_is_imported_is_there(module: str) -> None:
    for line, target in own_imports(module):
        if target not in modules():
            last = target.split(".")[-1]
            meant = [name for name in modules() if name.split(".")[-1] == last]
            pytest.fail(f"{module}:{line} imports {target}, which is not there; meant {meant}?")


def test_no_import_cycle() -> None:
    found = cycle()
    assert found is None, " -> ".join(found or [])


@pytest.mark.parametrize("module", list(modules()))
def test_third_parties_enter_in_one_place(module: str) -> None:
    for line, target in imports(module):
        homes = THIRD_PARTIES.get(target.split(".")[0])
        assert homes is None or floor(module) in homes, f"{module}:{line} imports {target}"


def test_what_is_imported_is_declared_with_bounds() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = declared["optional-dependencies"]
    optional = [each for name in ("cluster", "rl", "plot", "man", "lsp") for each in extras[name]]
    bounds = {re.split(r"[<>=;]", d)[0].replace("-", "_"): d for d in declared["dependencies"]}
    assert all(re.search(r">=.*,<", bound) for bound in bounds.values()), bounds
    known = {
        *bounds,
        *(re.split(r"[<>=;]", d)[0].replace("-", "_") for d in optional),
        NAME,
        "pygments",
    }
    roots = {target.split(".")[0] for module in modules() for _, target in imports(module)}
    assert roots - sys.stdlib_module_names <= known  # pygments comes with rich


def test_the_checks_see_a_wrong_import() -> None:
    assert not allowed("dicegames.solver.model", "dicegames.syntax.nodes")
    assert not allowed("dicegames.compiler.lower", "dicegames.solver.kernels")
    assert not allowed("dicegames.solver.graph.turn", "dicegames.solver.blocks.plan")
    assert allowed("dicegames.solver.blocks.plan", "dicegames.solver.graph.turn")
    assert not allowed("dicegames.rules.check", "dicegames")
    assert not allowed("dicegames", "dicegames.cli")
    assert allowed("dicegames.compiler.lower", "dicegames.solver.model")
    assert allowed("dicegames.cli.commands.solve", "dicegames")


def test_no_name_of_an_objective_is_tested() -> None:
    """What depends on the objective is asked of it: see `rules.running.objectives`."""
    found = [
        f"{module}:{node.lineno}"
        for module, path in modules().items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Compare | ast.Call) and _tests_an_objective(node)
    ]
    assert not found


def _tests_an_objective(node: ast.Compare | ast.Call) -> bool:
    if isinstance(node, ast.Call):
        starts = isinstance(node.func, ast.Attribute) and node.func.attr == "startswith"
        return starts and "objective" in ast.unparse(node.func)
    names = [each for side in node.comparators for each in ast.walk(side)]
    words = [each.value for each in names if isinstance(each, ast.Constant)]
    return "objective" in ast.unparse(node.left) and any(isinstance(w, str) and w for w in words)


# --- sizes ---------------------------------------------------------------------------------------


def test_no_function_has_many_parameters_without_a_reason() -> None:
    """A kernel may have them, see `solver/kernels/kernel`; others say why in their docstring."""
    many = []
    for module, path in modules().items():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.FunctionDef):
                continue
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = sum(each.arg not in ("self", "cls") for each in given)
            kernel = any(
                re.match(r"(njit|intrinsic)\b", ast.unparse(d)) for d in node.decorator_list
            )
            told = re.search("parameters?\\b", (ast.get_docstring(node) or "").lower())
            if count > MOST_PARAMETERS and not kernel and not told:
                many.append(f"{module}.{node.name}: {count} parameters")
    assert not many


def test_no_long_function() -> None:
    long = []
    for module, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > LONGEST_FUNCTION and f"{module}.{node.name}" not in LONGER_ON_PURPOSE:
                    long.append(f"{module}.{node.name}: {size} lines")
    assert not long


def test_no_long_file() -> None:
    sizes = {str(p.relative_to(ROOT)): len(p.read_text("utf-8").splitlines()) for p in sources()}
    long = {name: size for name, size in sizes.items() if size > LONGEST_FILE}
    assert long.keys() <= LONGER_ON_PURPOSE.keys(), long


MOST_PARAMETERS = 8
MORE_ON_PURPOSE = {
    "solve": "what a user may ask for, each with a name of its own",
    "solve_game": "as `solve`",
    "play_matches": "as `solve`",
    "sweep": "as `solve`",
    "card": "as `solve`",
    "compile_game": "as `solve`",
    "run": "the options of a command, each with a name of its own",
    "_fill": "runs in a thread: all that it reads and writes is told",
    "_fill_layer": "as `_fill`",
    "sum_of": "an intrinsic takes what the kernel has in its hands",
}


def test_no_long_list_of_parameters() -> None:
    """Kernels aside: what numba compiles takes arrays and scalars, many of them."""
    long = [
        f"{module}.{node.name}: {count}"
        for module, path in modules().items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and node.name not in MORE_ON_PURPOSE
        if (count := len(node.args.args) + len(node.args.kwonlyargs)) > MOST_PARAMETERS
        if not any("njit" in ast.unparse(each) for each in node.decorator_list)
    ]
    assert not long


# --- one name, one meaning ------------------------------------------------------------------------

ONE_IN_EACH = {
    "HANDLERS": "the sentences of the language that a module reads",
    "T": "any type",
    "TYPE_CHECKING": "what starts the program imports no `typing`",
    "HERE": "the folder of the package",
}


def named_at_the_top(path: Path) -> Iterator[str]:
    """The classes of a module, and the constants that it sets; private ones without underline."""
    for node in tree(path).body:
        if isinstance(node, ast.ClassDef):
            yield node.name.lstrip("_")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each for target in targets for each in ast.walk(target)]
            constants = [n.id for n in names if isinstance(n, ast.Name) and n.id.isupper()]
            yield from (name.lstrip("_") for name in constants)


def test_no_constant_or_class_has_the_name_of_another_one() -> None:
    where: dict[str, set[str]] = {}
    for module, path in modules().items():
        for name in named_at_the_top(path):
            where.setdefault(name, set()).add(module)
    assert where["TIE"] == {"dicegames.solver.model"}
    twice = {n: found for n, found in where.items() if len(found) > 1 and n not in ONE_IN_EACH}
    assert not twice


# --- words that must not be there ----------------------------------------------------------------


def sources() -> list[Path]:
    """All text of the package: modules, the grammar, whatever else lies there."""
    inside = (p for p in sorted(PACKAGE.rglob("*")) if p.is_file())
    return [p for p in inside if "__pycache__" not in p.parts]


def game_names() -> set[str]:
    """Names as the games call themselves, and the stems of their files."""
    names = set()
    for path in (ROOT / "games").glob("*.dg"):
        names |= {path.stem, *re.findall(r'^game "([^"]+)"', path.read_text("utf-8"), re.MULTILINE)}
    for path in (ROOT / "tests" / "expected").glob("*.toml"):
        names |= {path.stem, tomllib.loads(path.read_text("utf-8"))["game"]}
    return names - {stem for stem in PLAIN_ENGLISH.values() if "_" not in stem}


def name_pattern(name: str) -> re.Pattern[str]:
    """The name as whole words, however they are joined: Two Words, two_words, two-words."""
    as_written = name in PLAIN_ENGLISH or name in PLAIN_ENGLISH.values()
    words = [name] if as_written else re.split(r"[^\w']+|_", name)
    text = r"(?<![A-Za-z0-9])" + r"[\W_]*".join(map(re.escape, words)) + r"(?![A-Za-z0-9])"
    return re.compile(text, re.NOFLAG if as_written else re.IGNORECASE)


def test_no_module_has_the_name_of_another_one() -> None:
    """A command may be called as what it is about: `commands/solve` asks `solver/solve`."""
    files: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("[a-z]*.py"):
        if path.parent != PACKAGE / "cli/commands":
            files.setdefault(path.name, []).append(str(path.relative_to(PACKAGE)))
    assert not {name: found for name, found in files.items() if len(found) > 1}


def test_name_patterns() -> None:
    assert name_pattern("Two Words").search("a two_words, or TwoWords")
    assert name_pattern("Pig").search("the pig's")
    assert name_pattern("pig").search("play_pig_twice")
    assert not name_pattern("Pig").search("pigment, epigram")
    assert not name_pattern("Can't Stop").search("one can't stop here")
    assert name_pattern("Can't Stop").search("as in Can't Stop")
    assert name_pattern("cant_stop").search("cant_stop.dg")


def test_package_names_no_game() -> None:
    texts = {path: path.read_text("utf-8") for path in sources()}
    found = []
    for name in sorted(game_names()):
        pattern = name_pattern(name)
        for path in (p for p, text in texts.items() if pattern.search(text)):
            for number, line in enumerate(texts[path].splitlines(), 1):
                if pattern.search(line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {name}")
    assert not found


def project_files() -> list[Path]:
    """The files of the project: what git knows or would add; all of them where git is not there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return [p for p in ROOT.rglob("*") if p.is_file() and ".venv" not in p.parts]
    return [path for name in listed.stdout.split("\0") if (path := ROOT / name).is_file()]


def test_no_path_of_a_machine() -> None:
    found = []
    for path in project_files():
        try:
            lines = path.read_text("utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # not text
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(lines, 1)
            if MACHINE_PATH.search(line)
        ]
    assert not found
