import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { until } from '../support/until.ts'

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

/** Starts the node of a chain of its own, whose blocks CometBFT decides. */
async function start(...args: readonly string[]): Promise<Daemon> {
  daemon = await startDaemon({
    home,
    arguments: [
      ...['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT ?? 'cometbft'],
      ...['--p2p.laddr', 'tcp://127.0.0.1:0', '--consensus.block-time', '100ms', ...args],
    ],
  })
  return daemon
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

/** Id of the CometBFT of the newest start. */
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

describe.skipIf(COMETBFT === undefined)('a node whose blocks CometBFT decides', () => {
  test('includes what it is sent, ends in order, and goes on where it ended', async () => {
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
    // Signatures have their second record beside the key, as with the engine of the node itself.
    expect(await second.stop()).toBe(0)
    const state = JSON.parse(readFileSync(join(home, 'data/priv_validator_state.json'), 'utf8'))
    const { address } = JSON.parse(
      readFileSync(join(home, 'config/priv_validator_key.json'), 'utf8'),
    )
    const record = readFileSync(join(home, `config/priv_validator_signed.${address}.json`), 'utf8')
    expect(JSON.parse(record)).toEqual(state)
  })

  test('starts CometBFT again when it is killed, and loses nothing', async () => {
    const node = await start()
    const pid = cometPid(node)
    process.kill(pid, 'SIGKILL')
    const hash = await send(node, 0)
    await clientOf(node).waitForTransactionReceipt({ hash })
    expect(node.output()).toContain('CometBFT ended with SIGKILL')
    expect(cometPid(node)).not.toBe(pid)
    expect(await node.stop()).toBe(0)
  })

  test('leaves no CometBFT behind when it is killed, and starts again at once', async () => {
    for (let round = 0; round < 3; round++) {
      const node = await start()
      const pid = cometPid(node)
      const hash = await send(node, round)
      await clientOf(node).waitForTransactionReceipt({ hash })
      await node.stop('SIGKILL')
      // The next start waits for the databases until this one has ended.
      const next = await start()
      await until(() => !isAlive(pid))
      expect((await clientOf(next).getTransactionReceipt({ hash })).status).toBe('success')
      await next.stop('SIGKILL')
      await until(() => !isAlive(cometPid(next)))
    }
  })
})
