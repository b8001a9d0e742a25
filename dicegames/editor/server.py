"""The language server: what an editor asks, answered from `document` and `solved_facts`.

The places of the protocol are lines and UTF-16 units; those of a document are offsets.
"""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from dicegames import __version__
from dicegames.editor.document import CannotRename, Document, Symbol, Token
from dicegames.editor.solved_facts import Facts, found_out
from dicegames.ground.diagnostic import Diagnostic
from dicegames.ground.source import Source, Span

PAUSE = 0.4
"""Seconds without typing after which all settings and the examples are checked too."""
TOKEN_TYPES = {
    "comment": "comment", "string": "string", "dice": "number", "number": "number",
    "part": "keyword", "statement": "keyword", "relation": "operator", "quantity": "modifier",
    "constant": "enumMember", "function": "function", "name": "variable", "sign": "operator",
}  # fmt: skip
"""For each kind of token, how the protocol calls it."""
LEGEND = list(dict.fromkeys(TOKEN_TYPES.values()))
SYMBOLS = {
    "game": types.SymbolKind.Module,
    "option": types.SymbolKind.EnumMember,
    "scope": types.SymbolKind.Namespace,
    "variable": types.SymbolKind.Variable,
    "table": types.SymbolKind.Array,
    "turn": types.SymbolKind.Function,
    "step": types.SymbolKind.Function,
    "strategy": types.SymbolKind.Class,
}


class RulesServer(LanguageServer):
    """The server with the documents as they were last looked at, and what is known of them."""

    def __init__(self) -> None:
        # whole files: pygls ends lines at signs that end none for editors, such as form feeds
        kind = types.TextDocumentSyncKind.Full
        super().__init__("dicegames", __version__, text_document_sync_kind=kind)
        self.was_told_to_end = False
        self.documents: dict[str, tuple[str, Document]] = {}
        self.facts: dict[str, Facts] = {}
        self.work: dict[tuple[str, str], asyncio.Task[None]] = {}

    def document(self, uri: str) -> Document:
        """Return the document as it is now."""
        text = self.workspace.get_text_document(uri).source
        known = self.documents.get(uri)
        if known is None or known[0] != text:
            plain = text.replace("\r\n", "\n").replace("\r", "\n")
            known = text, Document(Source(to_fs_path(uri) or uri, plain))
            self.documents[uri] = known
        return known[1]

    def start(self, what: str, uri: str, work: Any) -> None:
        """Do something beside; what was begun before for the same file is given up."""
        if before := self.work.pop((what, uri), None):
            before.cancel()
        self.work[what, uri] = asyncio.get_running_loop().create_task(work)

    def publish(self, uri: str, mistakes: list[Diagnostic]) -> None:
        """Show mistakes in the editor."""
        document = self.document(uri)
        mild = types.DiagnosticSeverity.Information
        shown = [_diagnostic(document.source, mistake) for mistake in mistakes]
        remarks = document.game.remarks if document.game is not None else []
        shown += [_diagnostic(document.source, remark, mild) for remark in remarks]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown))

    async def look_closer(self, uri: str) -> None:
        """Check all settings and the examples, once nobody types any more."""
        await asyncio.sleep(PAUSE)
        document = self.document(uri)
        mistakes = await asyncio.to_thread(document.mistakes, thorough=True)
        if self.document(uri) is document:
            self.publish(uri, mistakes)

    async def find_out(self, uri: str) -> None:
        """Solve the file as it is saved, and show what is known each time that it is more."""
        path = to_fs_path(uri)
        if path is None:
            return
        has_boxes = any(node.kind == "table" for node in self.document(uri).nodes)
        async for facts in found_out(path, has_boxes=has_boxes):
            self.facts[uri] = facts
            capable = self.client_capabilities.workspace
            if capable and capable.code_lens and capable.code_lens.refresh_support:
                self.workspace_code_lens_refresh(None)


# ---- places


def _position(source: Source, offset: int) -> types.Position:
    line, column = source.line_column(offset)
    before = source.line_text(line)[: column - 1]
    return types.Position(line - 1, len(before.encode("utf-16-le")) // 2)


def _range(source: Source, span: Span) -> types.Range:
    return types.Range(_position(source, span.start), _position(source, span.end))


def _offset(source: Source, position: types.Position) -> int:
    if position.line >= len(source.line_starts):
        return len(source.text)
    line = source.line_text(position.line + 1).encode("utf-16-le")
    before = line[: 2 * position.character].decode("utf-16-le", errors="ignore")
    return source.line_starts[position.line] + len(before)


def _diagnostic(
    source: Source,
    mistake: Diagnostic,
    severity: types.DiagnosticSeverity = types.DiagnosticSeverity.Error,
) -> types.Diagnostic:
    remedy = f"\n{mistake.help}" if mistake.help else ""
    return types.Diagnostic(
        _range(source, mistake.span),
        f"{mistake.message}{remedy}",
        severity=severity,
        code=mistake.code,
        source="dicegames",
    )


# ---- what an editor asks


def diagnose(server: RulesServer, params: Any) -> None:
    """Check the file after a change."""
    uri = params.text_document.uri
    server.publish(uri, server.document(uri).mistakes())
    server.start("check", uri, server.look_closer(uri))


def opened(server: RulesServer, params: Any) -> None:
    """Check the file and solve it."""
    diagnose(server, params)
    uri = params.text_document.uri
    server.start("solve", uri, server.find_out(uri))


def closed(server: RulesServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget the file."""
    uri = params.text_document.uri
    for what in ("check", "solve"):
        if work := server.work.pop((what, uri), None):
            work.cancel()
    server.documents.pop(uri, None)
    server.facts.pop(uri, None)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def actions(server: RulesServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer what the help of a mistake says, where it is concrete and helps."""
    uri = params.text_document.uri
    document = server.document(uri)
    found = []
    for mistake in document.mistakes():
        place = _range(document.source, mistake.span)
        if place.end < params.range.start or params.range.end < place.start:
            continue
        for fix in document.fixes(mistake):
            edit = types.TextEdit(_range(document.source, fix.span), fix.text)
            action = types.CodeAction(
                fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(document.source, mistake)],
                edit=types.WorkspaceEdit(changes={uri: [edit]}),
                is_preferred=True,
            )
            found.append(action)
    return found


def hover(server: RulesServer, params: types.HoverParams) -> types.Hover | None:
    """Say what a word means."""
    document = server.document(params.text_document.uri)
    token = document.token_at(_offset(document.source, params.position))
    if token is None or not (text := document.about(token)):
        return None
    facts = server.facts.get(params.text_document.uri, Facts())
    text += "".join(f"\n\n{fact}" for fact in facts.about(token.text))
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, _range(document.source, token.span))


def complete(server: RulesServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """Offer the words and names that may stand here."""
    document = server.document(params.text_document.uri)
    kinds = {"word": types.CompletionItemKind.Keyword, "name": types.CompletionItemKind.Variable}
    found = document.completions(_offset(document.source, params.position))
    return [types.CompletionItem(word, kind=kinds[kind]) for word, kind in found]


def _named(server: RulesServer, params: Any) -> tuple[str, Document, Token | None]:
    """Return the file that is asked about, what it holds, and the name that is meant there."""
    uri = params.text_document.uri
    document = server.document(uri)
    return uri, document, document.name_at(_offset(document.source, params.position))


def define(server: RulesServer, params: types.DefinitionParams) -> types.Location | None:
    """Return where a name is declared."""
    uri, document, token = _named(server, params)
    place = None if token is None else document.declaration(token.text, token.span.start)
    return None if place is None else types.Location(uri, _range(document.source, place.span))


def refer(server: RulesServer, params: types.ReferenceParams) -> list[types.Location]:
    """Return all places of a name."""
    uri, document, token = _named(server, params)
    spans = [] if token is None else document.occurrences(token.text)
    return [types.Location(uri, _range(document.source, span)) for span in spans]


def rename(server: RulesServer, params: types.RenameParams) -> types.WorkspaceEdit:
    """Give a name another one everywhere."""
    uri, document, token = _named(server, params)
    if token is None:
        raise JsonRpcInvalidParams("only names can be renamed")
    try:
        document.renamed(token.text, params.new_name)
    except CannotRename as error:
        raise JsonRpcInvalidParams(str(error)) from None
    places = document.occurrences(token.text)
    edits = [types.TextEdit(_range(document.source, span), params.new_name) for span in places]
    return types.WorkspaceEdit(changes={uri: edits})


def outline(server: RulesServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return the parts of the file."""
    source = server.document(params.text_document.uri).source

    def shown(symbol: Symbol) -> types.DocumentSymbol:
        kind = SYMBOLS.get(symbol.kind, types.SymbolKind.Property)
        place = _range(source, symbol.span)
        inner = [shown(each) for each in symbol.children]
        return types.DocumentSymbol(symbol.name, kind, place, place, children=inner)

    return [shown(each) for each in server.document(params.text_document.uri).symbols()]


def fold(server: RulesServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Return what can be folded."""
    lines = server.document(params.text_document.uri).folds()
    return [types.FoldingRange(first - 1, last - 1) for first, last in lines]


def lay_out(
    server: RulesServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """Put the file into its one layout."""
    document = server.document(params.text_document.uri)
    source, text = document.source, document.formatted()
    if text is None or text == source.text:
        return None
    return [types.TextEdit(_range(source, Span(0, len(source.text))), text)]


def colour(server: RulesServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """Return the kind of each word, as steps from the one before."""
    document = server.document(params.text_document.uri)
    data: list[int] = []
    line, at = 0, 0
    for token in document.tokens:
        place = _range(document.source, token.span)
        if place.start.line != line:
            at = 0
        length = place.end.character - place.start.character
        data += [place.start.line - line, place.start.character - at, length]
        kind = "name" if token.span in document.spans_of_names else token.kind
        data += [LEGEND.index(TOKEN_TYPES[kind]), 0]
        line, at = place.start.line, place.start.character
    return types.SemanticTokens(data)


def lens(server: RulesServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Say above the game what it is worth, above a strategy what it loses."""
    uri = params.text_document.uri
    document, facts = server.document(uri), server.facts.get(uri)
    if facts is None:
        return []
    told = [(node.span, facts.value) for node in document.nodes if node.kind == "game"]
    told += [(span, facts.losses.get(name, "")) for name, span in document.strategies()]
    return [
        types.CodeLens(_range(document.source, span), types.Command(text, ""))
        for span, text in told
        if text
    ]


def end(server: RulesServer, _: None) -> None:
    """Note that the editor is about to end this in order."""
    server.was_told_to_end = True


ANSWERS: dict[str, Any] = {
    types.SHUTDOWN: end,
    types.TEXT_DOCUMENT_DID_OPEN: opened,
    types.TEXT_DOCUMENT_DID_CHANGE: diagnose,
    types.TEXT_DOCUMENT_DID_SAVE: opened,
    types.TEXT_DOCUMENT_DID_CLOSE: closed,
    types.TEXT_DOCUMENT_HOVER: hover,
    types.TEXT_DOCUMENT_COMPLETION: complete,
    types.TEXT_DOCUMENT_DEFINITION: define,
    types.TEXT_DOCUMENT_REFERENCES: refer,
    types.TEXT_DOCUMENT_RENAME: rename,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: outline,
    types.TEXT_DOCUMENT_FOLDING_RANGE: fold,
    types.TEXT_DOCUMENT_FORMATTING: lay_out,
    types.TEXT_DOCUMENT_CODE_LENS: lens,
    types.TEXT_DOCUMENT_CODE_ACTION: actions,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: colour,
}
OPTIONS = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions([types.CodeActionKind.QuickFix]),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: types.SemanticTokensLegend(LEGEND, []),
}


def make_server() -> RulesServer:
    """Return a server that answers all of this; pygls hands it to each answer."""
    server = RulesServer()
    for name, answer in ANSWERS.items():
        server.feature(name, OPTIONS.get(name))(answer)
    return server
