import { type ChildProcess, spawn } from 'node:child_process'
import { basename } from 'node:path'
import { until } from './until.ts'

export interface ProgramOptions {
  readonly cwd?: string
  /** Variables beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A program that runs in a process of its own. */
export interface Program {
  readonly process: ChildProcess
  /** Exit code or signal, once it has ended. */
  readonly ended: Promise<number | string>
  /** What it has written so far, to either stream. */
  output(): string
  /** Sends a signal and resolves once the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
  /**
   * Resolves with what `look` finds in the output, or by itself, once that is not undefined.
   * @throws Error with the output if the program ends before
   */
  says<Found>(
    look: (output: string) => Found | undefined | Promise<Found | undefined>,
  ): Promise<Found>
}

export function startProgram(
  [program = '', ...args]: readonly string[],
  { cwd, variables, name = basename(program) }: ProgramOptions & { readonly name?: string } = {},
): Program {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
    ...(cwd !== undefined && { cwd }),
  })
  let output = ''
  let end: number | string | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = new Promise<number | string>((resolve) => {
    const settle = (how: number | string) => {
      end = how
      resolve(how)
    }
    child.on('error', (error) => settle(error.message))
    child.on('exit', (code, signal) => settle(code ?? signal ?? 0))
  })
  return {
    process: child,
    ended,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    says: async (look) => {
      let found = await look(output)
      await until(async () => {
        if (found !== undefined) return true
        if (end !== undefined) throw new Error(`${name} ended with ${end} before ready:\n${output}`)
        found = await look(output)
        return found !== undefined
      })
      return found as NonNullable<typeof found>
    },
  }
}

/** How a program ended, and what it wrote. */
export interface Finished {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, with this input. */
export function runProgram(
  [program = '', ...args]: readonly string[],
  input = '',
  { cwd, variables }: ProgramOptions = {},
): Promise<Finished> {
  const env = { ...process.env, ...variables }
  const child = spawn(program, args, { env, ...(cwd !== undefined && { cwd }) })
  // A program that reads nothing may be gone before it is written
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 0, stdout, stderr }))
  })
}

/**
 * Returns what a program writes to standard output.
 * @throws Error with what it wrote to standard error if it fails
 */
export async function outputOf(
  command: readonly string[],
  input = '',
  options: ProgramOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, input, options)
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}:\n${stderr}`)
  return stdout
}
