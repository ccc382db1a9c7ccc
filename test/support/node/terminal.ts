import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MAIN } from './main-file.ts'

const PROGRAMS = {
  lockstep: MAIN,
  'lockstep-db': fileURLToPath(new URL('../../../host/cli/dump-main.ts', import.meta.url)),
} as const

export type Program = keyof typeof PROGRAMS

/** A command in its own terminal, created by util-linux' `script`. */
export interface Terminal {
  /** Returns all output of the terminal so far. */
  output(): string
  type(keys: string): void
  /** Resolves when the terminal has shown the text. */
  says(text: string): Promise<void>
  /** Exit code of the command, or 128 plus the number of the signal that ended it. */
  readonly ended: Promise<number>
  close(): void
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** @param before command prefix, for example to enter a namespace */
export function openTerminal(
  args: readonly string[],
  before: readonly string[] = [],
  program: Program = 'lockstep',
): Terminal {
  // With `exec`, since a shell that remains would itself end at the Ctrl-C that the command handles (dash, POSIX).
  const command = `exec ${[...before, process.execPath, PROGRAMS[program], ...args].map(quote).join(' ')}`
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let notify = (): void => {}
  child.stdout.on('data', (chunk) => {
    output += chunk
    notify()
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      resolve(code ?? -1)
      notify()
    })
  })
  return {
    output: () => output,
    type: (keys) => child.stdin.write(keys),
    says: (text) =>
      new Promise((resolve, reject) => {
        notify = () => {
          if (output.includes(text)) resolve()
          else if (child.exitCode !== null)
            reject(new Error(`it ended without "${text}":\n${output}`))
        }
        notify()
      }),
    ended,
    close: () => child.kill(),
  }
}
