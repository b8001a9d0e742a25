// Starts `dicegames lsp` and connects the editor to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("dicegames").get("command", "dicegames");
  const server = { command, args: ["lsp"] };
  const options = { documentSelector: [{ language: "dicegames" }] };
  client = new LanguageClient("dicegames", "dicegames", server, options);
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
