import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as Lockstep from '../../host/entry/browser.ts'
import { openReplayer } from '../../host/entry/replay.ts'
import { reach } from '../../tools/package/module-graph.ts'
import { textOf, withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type Site, serveFolder } from '../support/browser/site.ts'
import { fencedBlocks } from '../support/markdown-blocks.ts'
import { loopBundle } from '../support/trace/recorded-bundle.ts'
import { until } from '../support/until.ts'
import { buildPage, writeWebPackage } from './web-package.ts'

const PAGE = `<!doctype html><html lang="en"><title>page</title><link rel="icon" href="data:,">
<script type="module" src="./page.js"></script>`

const SCRIPT = '{ n: 0, step() { this.n++ }, fault() {}, result() { return this.n } }'

let folder: string
let document: object
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'page-'))
  document = await loopBundle()
  await writeWebPackage(join(folder, 'node_modules/lockstep'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a folder with a page that runs this script. */
function writePage(name: string, script: string): string {
  const root = join(folder, name)
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), PAGE)
  writeFileSync(join(root, 'page.js'), script)
  return root
}

/** Returns the example program of the documentation page. */
function example(): string {
  const page = readFileSync(new URL('../../host/entry/README.md', import.meta.url), 'utf8')
  const found = fencedBlocks(page).find(({ text }) => text.includes(`from 'lockstep/browser'`))
  return found?.text as string
}

/** Returns the program for use without a bundler, with the package in a folder beside the page. */
function plain(script: string): string {
  return script.replaceAll('lockstep/browser', '../node_modules/lockstep/dist/web/browser.js')
}

describe('the browser modules of the package', () => {
  const web = () => join(folder, 'node_modules/lockstep/dist/web')
  const sources = () =>
    readdirSync(web())
      .filter((name) => name.endsWith('.js') && name !== 'big-integer.min.js')
      .map((name) => [name, readFileSync(join(web(), name), 'utf8')] as const)

  test('import only each other, by relative paths', () => {
    const { files, packages } = reach(web(), ['browser.js', 'worker.js'])
    expect(packages).toEqual([])
    expect(files).toEqual(
      readdirSync(web())
        .filter((name) => name.endsWith('.js'))
        .sort(),
    )
  })

  test('evaluate no text as code and use no Node API', () => {
    for (const [name, text] of sources()) {
      expect(text.match(/\bnew Function\b|\beval\(|["'`]node:/)?.[0], name).toBeUndefined()
    }
  })

  test('leave the stepper out of a page that only opens bundles', async () => {
    const script = `import { openBundle } from 'lockstep/browser'\nglobalThis.open = openBundle`
    const root = writePage('shaken', script)
    await buildPage(root)
    const assets = join(root, 'dist/assets')
    const text = (pattern: RegExp) =>
      readdirSync(assets)
        .filter((name) => pattern.test(name))
        .map((name) => readFileSync(join(assets, name), 'utf8'))
        .join()
    expect(text(/^index-.*\.js$/)).toContain('Worker')
    expect(text(/^index-.*\.js$/)).not.toContain('lastWriter')
    expect(text(/^worker-.*\.js$/)).toContain('lastWriter')
  })
})

inBrowsers('the package in a page', (browser) => {
  let site: Site
  /** Path of each page on the site. */
  const pages = { bundled: '', plain: '', functions: '' }
  beforeAll(async () => {
    site = await serveFolder(folder)
    const write = (name: string, script: string): string => {
      const path = `${name} ${browser().name}`
      const root = writePage(path, script)
      mkdirSync(join(root, 'dist'))
      for (const place of [root, join(root, 'dist')]) {
        writeFileSync(join(place, 'bundle.json'), JSON.stringify(document))
      }
      return path
    }
    const bundled = write('bundled', example())
    await buildPage(join(folder, bundled), { emptyOutDir: false })
    pages.bundled = `${bundled}/dist/`
    pages.plain = `${write('plain', plain(example()))}/`
    const functions = `import * as lockstep from 'lockstep/browser'\nObject.assign(globalThis, { lockstep })`
    pages.functions = `${write('functions', plain(functions))}/`
  })
  afterAll(() => site?.close())

  const SAID = /^CALL used 300000 gas: out of gas at (JUMPDEST|PUSH0|JUMP), step (\d+) of \2$/

  test.each(['bundled', 'plain'] as const)('run their example program, %s', async (kind) => {
    await withTab(browser(), { hosts: [site.host] }, async (tab) => {
      await tab.goto(site.url + pages[kind])
      await until(async () => (await textOf(tab, 'body')) !== '')
      expect(await textOf(tab, 'body')).toMatch(SAID)
    })
  })

  test.each(['worker', 'page'] as const)(
    'give the same results on the thread of a %s as in Node',
    async (thread) => {
      const recording = await (await openReplayer()).read(document)
      const calls = await recording.trace({ tracer: 'callTracer' })
      const steps = await recording.trace({ tracer: SCRIPT })
      await withTab(browser(), { hosts: [site.host] }, async (tab) => {
        await tab.goto(site.url + pages.functions)
        const found = await tab.evaluate(
          async ({ thread, script }) => {
            const { lockstep } = globalThis as unknown as { lockstep: typeof Lockstep }
            const bundle = await lockstep.openBundle(await fetch('bundle.json'), {
              thread: thread as 'worker',
            })
            const difference = (await lockstep.verify(bundle)).difference === undefined
            const calls = (await lockstep.replay(bundle, { tracer: 'callTracer' })) as never
            const steps = (await lockstep.replay(bundle, { tracer: script })) as number
            const edited = await lockstep.edit(bundle, { transaction: { gas: 50_000n } })
            const summary = await (await lockstep.openStepper(edited)).summary()
            const controller = new AbortController()
            const running = lockstep.replay(bundle, { signal: controller.signal })
            const since = performance.now()
            controller.abort()
            const ended = await running.catch((error: Lockstep.LockstepError) => error.code)
            const waited = performance.now() - since
            edited.close()
            bundle.close()
            return { difference, calls, steps, gas: Number(summary.gasUsed), ended, waited }
          },
          { thread, script: SCRIPT },
        )
        expect(found).toMatchObject({
          difference: true,
          steps,
          gas: 50_000,
          ended: 'REQUEST_TIMEOUT',
        })
        expect(found.calls).toEqual(calls)
        expect(found.waited).toBeLessThan(1000)
      })
    },
  )
})
