import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { COMETBFT, WITHOUT_COMETBFT } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { MAIN } from '../support/node/main-file.ts'
import { until } from '../support/until.ts'

// Nodes start one after the other on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const ENGINE = [
  ...['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT ?? 'cometbft'],
  ...['--p2p.laddr', 'tcp://127.0.0.1:0', '--consensus.block-time', '100ms'],
]

let home: string
let daemon: Daemon | undefined

beforeEach(() => {
  home = makeHome()
})

afterEach(async () => {
  const { process: child } = daemon ?? {}
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    await daemon?.stop('SIGKILL')
  }
  daemon = undefined
  removeHome(home)
})

/** Starts a node with a new chain and CometBFT as its engine. */
async function start(...args: readonly string[]): Promise<Daemon> {
  daemon = await startDaemon({
    home,
    arguments: [...ENGINE, ...args],
  })
  return daemon
}

/** A node that may still be starting. */
interface StartingNode {
  readonly child: ChildProcess
  output(): string
  /** Returns the CometBFT processes with its home. */
  pids(): readonly number[]
}

function spawnStart(): StartingNode {
  const child = spawn(process.execPath, [
    ...[MAIN, 'start', '--dev', '--home', home, '--evm.http-port', '0'],
    ...['--rpc.laddr', 'tcp://127.0.0.1:0', ...ENGINE],
  ])
  let output = ''
  const keep = (chunk: Buffer): void => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return { child, output: () => output, pids: () => cometPids(join(home, 'data/cometbft')) }
}

/** Returns the CometBFT processes that were started with a folder. */
function cometPids(root: string): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line.includes(`start --home ${root}`) && !line.includes('<defunct>'))
    .map((line) => Number.parseInt(line, 10))
}

function clientOf({ ready }: Daemon) {
  return createPublicClient({
    chain: foundry,
    transport: http(ready.rpc),
    pollingInterval: 20,
    cacheTime: 0,
  })
}

async function send({ ready }: Daemon, nonce: number): Promise<`0x${string}`> {
  const account = devAccount(0)
  const wallet = createWalletClient({ account, chain: foundry, transport: http(ready.rpc) })
  return wallet.sendTransaction({ to: devAccount(1).address, value: 1n, nonce })
}

/** Returns the process id of the CometBFT started last. */
function cometPid(node: Daemon): number {
  return Number([...node.output().matchAll(/CometBFT answers.* pid=(\d+)/g)].at(-1)?.[1])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.skipIf(COMETBFT === undefined)(
  `a node with CometBFT as its consensus engine${WITHOUT_COMETBFT}`,
  () => {
    test('includes transactions, stops cleanly, and continues after a restart', async () => {
      const first = await start()
      const hash = await send(first, 0)
      const receipt = await clientOf(first).waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('success')
      for (const name of ['app.sock', 'rpc.sock']) {
        const { mode } = statSync(join(home, 'data/cometbft', name))
        expect(mode & 0o777, name).toBe(0o600)
      }
      expect(statSync(join(home, 'data/cometbft')).mode & 0o777).toBe(0o700)
      const pid = cometPid(first)
      expect(isAlive(pid)).toBe(true)
      const height = await clientOf(first).getBlockNumber()
      expect(await first.stop()).toBe(0)
      expect(isAlive(pid)).toBe(false)
      expect(existsSync(join(home, 'data/cometbft/rpc.sock'))).toBe(false)
      expect(first.output()).not.toMatch(/ (?:WRN|ERR) /)

      const second = await start()
      expect(await clientOf(second).getBlockNumber()).toBeGreaterThanOrEqual(height)
      expect(await clientOf(second).getTransactionReceipt({ hash })).toEqual(receipt)
      await clientOf(second).waitForTransactionReceipt({ hash: await send(second, 1) })
      // Signatures have their second record beside the key, as with the embedded engine.
      expect(await second.stop()).toBe(0)
      const state = JSON.parse(readFileSync(join(home, 'data/priv_validator_state.json'), 'utf8'))
      const { address } = JSON.parse(
        readFileSync(join(home, 'config/priv_validator_key.json'), 'utf8'),
      )
      const record = readFileSync(
        join(home, `config/priv_validator_signed.${address}.json`),
        'utf8',
      )
      expect(JSON.parse(record)).toEqual(state)
    })

    test('restarts a killed CometBFT without losing a transaction', async () => {
      const node = await start()
      const pid = cometPid(node)
      process.kill(pid, 'SIGKILL')
      const hash = await send(node, 0)
      await clientOf(node).waitForTransactionReceipt({ hash })
      expect(node.output()).toContain('CometBFT ended with SIGKILL')
      expect(cometPid(node)).not.toBe(pid)
      expect(await node.stop()).toBe(0)
    })

    test('leaves no CometBFT running if it is killed at any point of its start', async () => {
      const moments: readonly (readonly [string, (child: StartingNode) => boolean])[] = [
        ['before it has started one', ({ output }) => output().includes('CometBFT program=')],
        ['as it starts one', ({ pids }) => pids().length > 0],
        ['as both shake hands', () => existsSync(join(home, 'data/cometbft/app.sock'))],
        ['as it answers', ({ output }) => output().includes('CometBFT answers')],
      ]
      for (const [moment, hasCome] of moments) {
        const starting = spawnStart()
        await until(() => hasCome(starting))
        starting.child.kill('SIGKILL')
        await until(() => starting.child.signalCode !== null)
        await until(() => starting.pids().length === 0)
        expect(starting.output(), moment).not.toMatch(/ ERR /)
      }
      const node = await start()
      await clientOf(node).waitForTransactionReceipt({ hash: await send(node, 0) })
      expect(await node.stop()).toBe(0)
    })

    test('stops everything that it has started if it is stopped during its start', async () => {
      const starting = spawnStart()
      await until(() => starting.pids().length > 0)
      starting.child.kill('SIGTERM')
      await until(() => starting.child.exitCode !== null)
      expect([0, 130]).toContain(starting.child.exitCode)
      expect(starting.pids()).toEqual([])
    })

    test('leaves no CometBFT running after it is killed, and can restart immediately', async () => {
      let killed: { readonly pid: number; readonly hash: `0x${string}` } | undefined
      for (let round = 0; round < 2; round++) {
        // Waits for the databases until the CometBFT of the previous start has ended.
        const node = await start()
        if (killed !== undefined) {
          const { pid, hash } = killed
          await until(() => !isAlive(pid))
          expect((await clientOf(node).getTransactionReceipt({ hash })).status).toBe('success')
        }
        const hash = await send(node, round)
        await clientOf(node).waitForTransactionReceipt({ hash })
        killed = { pid: cometPid(node), hash }
        await node.stop('SIGKILL')
      }
      await until(() => !isAlive(killed?.pid ?? 0))
    })
  },
)
