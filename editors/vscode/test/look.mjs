// Opens rules files in a running editor and prints, as JSON, what is seen of each.
// Usage: node look.mjs FOLDER URL FILE ...; FOLDER has playwright-core among its node_modules.
import { createRequire } from "node:module";

const [folder, url, ...files] = process.argv.slice(2);
const { chromium } = createRequire(`${folder}/`)("playwright-core");
const plain = ["no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync"];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: plain.map((word) => `--${word}`),
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(90_000);
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await page.getByText("Yes, I trust the authors").click();
  const seen = {};
  for (const file of files) {
    await page.getByRole("treeitem", { name: file }).first().dblclick();
    const lenses = page.locator(".codelens-decoration:visible");
    await lenses.filter({ hasText: /value|not solved/ }).first().waitFor();
    seen[file] = {
      lens: await lenses.allTextContents(),
      mistakes: await page.locator(".squiggly-error").count(),
      language: await page.locator("[id='status.editor.mode']").textContent(),
      colours: await page.evaluate(
        () => new Set([...document.querySelectorAll(".view-line span span")].map((part) => part.className)).size,
      ),
    };
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${file}.png` });
  }
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
