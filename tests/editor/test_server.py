"""The language server, asked by a client of its own over standard input and output."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from dicegames.editor import solved_facts
from dicegames.editor.document import Document
from dicegames.editor.server import LEGEND, make_server
from dicegames.ground.source import Source

ROOT = Path(__file__).parents[2]
PIG = (ROOT / "games" / "pig.dg").read_text("utf-8")
LONGEST = 200.0
"""Seconds: on a new machine, all kernels are compiled first."""
FAULTY = """\
game "Größte \U0001f3b2"
dice 1d6
each player
    score = 0
turn
    roll all
    scor + sum of dice
ends after 1 rounds
payoff highest score
"""
CARD = """\
game "Two boxes"
dice 3d6
each player
    score = 0
boxes card
    "Low"    any dice   pays 18 - sum
    "Pair"   x x        pays 10
turn
    roll all
    choose
        one of open card as c: score + points of c, use c
ends when all boxes are used
payoff highest score
"""


class Editor:
    """An editor with one open file."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client, self.uri = client, path.as_uri()
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.refreshed = asyncio.Event()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _told(params: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def _refreshed(_: None) -> None:
            self.refreshed.set()

        self.document = types.TextDocumentIdentifier(self.uri)

    async def open(self, text: str) -> None:
        capabilities = types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(
                code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
            )
        )
        await self.client.initialize_async(types.InitializeParams(capabilities))
        self.client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(self.uri, "dicegames", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, text: str) -> None:
        changed = types.VersionedTextDocumentIdentifier(2, self.uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(changed, [whole]))

    async def mistakes(self) -> list[types.Diagnostic]:
        return list((await asyncio.wait_for(self.told.get(), LONGEST)).diagnostics)

    def at(self, line: int, column: int) -> dict[str, Any]:
        return {"text_document": self.document, "position": types.Position(line, column)}


def with_editor(path: Path, text: str, use: Callable[[Editor], Awaitable[None]]) -> None:
    """Start a server, open a file, use it, and end the server in order."""

    async def run() -> None:
        client = LanguageClient("test", "1")
        await client.start_io(sys.executable, "-m", "dicegames", "lsp", cwd=str(ROOT))
        editor = Editor(client, path)
        try:
            await editor.open(text)
            await use(editor)
        finally:
            await asyncio.wait_for(client.shutdown_async(None), LONGEST)
            client.exit(None)
            await asyncio.wait_for(client.stop(), LONGEST)  # type: ignore[no-untyped-call]

    path.write_text(text, "utf-8")
    asyncio.run(run())


def test_mistakes_while_typing_and_their_fix(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        (mistake,) = await editor.mistakes()
        assert mistake.code == "unknown-name"
        assert mistake.range == types.Range(types.Position(6, 4), types.Position(6, 8))
        (action,) = (
            await editor.client.text_document_code_action_async(
                types.CodeActionParams(
                    editor.document, mistake.range, types.CodeActionContext([mistake])
                )
            )
            or []
        )
        assert isinstance(action, types.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        (edit,) = action.edit.changes[editor.uri]
        assert (edit.range, edit.new_text) == (mistake.range, "score")
        while not editor.told.empty():
            editor.told.get_nowait()
        editor.change(FAULTY.replace("scor +", "score +"))
        assert await editor.mistakes() == []
        editor.change(FAULTY.replace("scor +", "score +") + 'example "dice 4" moves only "Hop"\n')
        assert await editor.mistakes() == []  # at once, without the examples
        (mistake,) = await editor.mistakes()
        assert mistake.range.start.line == 9

    with_editor(tmp_path / "faulty.dg", FAULTY, use)


def test_what_an_editor_asks(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        ask = editor.client
        line = next(n for n, t in enumerate(PIG.splitlines()) if "points + sum of dice" in t)
        column = PIG.splitlines()[line].index("points")
        here = editor.at(line, column + 2)
        declared = next(n for n, t in enumerate(PIG.splitlines()) if "points =" in t)
        place = await ask.text_document_definition_async(types.DefinitionParams(**here))
        assert isinstance(place, types.Location)
        assert place.range.start.line == declared
        context = types.ReferenceContext(include_declaration=True)
        places = await ask.text_document_references_async(
            types.ReferenceParams(context=context, **here)
        )
        assert len(places or []) == len(Document(Source("pig", PIG)).occurrences("points")) > 3
        shown = await ask.text_document_hover_async(types.HoverParams(**here))
        assert shown is not None
        assert isinstance(shown.contents, types.MarkupContent)
        assert "points = 0" in shown.contents.value
        word = await ask.text_document_hover_async(
            types.HoverParams(**editor.at(line, column + 10))
        )
        assert word is not None
        assert "**sum**" in word.contents.value  # type: ignore[union-attr]
        found = await ask.text_document_completion_async(types.CompletionParams(**here))
        assert {"points", "roll", "choose", "if"} <= {i.label for i in found or []}  # type: ignore[union-attr]
        parts = await ask.text_document_document_symbol_async(
            types.DocumentSymbolParams(editor.document)
        )
        assert 'game "Pig"' in [part.name for part in parts or []]
        folds = await ask.text_document_folding_range_async(
            types.FoldingRangeParams(editor.document)
        )
        assert folds
        coloured = await ask.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(editor.document)
        )
        assert coloured is not None
        assert list(coloured.data[:5]) == [0, 0, 4, LEGEND.index("keyword"), 0]
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        formatting = types.DocumentFormattingParams(editor.document, options)
        assert await ask.text_document_formatting_async(formatting) is None  # it is in order
        edit = await ask.text_document_rename_async(types.RenameParams(new_name="gathered", **here))
        assert edit is not None
        assert len((edit.changes or {})[editor.uri]) == len(places or [])
        with pytest.raises(Exception, match="is a word of the language"):
            await ask.text_document_rename_async(types.RenameParams(new_name="roll", **here))

    with_editor(tmp_path / "pig.dg", PIG, use)


def test_what_solving_says_is_shown(tmp_path: Path) -> None:
    text = (
        PIG.replace("option target = 100", "option target = 20").partition("\nexample ")[0] + "\n"
    )

    async def use(editor: Editor) -> None:
        shown: list[types.CodeLens] = []
        while len(shown) < 3:  # the game, and two strategies
            await asyncio.wait_for(editor.refreshed.wait(), LONGEST)
            editor.refreshed.clear()
            shown = list(
                await editor.client.text_document_code_lens_async(
                    types.CodeLensParams(editor.document)
                )
                or []
            )
        told = [lens.command.title for lens in shown if lens.command]
        assert told[0] == "value 0.615559 / 0.384441, 361 states"
        assert told[1].startswith("seat 1 loses 0.000000")
        line = next(n for n, t in enumerate(text.splitlines()) if "total =" in t)
        word = await editor.client.text_document_hover_async(
            types.HoverParams(**editor.at(line, 5))
        )
        assert word is not None
        assert "axis, 0 to 19: it outlives the turn" in word.contents.value  # type: ignore[union-attr]

    with_editor(tmp_path / "pig.dg", text, use)


def test_a_box_says_what_it_brings(tmp_path: Path) -> None:
    async def use(editor: Editor) -> None:
        place = types.HoverParams(
            **editor.at(CARD.splitlines().index('    "Low"    any dice   pays 18 - sum'), 6)
        )
        while True:
            await asyncio.wait_for(editor.refreshed.wait(), LONGEST)
            editor.refreshed.clear()
            shown = await editor.client.text_document_hover_async(place)
            assert shown is not None
            text = shown.contents.value  # type: ignore[union-attr]
            assert "any dice   pays 18 - sum" in text
            if "brings points in" in text:
                break
        assert "brings points in 100% of games" in text
        assert "estimated from 200 games by best play" in text

    with_editor(tmp_path / "card.dg", CARD, use)


def test_a_name_has_the_colour_of_names(tmp_path: Path) -> None:
    """`points` measures rows elsewhere; in Pig it is a variable."""

    async def use(editor: Editor) -> None:
        coloured = await editor.client.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(editor.document)
        )
        assert coloured is not None
        document = Document(Source("pig", PIG))
        kinds = [LEGEND[kind] for kind in coloured.data[3::5]]
        of_points = {k for k, t in zip(kinds, document.tokens, strict=True) if t.text == "points"}
        assert of_points == {"variable"}

    with_editor(tmp_path / "pig.dg", PIG, use)


def started() -> subprocess.Popen[bytes]:
    """Start a server, and have it answer once."""
    words, pipe = [sys.executable, "-m", "dicegames", "lsp"], subprocess.PIPE
    server = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT)
    tell(server, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)
    assert server.stdout
    assert server.stdout.readline().startswith(b"Content-Length: ")
    return server


def tell(server: subprocess.Popen[bytes], method: str, params: Any = None, **more: int) -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
    assert server.stdin
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


@pytest.mark.parametrize(("asked", "code"), [(True, 0), (False, 1)])
def test_the_end_in_order_is_told_by_the_exit_code(asked: bool, code: int) -> None:
    with started() as server:
        if asked:
            tell(server, "shutdown", id=2)
        tell(server, "exit")
        _, errors = server.communicate(timeout=LONGEST)
        assert (server.returncode, errors) == (code, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_while_it_waits(number: int, code: int) -> None:
    with started() as server:
        server.send_signal(number)
        assert server.wait(LONGEST) == code


def test_the_programs_that_solve_can_be_given_up() -> None:
    async def run() -> None:
        asked = asyncio.create_task(solved_facts._asked("solve", "zilch", "--time", "60s"))
        while not solved_facts._asking:
            await asyncio.sleep(0.01)
        solved_facts.give_up()
        assert await asyncio.wait_for(asked, 10) == {}

    asyncio.run(run())


def test_editors_send_whole_files() -> None:
    """Lines of pygls end at a form feed, too: an edit below one would change another line."""
    sync = make_server()._text_document_sync_kind
    assert sync == types.TextDocumentSyncKind.Full
