import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { MAIN } from '../../../support/node/main-file.ts'
import { openTerminal } from '../../../support/node/terminal.ts'
import { until } from '../../../support/until.ts'

const METRICS = [
  '--instrumentation.prometheus',
  'true',
  '--instrumentation.prometheus-listen-addr',
  '127.0.0.1:0',
]

let home: string
let daemon: Daemon
const children: ChildProcess[] = []
beforeAll(async () => {
  home = makeHome()
  daemon = await startDaemon({ home, arguments: [...METRICS, '--consensus.block-time', '50ms'] })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await daemon.stop()
  removeHome(home)
})

/** Runs the watch without a terminal until it has written `count` lines, then sends a signal. */
async function watchLines(count: number, ...flags: readonly string[]) {
  const args = ['status', '--watch', '--interval', '100ms', '--home', home, ...flags]
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.split('\n').length > count) child.kill('SIGINT')
  }
  if (child.exitCode === null) await once(child, 'exit')
  return { code: child.exitCode, lines: output.trimEnd().split('\n') }
}

test('status --watch writes lines without a terminal and exits with 0 at a signal', async () => {
  const { code, lines } = await watchLines(3)
  expect(code).toBe(0)
  expect(lines.length).toBeGreaterThanOrEqual(3)
  for (const line of lines) expect(line).toMatch(/^time=\S+ height=\d+ .*memory_bytes=\d+$/)
  expect(lines.at(-1)).toMatch(/ block_seconds=0\.\d+ .*transactions_per_second=0 /)
})

test('status --watch --json writes an object per line', async () => {
  const { lines } = await watchLines(2, '--json')
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({ peers: 0, catching_up: false, traces_running: 0 })
  // Unknown without peers.
  expect(first).not.toHaveProperty('lag')
  expect(second.height).toBeGreaterThanOrEqual(first.height)
})

const hasScript = spawnSync('script', ['--version']).status === 0
test.skipIf(!hasScript).each([
  ['q', 'q'],
  ['Ctrl-C', '\x03'],
])(
  `status --watch shows a page on a terminal until %s${hasScript ? '' : ': there is no script of util-linux'}`,
  async (_, key) => {
    const terminal = openTerminal(['status', '--watch', '--interval', '100ms', '--home', home])
    try {
      await terminal.says('Mempool')
      terminal.type(key)
      expect(await terminal.ended).toBe(0)
    } finally {
      terminal.close()
    }
    const output = terminal.output()
    // The page is overwritten, never cleared, and the previous screen is restored at the end.
    expect(output).toContain('\x1b[?1049h\x1b[?25l\x1b[H\x1b[KNode ')
    expect(output).not.toContain('\x1b[2J')
    expect(output.trimEnd().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true)
  },
)

/** Returns the lines of the last drawn page without the sequences that clear the rest of each line. */
function lastPage(output: string): string[] {
  const page = output.slice(output.lastIndexOf('\x1b[H') + '\x1b[H'.length)
  return page.replaceAll('\x1b[K', '').replaceAll('\x1b[J', '').split(/\r+\n/)
}

test.skipIf(!hasScript)(
  `status --watch fits its page into a terminal that shrinks twice${hasScript ? '' : ': there is no script of util-linux'}`,
  async () => {
    // With such a long interval, only a new size can cause a redraw.
    const args = ['status', '--watch', '--interval', '600s', '--home', home]
    const size = 'stty rows 30 columns 100; echo "at $(tty) ."; exec "$@"'
    const terminal = openTerminal(args, ['sh', '-c', size, 'sh'])
    const page = () => lastPage(terminal.output())
    const resize = (...sizes: string[]) => spawnSync('stty', ['-F', device, ...sizes]).status
    let device = ''
    try {
      await terminal.says('q or Ctrl-C ends')
      expect(page()).toHaveLength(15)
      device = /at (\S+) \./.exec(terminal.output())?.[1] ?? ''
      expect(resize('rows', '5')).toBe(0)
      await until(() => page().length === 5)
      const [node = ''] = page()
      expect(node).toMatch(/^Node {10}dev \(/)
      // Two sizes, set one after the other. Each may cause a redraw, and the last one counts.
      expect(resize('rows', '4', 'columns', '20')).toBe(0)
      await until(() => page().length === 4 && page()[0] === node.slice(0, 20))
      for (const line of page()) expect(line.length).toBeLessThanOrEqual(20)
      // After a line of the full width the cursor is on its last character, which clearing would erase.
      expect(terminal.output()).not.toContain(`${node.slice(0, 20)}\x1b[`)
      terminal.type('q')
      expect(await terminal.ended).toBe(0)
    } finally {
      terminal.close()
    }
  },
)

test('status --watch refuses an interval that would keep the node busy', async () => {
  const args = ['status', '--watch', '--interval', '1ms', '--home', home]
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' })
  expect(status).toBe(64)
  expect(stderr).toContain('Error: --interval is 1ms, not a duration of 100ms or more\n')
})
