import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../support/http-server.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { MAIN } from '../support/node/main-file.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

/** Tendermint's `tools/tm-signer-harness` of 0.34.24: CometBFT 0.38 speaks the same protocol and has no harness. */
const HARNESS = process.env.LOCKSTEP_SIGNER_HARNESS

/** CometBFT's own signer, `cmd/priv_val_server` of 0.38.19. */
const PRIV_VAL_SERVER = process.env.LOCKSTEP_PRIV_VAL_SERVER

/** Times that the signer is killed, and the node. */
const KILLS = 8

const seed = runSeed()

const cleanups: (() => Promise<unknown> | undefined)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

interface Chain {
  readonly home: string
  readonly chainId: string
  /** Files of the signer: the node has neither. */
  readonly key: string
  readonly state: string
}

/** Creates the home of a validator, and moves its key to a folder of the signer. */
async function makeChain(): Promise<Chain> {
  const home = makeHome()
  cleanups.push(async () => removeHome(home))
  await initializeValidator(home)
  const folder = join(home, 'signer')
  mkdirSync(folder)
  const [key, state] = [join(folder, 'key.json'), join(folder, 'state.json')]
  renameSync(join(home, 'config', 'priv_validator_key.json'), key)
  renameSync(join(home, 'data', 'priv_validator_state.json'), state)
  const { chain_id } = JSON.parse(readFileSync(join(home, 'config', 'genesis.json'), 'utf8'))
  return { home, chainId: chain_id, key, state }
}

function startSigner({ key, state, chainId }: Chain, address: string): Program {
  const files = ['--key', key, '--state', state, '--chain-id', chainId]
  const args = [MAIN, 'signer', ...files, '--connect', address, '--log-level', 'debug']
  const signer = startProgram([process.execPath, ...args], { name: 'signer' })
  cleanups.push(() => signer.stop('SIGKILL').catch(() => undefined))
  return signer
}

async function startNode(
  { home }: Chain,
  address: string,
  others: readonly string[] = [],
): Promise<Daemon> {
  const laddr = ['--priv-validator-laddr', address, '--consensus.block-time', '100ms']
  const node = await startDaemon({ home, dev: false, arguments: [...laddr, ...others] })
  cleanups.push(async () => {
    if (node.process.exitCode === null && node.process.signalCode === null) await node.stop()
  })
  return node
}

async function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function heightOf({ ready }: Daemon): Promise<number> {
  const { result } = await (await fetch(`${ready.consensus}/status`)).json()
  return Number(result.sync_info.latest_block_height)
}

async function expectBlocks(node: Daemon, count: number): Promise<void> {
  const from = await heightOf(node)
  await until(async () => (await heightOf(node)) >= from + count)
}

/** Returns the last height in the record of a signer. */
function lastSigned({ state }: Chain): number {
  return Number(JSON.parse(readFileSync(state, 'utf8')).height)
}

describe('a validator whose key a signer has', () => {
  test(`makes blocks while signer and node are killed, and signs none twice, seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const chain = await makeChain()
    const address = `unix://${join(chain.home, 'laddr.sock')}`
    let signer = startSigner(chain, address)
    let node = await startNode(chain, address)
    const hashes = new Map<number, string>()
    for (let kill = 0; kill < KILLS; kill++) {
      await expectBlocks(node, 1 + Math.floor(random() * 3))
      if (random() < 0.5) {
        await signer.stop('SIGKILL')
        signer = startSigner(chain, address)
      } else {
        await node.stop('SIGKILL')
        node = await startNode(chain, address)
      }
      const height = await heightOf(node)
      for (let each = 1; each <= height; each++) {
        const { result } = await (
          await fetch(`${node.ready.consensus}/commit?height=${each}`)
        ).json()
        const { block_id, signatures } = result.signed_header.commit
        const signed = `${block_id.hash} ${signatures[0].signature}`
        // A second signature of a height would replace the first.
        if ((hashes.get(each) ?? signed) !== signed) expect(signed).toBe(hashes.get(each))
        hashes.set(each, signed)
      }
    }
    expect(signer.output()).not.toContain('refused to sign')
    expect(lastSigned(chain)).toBeGreaterThanOrEqual(hashes.size)
    await node.stop()
  })

  test('stops when the signer has signed another block, and names its reason', async () => {
    const chain = await makeChain()
    const address = `unix://${join(chain.home, 'laddr.sock')}`
    const signer = startSigner(chain, address)
    const node = await startNode(chain, address)
    await expectBlocks(node, 2)
    await node.stop()
    await signer.stop()
    const signed = JSON.parse(readFileSync(chain.state, 'utf8'))
    const ahead = { ...signed, height: String(Number(signed.height) + 50) }
    writeFileSync(chain.state, JSON.stringify(ahead))
    const restarted = startSigner(chain, address)
    // It may be ready for a moment before its first block.
    const output = await startNode(chain, address).then(
      async (again) => {
        await until(() => again.process.exitCode !== null)
        return again.output()
      },
      (ended: Error) => ended.message,
    )
    expect(output).toMatch(/it refused to sign height \d+ round 0: .*height regression/)
    expect(restarted.output()).toMatch(/refused to sign.*height regression/)
  })

  test.skipIf(COMETBFT === undefined)(
    'makes blocks under CometBFT, which waits for the signer over TCP (skipped if LOCKSTEP_COMETBFT names none)',
    async () => {
      const chain = await makeChain()
      const address = `tcp://127.0.0.1:${await freePort()}`
      const comet = ['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT as string]
      const starting = startNode(chain, address, [...comet, '--p2p.laddr', 'tcp://127.0.0.1:0'])
      const signer = startSigner(chain, address)
      const node = await starting
      await expectBlocks(node, 3)
      await signer.stop('SIGKILL')
      const next = startSigner(chain, address)
      await expectBlocks(node, 3)
      expect(next.output()).toMatch(/signed a proposal.*\n(?:.*\n)*.*signed a vote/)
    },
  )

  test.skipIf(PRIV_VAL_SERVER === undefined)(
    "makes blocks with CometBFT's own signer (skipped if LOCKSTEP_PRIV_VAL_SERVER names none)",
    async () => {
      const chain = await makeChain()
      const port = await freePort()
      const address = `tcp://127.0.0.1:${port}`
      const flags = ['-priv-key', chain.key, '-priv-state', chain.state, '-chain-id', chain.chainId]
      const starting = startNode(chain, address)
      // This signer gives up for good after a second without a node.
      await until(() => isListening(port))
      const signer = startProgram([PRIV_VAL_SERVER as string, '-addr', address, ...flags])
      cleanups.push(() => signer.stop('SIGKILL').catch(() => undefined))
      await expectBlocks(await starting, 5)
    },
  )
})

test.skipIf(HARNESS === undefined)(
  "the signer passes tendermint's tm-signer-harness (skipped if LOCKSTEP_SIGNER_HARNESS names none)",
  async () => {
    const chain = await makeChain()
    const folder = makeHome()
    cleanups.push(async () => removeHome(folder))
    mkdirSync(join(folder, 'config'))
    mkdirSync(join(folder, 'data'))
    const file = (...names: string[]) => join(folder, ...names)
    writeFileSync(file('config', 'priv_validator_key.json'), readFileSync(chain.key))
    writeFileSync(file('data', 'priv_validator_state.json'), readFileSync(chain.state))
    const genesis = { chain_id: chain.chainId, genesis_time: '2026-01-01T00:00:00Z' }
    writeFileSync(file('config', 'genesis.json'), JSON.stringify(genesis))
    const address = `tcp://127.0.0.1:${await freePort()}`
    startSigner(chain, address)
    const args = ['run', '-addr', address, '-tmhome', folder, '-accept-retries', '1000']
    const { status, stdout } = spawnSync(HARNESS as string, args, { encoding: 'utf8' })
    expect(stdout).toContain('SUCCESS! All tests passed.')
    expect(status).toBe(0)
  },
)
