import { afterAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'

/** 200 kills take ten minutes: LOCKSTEP_KILLS=200 npm run -s test:all -- test/faults/dev-revert */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 6)
/** Maximum number of calls between two kills. */
const MOST_CALLS = 20
/** Assumed duration in milliseconds of a method that was not called yet. */
const FIRST_MS = 4
/** Maximum length of the chain. Beyond it, the next call is a revert. */
const MOST_BLOCKS = 60
const seed = runSeed()

const SENDER = devAccount(0).address.toLowerCase() as Hex
const STRANGERS = [1, 2].map((n): Hex => `0x${String(n).repeat(40)}`)
const GAS_PRICE = 100_000_000_000n
const FEE = 21_000n * GAS_PRICE

const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`

interface Account {
  readonly balance: bigint
  readonly nonce: number
  readonly code: Hex
}

/** A chain as the client knows it. */
interface World {
  /** Block hashes by height, undefined if the response with the hash was lost. */
  readonly hashes: readonly (Hex | undefined)[]
  /** The account of `SENDER`, then those of the strangers. */
  readonly accounts: readonly Account[]
  /** Transactions in blocks, by height. */
  readonly sent: readonly (readonly [hash: Hex, height: number])[]
  readonly snapshots: ReadonlyMap<Hex, World>
}

/** A call, and the chain after it. */
interface Step {
  readonly method: string
  readonly params: unknown[]
  readonly after: World
}

const heightOf = ({ hashes }: World): number => hashes.length - 1

function withAccount(world: World, index: number, change: Partial<Account>): World {
  const accounts = world.accounts.map((one, i) => (i === index ? { ...one, ...change } : one))
  return { ...world, accounts }
}

const withBlock = (world: World): World => ({ ...world, hashes: [...world.hashes, undefined] })

/** Returns the chain reverted to a snapshot, without that snapshot and later ones. */
function reverted({ snapshots }: World, id: Hex): World {
  const kept = [...snapshots].filter(([other]) => Number(other) < Number(id))
  return { ...(snapshots.get(id) as World), snapshots: new Map(kept) }
}

class Client {
  readonly #rpc: string

  constructor({ ready }: Daemon) {
    this.#rpc = ready.rpc
  }

  call<Result>(method: string, params: unknown[] = []): Promise<Result> {
    return call<Result>(this.#rpc, method, params)
  }

  async height(): Promise<number> {
    return Number(await this.call<Hex>('eth_blockNumber'))
  }

  hash(height: number): Promise<Hex | undefined> {
    const params = [hex(height), false]
    return this.call<{ hash: Hex } | null>('eth_getBlockByNumber', params).then(
      (block) => block?.hash,
    )
  }

  accounts(): Promise<Account[]> {
    return Promise.all(
      [SENDER, ...STRANGERS].map(async (address) => {
        const ask = (method: string) => this.call<Hex>(method, [address, 'latest'])
        const [balance, nonce, code] = await Promise.all([
          ask('eth_getBalance'),
          ask('eth_getTransactionCount'),
          ask('eth_getCode'),
        ])
        return { balance: BigInt(balance), nonce: Number(nonce), code }
      }),
    )
  }

  /** Returns true if all requests return the values of this chain. */
  async shows(world: World): Promise<boolean> {
    const height = heightOf(world)
    if ((await this.height()) !== height) return false
    const known = world.hashes[height]
    if (known !== undefined && (await this.hash(height)) !== known) return false
    return isSame(await this.accounts(), world.accounts)
  }
}

function isSame(left: readonly Account[], right: readonly Account[]): boolean {
  return left.every(({ balance, nonce, code }, i) => {
    const other = right[i]
    return balance === other?.balance && nonce === other.nonce && code === other.code
  })
}

const home = makeHome()
let daemon: Daemon
afterAll(async () => {
  await daemon.stop('SIGKILL')
  removeHome(home)
})

const start = () => startDaemon({ home, arguments: ['--dev.automine'] })

test(`after each of ${KILLS} kills of a development chain with changes and reverts, each call took effect completely or not at all (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  let newest = 0
  /** Duration in milliseconds of the last call of each method. The kill comes within that time. */
  const times = new Map<string, number>()
  const counts = { happened: 0, not: 0, finished: 0 }

  function revertOf(world: World, ids: readonly Hex[]): Step {
    const id = ids[pick(ids.length)] as Hex
    return { method: 'evm_revert', params: [id], after: reverted(world, id) }
  }

  function stepFrom(world: World, isLast: boolean): Step {
    const who = 1 + pick(STRANGERS.length)
    const address = STRANGERS[who - 1] as Hex
    const ids = [...world.snapshots.keys()]
    // Half of the killed calls are reverts, which go far back.
    const revertIn = isLast ? 2 : 8
    if (ids.length > 0 && (pick(revertIn) === 0 || heightOf(world) > MOST_BLOCKS)) {
      return revertOf(world, ids)
    }
    const set = (method: string, value: Hex, change: Partial<Account>): Step => ({
      method,
      params: [address, value],
      after: withAccount(world, who, change),
    })
    const { nonce } = world.accounts[who] as Account
    switch (pick(7)) {
      case 0: {
        const balance = BigInt(pick(1_000_000))
        return set('anvil_setBalance', hex(balance), { balance })
      }
      case 1: {
        const code: Hex = `0x00${String(10 + pick(89))}`
        return set('anvil_setCode', code, { code })
      }
      case 2:
        return set('anvil_setNonce', hex(nonce + 3), { nonce: nonce + 3 })
      case 3:
        return { method: 'evm_snapshot', params: [], after: world }
      case 4:
        return { method: 'evm_mine', params: [], after: withBlock(world) }
      default:
        return send(world)
    }
  }

  /** Returns a transfer to an account whose code, if it has any, stops at once. */
  function send(world: World): Step {
    const [from, to] = [world.accounts[0] as Account, world.accounts[1] as Account]
    const value = BigInt(1 + pick(1000))
    const paid = withAccount(world, 0, {
      balance: from.balance - value - FEE,
      nonce: from.nonce + 1,
    })
    const transaction = {
      from: SENDER,
      to: STRANGERS[0],
      value: hex(value),
      gas: hex(21_000),
      gasPrice: hex(GAS_PRICE),
    }
    return {
      method: 'eth_sendTransaction',
      params: [transaction],
      after: withBlock(withAccount(paid, 1, { balance: to.balance + value })),
    }
  }

  /** Returns the chain after a call, with the values of its response. */
  async function acknowledged(client: Client, step: Step, answer: unknown): Promise<World> {
    const { method, after } = step
    if (method === 'evm_revert') expect(answer, `snapshot ${step.params[0]}`).toBe(true)
    if (method === 'evm_snapshot') {
      expect(Number(answer), 'no snapshot is named twice').toBeGreaterThan(newest)
      newest = Number(answer)
      return { ...after, snapshots: new Map([...after.snapshots, [answer as Hex, after]]) }
    }
    const height = heightOf(after)
    if (after.hashes[height] !== undefined) return after
    const hashes = after.hashes.with(height, await client.hash(height))
    const sent =
      method === 'eth_sendTransaction'
        ? [...after.sent, [answer as Hex, height] as const]
        : after.sent
    return { ...after, hashes, sent }
  }

  /** Returns the chain of a restarted node: the one before the killed call or the one after it. */
  async function settle(client: Client, before: World, step: Step): Promise<World> {
    // Take a snapshot first: if the transaction was accepted, its block comes before the response.
    const id = await client.call<Hex>('evm_snapshot')
    expect(Number(id)).toBeGreaterThan(newest)
    newest = Number(id)
    const [isBefore, isAfter] = [await client.shows(before), await client.shows(step.after)]
    expect(isBefore || isAfter, `neither before nor after ${step.method} ${step.params}`).toBe(true)
    const { after } = step
    if (step.method === 'evm_revert') {
      // The snapshot is deleted or kept together with the blocks. Both chains may look the same here.
      const [revertTo] = step.params as [Hex]
      const isThere = await client.call<boolean>('evm_revert', [revertTo])
      if (isBefore !== isAfter)
        expect(isThere, 'the snapshot stays where the chain does').toBe(isBefore)
      counts[isThere ? 'not' : 'happened']++
      return after
    }
    const isDone = isAfter && step.method !== 'evm_snapshot'
    counts[isDone ? 'happened' : 'not']++
    if (!isDone) return before
    const height = heightOf(after)
    return { ...after, hashes: after.hashes.with(height, await client.hash(height)) }
  }

  async function expectWhole(client: Client, world: World): Promise<void> {
    expect(await client.accounts()).toEqual(world.accounts)
    const height = heightOf(world)
    expect(await client.height()).toBe(height)
    const hashes = world.hashes.map((_, each) => client.hash(each))
    expect(await Promise.all(hashes)).toEqual(world.hashes)
    expect(await client.hash(height + 1)).toBeUndefined()
    for (const [hash, at] of world.sent) {
      const receipt = await client.call('eth_getTransactionReceipt', [hash])
      expect(receipt).toMatchObject({
        status: '0x1',
        blockNumber: hex(at),
        blockHash: world.hashes[at],
      })
    }
  }

  async function mine(client: Client, world: World): Promise<World> {
    await client.call('evm_mine')
    const height = heightOf(world) + 1
    const block = await client.call<{ hash: Hex; parentHash: Hex }>('eth_getBlockByNumber', [
      hex(height),
      false,
    ])
    expect(block.parentHash).toBe(world.hashes[height - 1])
    return { ...world, hashes: [...world.hashes, block.hash] }
  }

  daemon = await start()
  let client = new Client(daemon)
  let world: World = {
    hashes: [await client.hash(0)],
    accounts: await client.accounts(),
    sent: [],
    snapshots: new Map(),
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const calls = pick(MOST_CALLS)
    for (let i = 0; i < calls; i++) {
      const step = stepFrom(world, false)
      const begin = performance.now()
      const answer = await client.call(step.method, step.params)
      times.set(step.method, performance.now() - begin)
      world = await acknowledged(client, step, answer)
    }
    // A restart flushes data, so that later reverts must also remove it from the tables.
    if (pick(3) === 0) {
      expect(await daemon.stop()).toBe(0)
      daemon = await start()
      client = new Client(daemon)
    }
    const step = stepFrom(world, true)
    let answer: unknown
    const killAt = performance.now() + random() * (times.get(step.method) ?? FIRST_MS)
    const flight = client.call(step.method, step.params).then(
      (result) => {
        answer = result
      },
      (error) => {
        if (!(error instanceof TypeError)) throw error
      },
    )
    while (performance.now() < killAt) await new Promise(setImmediate)
    await daemon.stop('SIGKILL')
    await flight
    daemon = await start()
    client = new Client(daemon)
    if (daemon.output().includes('blocks above are removed')) counts.finished++
    world =
      answer === undefined
        ? await settle(client, world, step)
        : await acknowledged(client, step, answer)
    await expectWhole(client, world)
    world = await mine(client, world)
  }
  console.log(`killed calls: ${JSON.stringify(counts)}, of ${KILLS}; height ${heightOf(world)}`)
  expect(await daemon.stop()).toBe(0)
  const verified = await runCommand(['debug', 'verify-db', '--home', home])
  expect(verified.code, verified.stdout + verified.stderr).toBe(0)
  daemon = await start()
  await expectWhole(new Client(daemon), world)
  expect(await daemon.stop()).toBe(0)
}, 900_000)
