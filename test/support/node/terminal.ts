import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { MAIN } from './main-file.ts'

const PROGRAMS = {
  lockstep: MAIN,
  'lockstep-db': fileURLToPath(new URL('../../../host/cli/dump-main.ts', import.meta.url)),
} as const

export type Program = keyof typeof PROGRAMS

/** A command that runs at a terminal of its own, which util-linux' `script` makes. */
export interface Terminal {
  /** All that the terminal shows so far. */
  output(): string
  type(keys: string): void
  /** Resolves once the terminal has shown the text. */
  says(text: string): Promise<void>
  /** Exit code of the command; 128 and the number of the signal that ended it. */
  readonly ended: Promise<number>
  close(): void
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** @param before words in front of the command, as those that enter a namespace */
export function openTerminal(
  args: readonly string[],
  before: readonly string[] = [],
  program: Program = 'lockstep',
): Terminal {
  // A shell that stays in front of the command ends by the Ctrl-C that the command has handled (dash, POSIX).
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
