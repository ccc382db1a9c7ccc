import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A network namespace with only loopback, in which every port is free. */
export interface NetworkNamespace {
  /** Prefix of a command that is to run in it. */
  readonly enter: readonly string[]
  close(): Promise<void>
}

/** Keeps the namespace open until its input ends. */
const HOLD = 'ip link set lo up && echo up && exec cat'

async function isUp(holder: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    holder.on('error', () => resolve(false))
    holder.on('exit', () => resolve(false))
    holder.stdout?.once('data', () => resolve(true))
  })
}

/** A user namespace, which needs no privilege, or root if the system does not support one. */
const WAYS = ['-Urn', '-n'] as const

/** Returns undefined if the system supports neither. */
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
