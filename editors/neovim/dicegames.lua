-- Rules files in Neovim, from version 0.7 on: put this into init.lua, or into plugin/dicegames.lua.
local server = { name = "dicegames", cmd = { "dicegames", "lsp" }, filetypes = { "dicegames" } }

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.dg",
  command = "setlocal filetype=dicegames commentstring=#\\ %s expandtab shiftwidth=4",
})

if vim.lsp.config then
  vim.lsp.config.dicegames = server
  vim.lsp.enable("dicegames")
else -- before version 0.11
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "dicegames",
    callback = function(event)
      server.id = server.id or vim.lsp.start_client(server)
      vim.lsp.buf_attach_client(event.buf, server.id)
    end,
  })
end
