import { type ChildProcess, spawn } from 'node:child_process'
import { basename } from 'node:path'
import { until } from './until.ts'

export interface ProgramOptions {
  readonly cwd?: string
  /** Environment variables added to those of this process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A program in its own process. */
export interface Program {
  readonly process: ChildProcess
  /** Exit code or signal after it has ended. */
  readonly ended: Promise<number | string>
  /** Returns its output so far, from both streams. */
  output(): string
  /** Sends a signal and resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
  /**
   * Resolves with the result of `look` on the output when that is not undefined.
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

/** How a program ended, and its output. */
export interface Finished {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program with this input to its end. */
export function runProgram(
  [program = '', ...args]: readonly string[],
  input = '',
  { cwd, variables }: ProgramOptions = {},
): Promise<Finished> {
  const env = { ...process.env, ...variables }
  const child = spawn(program, args, { env, ...(cwd !== undefined && { cwd }) })
  // A program that does not read its input may end before it is written
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
 * Returns the standard output of a program.
 * @throws Error with its standard error if it fails
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
