import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadEngine } from '../host/evm/engine/engine.ts'
import { compileEngine, readModule } from '../host/node/wasm.ts'
import { CommitHasher } from '../host/storage/commit/hash/commit-hasher.ts'
import {
  BROWSER_NAMES,
  type Browser,
  type BrowserName,
  installedBrowser,
  openBrowser,
  whyNoBrowser,
  withTab,
} from '../test/support/browser/browser.ts'
import { serveExplorer, shown } from '../test/support/browser/explorer-tab.ts'
import { startFailingNode } from '../test/support/browser/failing-node.ts'
import { serveProgram } from '../test/support/browser/program.ts'
import { BENCH_CASES } from '../test/support/engine/bench-cases.ts'
import { makeRandom } from '../test/support/random.ts'
import { benchBundle, type Recorder } from '../test/support/trace/vector-bundle.ts'
import { startCountingProxy } from './browser/counting-proxy.ts'
import { dropUntilShown } from './browser/in-explorer.ts'
import { longBundle } from './browser/long-bundle.ts'
import type { SpeedPage } from './browser/speed-page.ts'
import { measureSpeed, type SpeedCase, type SpeedRow } from './browser/speed-program.ts'
import type { StepsPage } from './browser/steps-page.ts'
import { browserMb, restingMb } from './browser/tab-memory.ts'
import { quantile } from './statistics.ts'

/** Random positions to seek in a long transaction, the same for both browsers. */
const SEEKS = 200

/** Text that the page shows first for a long transaction. */
const FAILURE = 'the loop has ended'

const round = (value: number) => Number(value.toPrecision(3))

function print(browser: string, measure: string, values: object): void {
  console.log(JSON.stringify({ bench: 'browser', browser, measure, ...values }))
}

async function openRecorder(): Promise<Recorder> {
  const { engine, engineHash, ...modules } = await compileEngine()
  const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
  return { engine: await loadEngine(engine, modules), hasher, engineHash }
}

/** Measures stepping through long transactions: the library in a tab of its own, with a worker. */
async function measureSteps(browser: Browser, bundles: ReadonlyMap<number, string>): Promise<void> {
  const site = await serveProgram(new URL('browser/steps-page.ts', import.meta.url))
  try {
    for (const [steps, text] of bundles) {
      writeFileSync(join(site.folder, `${steps}.json`), text)
      await withTab(browser, { hosts: [site.host] }, async (tab) => {
        await tab.goto(site.url)
        const before = await restingMb()
        const random = makeRandom(1)
        const places = Array.from({ length: SEEKS }, random)
        const times = await tab.evaluate(
          ({ url, places }) => (globalThis as unknown as StepsPage).steps(url, places),
          { url: `${steps}.json`, places },
        )
        const mb = browserMb() - before
        print(browser.name, 'steps', {
          steps: times.steps,
          first_picture_ms: round(times.first),
          any_step_ms: round(quantile(times.any, 0.5)),
          any_step_p99_ms: round(quantile(times.any, 0.99)),
          back_ms: round(quantile(times.back, 0.5)),
          back_p99_ms: round(quantile(times.back, 0.99)),
          last_writer_ms: times.writer.map(round),
          breakpoint_never_hit_ms: round(times.find),
          longest_stall_ms: round(times.stall),
          memory_mb: Math.round(mb),
        })
        await tab.evaluate(() => (globalThis as unknown as StepsPage).closeSteps(), undefined)
      })
    }
  } finally {
    await site.close()
  }
}

/** Measures the explorer itself: from a dropped bundle to the page that says why it failed. */
async function measurePage(browser: Browser, bundles: ReadonlyMap<number, string>): Promise<void> {
  const site = await serveExplorer()
  try {
    for (const [steps, text] of bundles) {
      await withTab(browser, { hosts: [site.host] }, async (tab) => {
        await tab.goto(site.url)
        await shown(tab, 'Open a transaction')
        const before = await restingMb()
        const first = await tab.evaluate(dropUntilShown, { text, wanted: FAILURE })
        print(browser.name, 'explorer', {
          steps,
          first_picture_ms: round(first.shown),
          longest_stall_ms: round(first.stall),
          memory_mb: Math.round(browserMb() - before),
        })
      })
    }
  } finally {
    await site.close()
  }
}

/** Measures the engine's speed in a tab, with Node measured just before. */
async function measureEngine(
  browser: Browser,
  cases: readonly SpeedCase[],
  { engine }: Recorder,
  withPeers: boolean,
): Promise<void> {
  const inNode = await measureSpeed(cases, engine, false)
  const site = await serveProgram(new URL('browser/speed-page.ts', import.meta.url))
  try {
    writeFileSync(join(site.folder, 'cases.json'), JSON.stringify(cases))
    await withTab(browser, { hosts: [site.host] }, async (tab) => {
      await tab.goto(site.url)
      const rows = await tab.evaluate(
        (withPeers) => (globalThis as unknown as SpeedPage).speed(withPeers),
        withPeers,
      )
      for (const [index, row] of rows.entries()) {
        const node = inNode[index] as SpeedRow
        print(browser.name, 'engine', {
          case: row.name,
          ms: round(row.lockstep),
          of_node: round(row.lockstep / node.lockstep),
          ethereumjs_ms: row.ethereumjs && round(row.ethereumjs),
          faster_than_ethereumjs: row.ethereumjs && round(row.ethereumjs / row.lockstep),
        })
      }
      const mean = (ratios: readonly number[]) =>
        round(Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length))
      const slower = rows.map((row, i) => row.lockstep / (inNode[i] as SpeedRow).lockstep)
      const faster = rows.flatMap(({ ethereumjs, lockstep }) =>
        ethereumjs === undefined ? [] : [ethereumjs / lockstep],
      )
      print(browser.name, 'engine, geometric mean', {
        of_node: mean(slower),
        worst_of_node: round(Math.max(...slower)),
        ...(withPeers && {
          faster_than_ethereumjs: mean(faster),
          least_faster_than_ethereumjs: round(Math.min(...faster)),
        }),
      })
    })
  } finally {
    await site.close()
  }
}

/**
 * Measures the bytes that a node sends for its explorer with a failed transaction, to a new browser and to one with a
 * cache.
 */
async function measureWire(browser: Browser): Promise<void> {
  // By default responses to loopback are not compressed
  const node = await startFailingNode(['--evm.http-compression', 'all'])
  const proxy = await startCountingProxy(node.host)
  try {
    await withTab(browser, { hosts: [proxy.host] }, async (tab) => {
      for (const visit of ['first', 'again']) {
        await tab.goto(`http://${proxy.host}/explorer/tx/${node.failed}`)
        await shown(tab, 'Why it failed')
        print(browser.name, 'wire', { visit, bytes: proxy.take() })
        await tab.goto('about:blank')
      }
    })
  } finally {
    await proxy.close()
    await node.close()
  }
}

const MEASURES = ['steps', 'explorer', 'engine', 'wire'] as const

/**
 * Benchmarks the engine and the explorer in headless browsers: long transactions, the engine's speed, bytes on the
 * wire. `--browser NAME`, `--measure NAME` and `--steps N` may repeat. `--peers` runs `@ethereumjs/evm` in the same
 * tab; `--filter TEXT` selects engine cases.
 */
export async function runBrowserBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      browser: { type: 'string', multiple: true, default: [...BROWSER_NAMES] },
      measure: { type: 'string', multiple: true, default: [...MEASURES] },
      steps: { type: 'string', multiple: true, default: ['1000000', '10000000'] },
      peers: { type: 'boolean', default: false },
      filter: { type: 'string', default: '' },
    },
  })
  const isWanted = (measure: (typeof MEASURES)[number]) => values.measure.includes(measure)
  const recorder = await openRecorder()
  const bundles = new Map<number, string>()
  if (isWanted('steps') || isWanted('explorer')) {
    for (const steps of values.steps.map(Number)) {
      bundles.set(steps, await longBundle(recorder, steps))
    }
  }
  const cases: SpeedCase[] = []
  if (isWanted('engine')) {
    for (const row of BENCH_CASES.filter(({ name }) => name.includes(values.filter))) {
      cases.push({ ...row, gas: 0, bundle: await benchBundle(recorder, row) })
    }
  }
  for (const name of values.browser as BrowserName[]) {
    if (installedBrowser(name) === undefined) {
      console.error(whyNoBrowser(name))
      continue
    }
    const browser = await openBrowser(name)
    try {
      print(name, 'version', { version: browser.version })
      if (isWanted('steps')) await measureSteps(browser, bundles)
      if (isWanted('explorer')) await measurePage(browser, bundles)
      if (isWanted('engine')) await measureEngine(browser, cases, recorder, values.peers)
      if (isWanted('wire')) await measureWire(browser)
    } finally {
      await browser.close()
    }
  }
}
