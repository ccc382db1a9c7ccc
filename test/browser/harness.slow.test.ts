import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, textOf, withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type Site, serveFolder } from '../support/browser/site.ts'
import { until } from '../support/until.ts'

const PAGE = `<!doctype html><html lang="en"><title>try</title><link rel="icon" href="data:,">
<button>Step <b>over</b></button><p id="said"></p><label>Hash <input></label><div id="zone">here</div>
<script src="page.js"></script>`

const SCRIPT = `const said = document.querySelector('#said')
document.querySelector('button').onclick = () => { said.textContent = 'clicked' }
document.onkeydown = ({ key, shiftKey }) => { said.textContent = 'key ' + key + shiftKey }
const zone = document.querySelector('#zone')
zone.ondragover = (event) => event.preventDefault()
zone.ondrop = async (event) => { said.textContent = await event.dataTransfer.files[0].text() }`

let folder: string
let site: Site
let other: Site
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'site-'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'page.js'), SCRIPT)
  writeFileSync(join(folder, 'inline.html'), '<link rel="icon" href="data:,"><script>1</script>')
  writeFileSync(
    join(folder, 'worker.html'),
    '<link rel="icon" href="data:,"><script src="starts.js"></script>',
  )
  writeFileSync(join(folder, 'starts.js'), "new Worker('worker.js').onmessage = () => {}")
  writeFileSync(join(folder, 'worker.js'), "eval('1')")
  site = await serveFolder(folder)
  other = await serveFolder(folder)
  writeFileSync(join(folder, 'asks.js'), `fetch('${other.url}', { mode: 'no-cors' })`)
})
afterAll(async () => {
  await site?.close()
  await other?.close()
  rmSync(folder, { recursive: true, force: true })
})

inBrowsers('the harness of browser tests', (browser) => {
  test('the browser harness clicks, types, presses, drops and reads', async () => {
    await withTab(
      browser(),
      { hosts: [site.host], viewport: { width: 700, height: 500 } },
      async (tab) => {
        await tab.goto(site.url)
        await tab.getByRole('button', { name: 'Step over', exact: true }).click()
        expect(await textOf(tab, '#said')).toBe('clicked')
        await tab.keyboard.press('Shift+N')
        expect(await textOf(tab, '#said')).toBe('key Ntrue')
        await tab.getByRole('textbox', { name: 'Hash', exact: true }).fill('0x12')
        expect(await tab.evaluate(() => document.querySelector('input')?.value)).toBe('0x12')
        await drop(tab, '#zone', [{ name: 'a.json', text: '{"a":1}' }])
        await until(async () => (await textOf(tab, '#said')) === '{"a":1}')
        expect(await tab.evaluate((by) => innerWidth + by, 1)).toBe(701)
        expect(await tab.getByRole('button', { name: 'Step', exact: true }).isVisible()).toBe(false)
        expect(await textOf(tab, 'body')).toContain('Step over')
        // Playwright adds a style for a screenshot, which this page's content security policy blocks in Firefox.
        if (tab.context().browser()?.browserType().name() === 'chromium') {
          const picture = await tab.screenshot({ caret: 'initial' })
          expect(Buffer.from(picture).toString('latin1', 1, 4)).toBe('PNG')
        }
      },
    )
  })

  test('the browser harness fails a test for an inline script, an error, or a request to another host', async () => {
    const troubleOf = (path: string, work?: string): Promise<void> =>
      withTab(browser(), { hosts: [site.host] }, async (tab) => {
        await tab.goto(`${site.url}${path}`)
        if (work !== undefined) await tab.evaluate(work)
        await until(() => tab.troubles.length > 0)
      })
    await expect(troubleOf('inline.html')).rejects.toThrow(/[Cc]ontent.Security.Policy/)
    await expect(troubleOf('worker.html')).rejects.toThrow(/eval/i)
    await expect(troubleOf('', 'setTimeout(() => { throw new Error("oops") })')).rejects.toThrow(
      'oops',
    )
    await expect(troubleOf('', 'console.error("bad")')).rejects.toThrow('console: bad')
    const ask = `fetch('${other.url}', { mode: 'no-cors' }); 0`
    await expect(troubleOf('', ask)).rejects.toThrow(`request to another host: ${other.url}`)
    const fromWorker = "new Worker('asks.js'); 0"
    await expect(troubleOf('', fromWorker)).rejects.toThrow(`another host: ${other.url}`)
  })
})
