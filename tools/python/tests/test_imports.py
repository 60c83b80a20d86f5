"""The client's modules form layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import tidings

FOLDER = Path(tidings.__file__).parent


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


def imported(tree: ast.Module, modules: set[str]) -> Iterator[str]:
    """All modules that a module imports, also for types; for packages, their modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not used"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else str(node.module) for name in inner]
        else:
            continue
        yield from (name for name in names if name in modules)


def circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    sources = {module_name(path): path.read_text() for path in FOLDER.rglob("*.py")}
    graph = {
        name: set(imported(ast.parse(source), set(sources))) for name, source in sources.items()
    }
    assert "tidings.inbox.inbox" in graph["tidings.client"]
    assert circle(graph) == []


def test_a_circle_is_found() -> None:
    modules = {"tidings.a", "tidings.b"}
    typed = ast.parse("if TYPE_CHECKING:\n    from tidings.b import B")
    graph = {
        "tidings.a": set(imported(typed, modules)),
        "tidings.b": set(imported(ast.parse("from tidings import a"), modules)),
    }
    assert sorted(set(circle(graph))) == sorted(modules)
