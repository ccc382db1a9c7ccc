import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startDaemon } from '../../test/support/node/daemon.ts'
import { ANVIL } from '../../test/support/peer/anvil.ts'

/** A chain that mines each transaction at once, in a process of its own. */
export interface DevNode {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The initial state: that of another node at a height. */
export interface ForkOf {
  readonly url: string
  readonly block: number
}

/** @param folder the node's own; a second run may reuse it */
export type StartDevNode = (folder: string, fork?: ForkOf) => Promise<DevNode>

const HARDHAT = fileURLToPath(new URL('../peers/hardhat', import.meta.url))
const HARDHAT_CLI = join(HARDHAT, 'node_modules/hardhat/dist/src/cli.js')
/** The output of `npm run -s prepack`, which users install; without it the bundle of the checkout runs. */
const PACKED = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const LOOK_MS = 5

async function answers(url: string): Promise<boolean> {
  try {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    const headers = { 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', body, headers })).ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function served(child: ChildProcess, url: string): Promise<DevNode> {
  const exited = once(child, 'exit')
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    await delay(LOOK_MS)
  }
  return {
    url,
    pid: child.pid as number,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}

async function startAnvil(folder: string, fork?: ForkOf): Promise<DevNode> {
  const port = await freePort()
  const of =
    fork === undefined ? [] : ['--fork-url', fork.url, '--fork-block-number', `${fork.block}`]
  const child = spawn(ANVIL, ['--port', `${port}`, '--chain-id', '31337', '--silent', ...of], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, HOME: folder },
  })
  return served(child, `http://127.0.0.1:${port}`)
}

async function startHardhat(folder: string, fork?: ForkOf): Promise<DevNode> {
  const port = await freePort()
  const of = fork === undefined ? [] : ['--fork', fork.url, '--fork-block-number', `${fork.block}`]
  const child = spawn(process.execPath, [HARDHAT_CLI, 'node', '--port', `${port}`, ...of], {
    cwd: HARDHAT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', BUILD_FOLDER: folder },
  })
  return served(child, `http://127.0.0.1:${port}`)
}

async function startLockstep(folder: string, fork?: ForkOf): Promise<DevNode> {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const of = fork === undefined ? [] : ['--dev.fork', fork.url, '--dev.fork-block', `${fork.block}`]
  const daemon = await startDaemon({
    home,
    arguments: ['--dev.automine', 'true', '--log-level', 'warn', ...of],
    variables: { HOME: folder },
    ...(existsSync(PACKED) && { main: PACKED }),
  })
  return {
    url: daemon.ready.rpc,
    pid: daemon.ready.pid,
    stop: async () => {
      await daemon.stop()
    },
  }
}

/** Starters by name; peers only if they are installed. */
export function devNodes(withPeers: boolean): Readonly<Record<string, StartDevNode>> {
  if (!withPeers) return { lockstep: startLockstep }
  const peers = { anvil: existsSync(ANVIL), hardhat: existsSync(HARDHAT_CLI) }
  for (const [name, isThere] of Object.entries(peers)) {
    if (!isThere) console.error(`${name} is not installed: run .ci/run to install it`)
  }
  return {
    lockstep: startLockstep,
    ...(peers.anvil && { anvil: startAnvil }),
    ...(peers.hardhat && { hardhat: startHardhat }),
  }
}
