import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Tab } from './tab.ts'

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type WithAxe = { axe?: { run(): Promise<AxeResults> } }

/** What axe-core finds against the page as it is: the rule, and the elements that break it. */
export async function violations(tab: Tab): Promise<readonly string[]> {
  const isThere = await tab.run(() => (globalThis as WithAxe).axe !== undefined, undefined)
  if (!isThere) await tab.inject(SCRIPT)
  return tab.run(async () => {
    const { axe } = globalThis as unknown as Required<WithAxe>
    const results = await axe.run()
    return results.violations.map(
      ({ id, help, nodes }) =>
        `${id} (${help}): ${nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ''}`).join('; ')}`,
    )
  }, undefined)
}
