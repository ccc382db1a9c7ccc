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

/** LOCKSTEP_KILLS=200 npm run -s test:all -- test/faults/dev-revert takes ten minutes. */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 6)
/** The most calls between two kills. */
const MOST_CALLS = 20
/** Milliseconds of a call of which none has been answered yet. */
const FIRST_MS = 4
/** The longest chain: what comes after it is a revert. */
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

/** A chain as a client knows it. */
interface World {
  /** Hashes of the blocks by height; undefined where the answer that names it never came. */
  readonly hashes: readonly (Hex | undefined)[]
  /** Of `SENDER`, then of the strangers. */
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

/** The chain back at a snapshot: those after it are gone, and itself. */
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

  /** True where the chain is this one to all that is asked. */
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

test(`after each of ${KILLS} kills of a chain that is amended and reverted, each call has happened completely or not at all (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const pick = (below: number): number => Math.floor(random() * below)
  let newest = 0
  /** How long the last call of each method took, in milliseconds: within that it is killed. */
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
    // The call that is killed is a revert half of the time, and goes far back.
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

  /** A transfer to an account that may have code, which stops at once. */
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

  /** The chain after a call was answered, with what the answer names. */
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

  /** Which of the two chains a restarted node has: the one before the call that was killed, or the one after. */
  async function settle(client: Client, before: World, step: Step): Promise<World> {
    // A transaction that was taken in gets its block, and what is asked after a snapshot comes after that.
    const id = await client.call<Hex>('evm_snapshot')
    expect(Number(id)).toBeGreaterThan(newest)
    newest = Number(id)
    const [isBefore, isAfter] = [await client.shows(before), await client.shows(step.after)]
    expect(isBefore || isAfter, `neither before nor after ${step.method} ${step.params}`).toBe(true)
    const { after } = step
    if (step.method === 'evm_revert') {
      // Gone with the blocks, or there with them. Here both may look the same.
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
    // What was flushed has to leave the tables too.
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
