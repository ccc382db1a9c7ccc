// Runs files of a set of tests, or all of it, and writes the results: run-tests.ts <output> <fast|slow> [file]...
import { writeFileSync } from 'node:fs'
import { type Reporter, startVitest, type TestModule } from 'vitest/node'
import { ProgressReporter } from '../../test/support/run/progress-reporter.ts'
import type { TestResults } from './test-results.ts'

const [output = '', set = '', ...files] = process.argv.slice(2)

/** Returns the failures of a file: its tests by full name, and errors of the file itself or a hook. */
function failuresOf(module: TestModule): string[] {
  const ofFile = module.errors().map(({ message }) => message)
  const ofSuites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message }) => `${suite.fullName}: ${message}`),
  )
  const ofTests = [...module.children.allTests('failed')].map(
    (test) => `${test.fullName}: ${test.result().errors?.[0]?.message ?? 'no error'}`,
  )
  return [...ofFile, ...ofSuites, ...ofTests].map(
    (text) => `${module.relativeModuleId}: ${text.split('\n', 1)}`,
  )
}

const results: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const seconds = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic()
      return [module.relativeModuleId, (duration + collectDuration + setupDuration) / 1000]
    })
    const written: TestResults = {
      seconds: Object.fromEntries(seconds),
      failures: modules.flatMap(failuresOf),
    }
    writeFileSync(output, JSON.stringify(written))
  },
}

const vitest = await startVitest('test', files, {
  config: 'test/vitest.config.ts',
  project: [set],
  reporters: [new ProgressReporter(), results],
  run: true,
  watch: false,
})
await vitest?.close()
