import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Finished, runProgram, startProgram } from '../program.ts'
import { MAIN } from './main-file.ts'

/** Content of the file of `--ready-file`. */
export interface Ready {
  readonly rpc: string
  readonly ws: string
  /** Null if the explorer is not served. */
  readonly explorer: string | null
  readonly consensus: string
  /** Null if metrics are off, as by default. */
  readonly metrics: string | null
  /** Null if nothing is sold. */
  readonly payments: string | null
  readonly paymentToken: string | null
  /** Null if the wallet service is off. */
  readonly wallets: string | null
  readonly pid: number
  readonly chainId: number
  readonly home: string
}

export interface DaemonOptions {
  readonly home: string
  readonly arguments?: readonly string[]
  /** False to run the chain of the home instead of a development chain. */
  readonly dev?: boolean
  /** Command prefix with which the node runs. */
  readonly before?: readonly string[]
  /** File of the command line, by default that of the checkout. */
  readonly main?: string
  /** Environment variables added to those of the process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A node in its own process, with its output so far. */
export interface Daemon {
  readonly ready: Ready
  readonly process: ChildProcess
  output(): string
  /**
   * Ends the process. Resolves with its exit code or the signal's name.
   * @throws Error with the node's output if it has ended by itself
   */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** Creates a folder in the system's temporary one. `removeHome` deletes it. */
export function makeHome(): string {
  return mkdtempSync(join(tmpdir(), 'lockstep-'))
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true })
}

/** Runs a command of the command line to its end, with these environment variables added. */
export function runCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  return runProgram([process.execPath, MAIN, ...args], input, { variables })
}

/**
 * Creates the home of a validator that signs each height once, unlike under --dev. Its accounts are those of a
 * development chain.
 */
export async function initializeValidator(home: string): Promise<void> {
  const init = ['init', '--home', home, '--chain-id', 'dev', '--mode', 'validator']
  const { code, stderr } = await runCommand(init)
  if (code !== 0) throw new Error(stderr)
}

function readReady(path: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Ready
  } catch {
    return undefined
  }
}

/**
 * Starts a node, by default a dev node, on free ports and waits for its ready file.
 * @throws Error with the node's output if it ends before it is ready
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const readyFile = join(options.home, 'ready.json')
  rmSync(readyFile, { force: true })
  const args = ['start', '--home', options.home, '--ready-file', readyFile]
  if (options.dev !== false) args.push('--dev')
  args.push('--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0')
  const command = [...(options.before ?? []), process.execPath, options.main ?? MAIN, ...args]
  const { variables = {} } = options
  const program = startProgram([...command, ...(options.arguments ?? [])], {
    variables,
    name: 'node',
  })
  const ready = await program.says(() => readReady(readyFile))
  const { process: child, output } = program
  let stopping = false
  return {
    ready,
    process: child,
    output,
    stop: (signal = 'SIGTERM') => {
      const code = child.exitCode ?? child.signalCode
      if (code !== null && !stopping) {
        throw new Error(`node ended by itself with ${code}:\n${output()}`)
      }
      stopping = true
      return program.stop(signal)
    },
  }
}
