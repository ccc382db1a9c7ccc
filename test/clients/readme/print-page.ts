// Opens a page in a browser, drops a file on it, waits until a text appears, and prints the text of the page:
// print-page.ts <browser> <URL> <text> <file>
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  type BrowserName,
  drop,
  openBrowser,
  textOf,
  withTab,
} from '../../support/browser/browser.ts'

const PATIENCE_MS = 60_000

const [name, url = '', wanted = '', file = ''] = process.argv.slice(2)
const browser = await openBrowser(name as BrowserName)
try {
  const shown = await withTab(browser, { hosts: [new URL(url).host] }, async (tab) => {
    await tab.goto(url)
    await drop(tab, 'body', [{ name: basename(file), text: readFileSync(file, 'utf8') }])
    const end = Date.now() + PATIENCE_MS
    let text = ''
    while (!text.includes(wanted)) {
      if (Date.now() > end) throw new Error(`the page does not show ${wanted}:\n${text}`)
      await setTimeout(100)
      text = await textOf(tab, 'body')
    }
    return text
  })
  process.stdout.write(`${shown}\n`)
} finally {
  await browser.close()
}
