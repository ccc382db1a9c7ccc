import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Finished, runProgram, startProgram } from '../program.ts'
import { MAIN } from './main-file.ts'

/** What `--ready-file` holds. */
export interface Ready {
  readonly rpc: string
  readonly ws: string
  /** Null where the explorer is not served. */
  readonly explorer: string | null
  readonly consensus: string
  /** Null where metrics are off, as they are by default. */
  readonly metrics: string | null
  /** Null where nothing is sold. */
  readonly payments: string | null
  readonly paymentToken: string | null
  /** Null where no wallets are held. */
  readonly wallets: string | null
  readonly pid: number
  readonly chainId: number
  readonly home: string
}

export interface DaemonOptions {
  readonly home: string
  readonly arguments?: readonly string[]
  /** False to serve the chain that the home has, and make none. */
  readonly dev?: boolean
  /** A command that runs the node, where it is not to run as it is. */
  readonly before?: readonly string[]
  /** The command line's file; the checkout's by default. */
  readonly main?: string
  /** Variables beside those of the process. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A node in a process of its own, with what it wrote so far. */
export interface Daemon {
  readonly ready: Ready
  readonly process: ChildProcess
  output(): string
  /**
   * Ends the process and resolves with its exit code, or the signal's name.
   * @throws Error with the node's output when it has ended by itself.
   */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** A folder under the system's temporary one, removed by `removeHome`. */
export function makeHome(): string {
  return mkdtempSync(join(tmpdir(), 'lockstep-'))
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true })
}

/** Runs a command of the command line to its end, with these variables beside those of the process. */
export function runCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> {
  return runProgram([process.execPath, MAIN, ...args], input, { variables })
}

/**
 * Makes the home of a validator that signs each height once, unlike one under --dev; its accounts are those of a
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
 * Starts a node, a dev node unless told otherwise, on free ports and waits for its ready file.
 * @throws Error with the node's output when it ends before it is ready.
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
