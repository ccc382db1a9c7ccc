import { DefaultReporter, type TestCase, type TestModule, type TestModuleState } from 'vitest/node'

/** Maximum number of files for which each test is listed. Larger runs only list failures. */
const FEW_FILES = 3
/** Interval of progress lines if a line cannot be overwritten, as in a CI log. */
const LINE_MS = 15_000
const REWRITE_MS = 1000
const SLOWEST = 5

type StartParameters = Parameters<DefaultReporter['onTestRunStart']>
type EndParameters = Parameters<DefaultReporter['onTestRunEnd']>

/** Formats milliseconds as `3 min 05 s`. */
function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** Reports progress in one line, then the failures and the slowest files. */
export class ProgressReporter extends DefaultReporter {
  #files = 0
  #done = 0
  #failed = 0
  #timer: NodeJS.Timeout | undefined
  #isLineOpen = false
  readonly #running = new Set<string>()

  constructor() {
    super({ summary: false })
  }

  override onTestRunStart(...args: StartParameters): void {
    super.onTestRunStart(...args)
    this.#files = args[0].length
    if (this.#isLong()) {
      this.#timer = setInterval(() => this.#say(), this.isTTY ? REWRITE_MS : LINE_MS)
    }
  }

  override onTestModuleQueued(module: TestModule): void {
    this.#running.add(module.relativeModuleId)
    super.onTestModuleQueued(module)
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId)
    this.#done++
    if (module.state() === 'failed') this.#failed++
    super.onTestModuleEnd(module)
  }

  override onTestRunEnd(...args: EndParameters): void {
    clearInterval(this.#timer)
    super.onTestRunEnd(...args)
    if (!this.#isLong()) return
    const slowest = args[0]
      .map((module) => ({ name: module.relativeModuleId, took: module.diagnostic().duration }))
      .sort((a, b) => b.took - a.took)
      .slice(0, SLOWEST)
    this.log(
      `    Slowest  ${slowest.map(({ name, took }) => `${name} ${duration(took)}`).join(', ')}\n`,
    )
  }

  override log(...messages: unknown[]): void {
    this.#clear()
    super.log(...messages)
  }

  override error(...messages: unknown[]): void {
    this.#clear()
    super.error(...messages)
  }

  protected override printTestModule(module: TestModule): void {
    if (!this.#isLong() || module.state() === 'failed') super.printTestModule(module)
  }

  protected override printTestCase(state: TestModuleState, test: TestCase): void {
    if (!this.#isLong() || test.result().state === 'failed') super.printTestCase(state, test)
  }

  #isLong(): boolean {
    return this.#files > FEW_FILES
  }

  #say(): void {
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`
    const past = duration(performance.now() - this.start)
    const running = [...this.#running].map((path) => path.replace(/^test\//, '')).join(', ')
    const line = `${this.#done} of ${this.#files} files${failed}, ${past}: ${running}`
    if (!this.isTTY) {
      this.log(line)
      return
    }
    this.#clear()
    process.stdout.write(line.slice(0, process.stdout.columns - 1))
    this.#isLineOpen = true
  }

  #clear(): void {
    if (this.#isLineOpen) process.stdout.write('\r\x1b[K')
    this.#isLineOpen = false
  }
}
