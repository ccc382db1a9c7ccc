import { afterAll, beforeAll, expect, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { wrapEngine, writeComponent } from '../../tools/component.ts'
import { withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type ProgramSite, serveProgram } from '../support/browser/program.ts'
import { runtimeJob } from '../support/engine/runtime-job.ts'
import { RUNTIME_JOBS } from '../support/engine/runtime-jobs.ts'
import { until } from '../support/until.ts'
import type { ComponentProgram } from './programs/component.ts'

let site: ProgramSite
beforeAll(async () => {
  site = await serveProgram(new URL('programs/component.ts', import.meta.url))
  await writeComponent(site.folder, await wrapEngine(await readModule('engine')))
})
afterAll(() => site?.close())

inBrowsers('the component as a JavaScript module', (browser) => {
  test('the component in the browser gives the results of the core module in Node', async () => {
    await withTab(browser(), { hosts: [site.host] }, async (tab) => {
      await tab.goto(site.url)
      await until(() => tab.evaluate(() => 'runJob' in globalThis, undefined))
      for (const { name, open } of RUNTIME_JOBS) {
        const { job, success, expected } = await runtimeJob(open())
        const there = await tab.evaluate(
          (each) => (globalThis as unknown as ComponentProgram).runJob(each),
          job,
        )
        const { error, ...result } = there
        expect(result, name).toEqual(expected)
        expect(error === 0, name).toBe(success)
      }
    })
  })
})
