import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drop, textOf, withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { mineDynamicFee } from '../support/node/progress.ts'
import { until } from '../support/until.ts'

const ROOT = new URL('../../', import.meta.url)
const BUILDER = fileURLToPath(new URL('tools/explorer/standalone.ts', ROOT))
const FOLDER_PAGE = new URL('build/explorer/index.html', ROOT).href

/** Records a creation whose constructor executes 0xfe. */
async function recordFailure(): Promise<string> {
  const home = makeHome()
  const { ready, stop } = await startDaemon({ home })
  try {
    const failing = { gas: 100_000n, data: '0x60015ffe' } as const
    const receipt = mineDynamicFee<{ transactionHash: string }>(ready.rpc, 0, failing)
    const hash = (await receipt).transactionHash
    return JSON.stringify(await call(ready.rpc, 'debug_traceStateAccess', [hash]))
  } finally {
    await stop()
    removeHome(home)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'a page '))
const page = join(folder, 'explorer.html')
let bundle: string
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [BUILDER, page])
  bundle = await recordFailure()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

inBrowsers('the explorer as one file, without a server', (browser) => {
  test('the single-file explorer opens a dropped bundle without any network request', async () => {
    await withTab(browser(), { hosts: [''] }, async (tab) => {
      await tab.goto(pathToFileURL(page).href)
      await drop(tab, 'body', [{ name: 'failure.json', text: bundle }])
      await until(async () => (await textOf(tab, 'body')).includes('invalid opcode'))
      expect(await textOf(tab, 'h1, h2, body')).not.toContain('explorer.html')
    })
  })
})

inBrowsers('the explorer as several files, without a server', (browser) => {
  test('index.html of the explorer, opened without a server, says to open explorer.html instead', async () => {
    await withTab(browser(), { hosts: [''] }, async (tab) => {
      await tab.goto(FOLDER_PAGE)
      await until(async () => (await textOf(tab, 'body')).includes('open explorer.html'))
      // The browser refuses to load modules from file: URLs.
      tab.troubles.length = 0
    })
  })
})
