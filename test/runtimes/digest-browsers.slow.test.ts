import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { serveProgram } from '../support/browser/program.ts'
import { NO_VECTORS, VECTORS } from '../support/vectors.ts'
import { expectedDigests, FEWEST_REGIONS } from './digest/expected-digests.ts'
import type { DigestPage } from './digest/page.ts'

describe.skipIf(VECTORS === undefined)(
  VECTORS === undefined ? `one digest (${NO_VECTORS})` : 'one digest',
  () => {
    const expected = expectedDigests(VECTORS as string)

    inBrowsers('is the same', (browser) => {
      test('when it is computed in a page, with code interpreted and compiled', async () => {
        const site = await serveProgram(new URL('digest/page.ts', import.meta.url))
        try {
          copyFileSync(expected().file, join(site.folder, 'cases.json'))
          await withTab(browser(), { hosts: [site.host] }, async (tab) => {
            await tab.goto(site.url)
            const there = await tab.evaluate(async () => {
              const { digests } = globalThis as unknown as DigestPage
              return [await digests(false), await digests(true)] as const
            }, undefined)
            const [interpreted, { compiled, ...digests }] = there
            expect(interpreted).toEqual({ ...expected().digests, compiled: 0 })
            expect(digests).toEqual(expected().digests)
            expect(compiled).toBeGreaterThan(FEWEST_REGIONS)
          })
        } finally {
          await site.close()
        }
      })
    })
  },
)
