// Runs files of the slow set, or all of it, and writes what each of them took: run-slow.ts <output> [file]...
import { writeFileSync } from 'node:fs'
import { type Reporter, startVitest, type TestModule } from 'vitest/node'
import { ProgressReporter } from '../../test/support/run/progress-reporter.ts'

const [output = '', ...files] = process.argv.slice(2)

/** Seconds of each file that passed or failed; one that failed may have been shorter for it. */
const timing: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const rows = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic()
      return [module.relativeModuleId, (duration + collectDuration + setupDuration) / 1000]
    })
    writeFileSync(output, JSON.stringify(Object.fromEntries(rows)))
  },
}

const vitest = await startVitest('test', files, {
  config: 'test/vitest.config.ts',
  project: ['slow'],
  reporters: [new ProgressReporter(), timing],
  run: true,
  watch: false,
})
await vitest?.close()
