import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Tab } from './browser.ts'

const SCRIPT = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

type WithAxe = { axe?: { run(): Promise<AxeResults> } }

/** Returns the violations that axe-core finds on the current page: the rule, and the elements that break it. */
export async function violations(tab: Tab): Promise<readonly string[]> {
  const isThere = await tab.evaluate(() => (globalThis as WithAxe).axe !== undefined)
  if (!isThere) await tab.evaluate(readFileSync(SCRIPT, 'utf8'))
  const { violations } = await tab.evaluate(() =>
    (globalThis as unknown as Required<WithAxe>).axe.run(),
  )
  return violations.map(
    ({ id, help, nodes }) =>
      `${id} (${help}): ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ''}`).join('; ')}`,
  )
}
