import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A network of its own with nothing but loopback, where every port is free. */
export interface NetworkNamespace {
  /** Words in front of a command that runs in it. */
  readonly enter: readonly string[]
  close(): Promise<void>
}

/** Holds the namespace open until its input ends. */
const HOLD = 'ip link set lo up && echo up && exec cat'

async function isUp(holder: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    holder.on('error', () => resolve(false))
    holder.on('exit', () => resolve(false))
    holder.stdout?.once('data', () => resolve(true))
  })
}

/** By a user namespace, which needs no privilege; else as root, where the system has none of those. */
const WAYS = ['-Urn', '-n'] as const

/** Undefined where the system gives none. */
export async function openNetworkNamespace(): Promise<NetworkNamespace | undefined> {
  for (const way of WAYS) {
    const holder = spawn('unshare', [way, 'sh', '-c', HOLD], { stdio: ['pipe', 'pipe', 'ignore'] })
    if (!(await isUp(holder))) continue
    const user = way === '-n' ? [] : ['--preserve-credentials', '-U']
    return {
      enter: ['nsenter', ...user, '-n', '-t', String(holder.pid)],
      close: async () => {
        const ended = once(holder, 'exit')
        holder.stdin?.end()
        await ended
      },
    }
  }
  return undefined
}
