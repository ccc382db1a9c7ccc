import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface ChildServer {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Starts a module of this folder, which sends its port when it listens.
 * @throws Error if it ends before that
 */
export async function startChildServer(
  module: 'published-server' | 'ungated-server',
  args: readonly string[],
): Promise<ChildServer> {
  const child = fork(fileURLToPath(new URL(`./${module}.ts`, import.meta.url)), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number))
    exited.then(() => reject(new Error(`${module} ${args.join(' ')} ended before it listened`)))
  })
  return {
    port,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}
