// Checks that host/ starts platform timers only in host/base/timer.ts, whose timers take any delay.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bareTimersIn } from './bare-timers.ts'

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const OWN = 'host/base/timer.ts'

for (const name of readdirSync(join(ROOT, 'host'), { recursive: true, encoding: 'utf8' })) {
  const file = `host/${name.split(sep).join('/')}`
  if (!/\.tsx?$/.test(file) || file === OWN) continue
  for (const { line, name: timer } of bareTimersIn(readFileSync(join(ROOT, file), 'utf8'))) {
    process.stderr.write(
      `${file}:${line}: ${timer} fires at once above 2^31 - 1 ms: use startTimer, startInterval, delay or ` +
        `timeoutSignal of ${OWN}\n`,
    )
    process.exitCode = 1
  }
}
