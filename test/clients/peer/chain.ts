import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { formatData, formatQuantity, type Hex } from '../../../host/base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../host/base/rlp.ts'
import { type Dice, makeDice } from '../../fuzz/dice.ts'
import { call, post } from '../../support/node/json-rpc.ts'
import { type Signer, signTransaction } from '../../support/peer/signer.ts'
import { genesisContracts } from './contracts.ts'
import { exportArchive, initArchive, startArchive } from './geth.ts'
import {
  type Asked,
  AUTHORITIES,
  anyTransaction,
  CHAIN_ID,
  namedTransactions,
  REFERENCES,
  SENDERS,
} from './transactions.ts'

/** A chain on disk: geth's database in `home`, and the same blocks in a file. */
export interface PeerChain {
  readonly home: string
  readonly genesis: string
  readonly blocks: string
  /** Height of the last block. */
  readonly last: number
  readonly transactions: number
}

const MAX_BLOBS = 6
const BLOB_BYTES = 131_072
const SLOT = 12
const FIRST_TIME = 0x6800_0000
const GWEI = 10n ** 9n

const text = (address: bigint): Hex => formatData(bigintToBytes(address, 20))

/** The last fork of a chain. Its first two blocks are of Osaka. */
export type LastFork = 'osaka' | 'amsterdam'

const AMSTERDAM_TIME = FIRST_TIME + 3 * SLOT

/** System contracts (EIP-2935, EIP-7002, EIP-7251, EIP-8282) and the factory of EIP-7997. */
const SYSTEM_CODES: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('system-contracts.json', import.meta.url), 'utf8'),
)

function makeGenesis(dice: Dice, last: LastFork): string {
  const alloc: Record<string, object> = {}
  for (const { address, code, storage = [], balance = 0n } of genesisContracts(dice, REFERENCES)) {
    alloc[text(address)] = {
      code: formatData(code),
      balance: formatQuantity(balance),
      nonce: '0x1',
      storage: Object.fromEntries(
        storage.map(([slot, value]) => [
          formatData(bigintToBytes(slot, 32)),
          formatData(bigintToBytes(value, 32)),
        ]),
      ),
    }
  }
  for (const { address } of SENDERS) alloc[text(address)] = { balance: formatQuantity(10n ** 21n) }
  alloc[text((AUTHORITIES[0] as Signer).address)] = { balance: '0x3e8' }
  alloc[text((AUTHORITIES[1] as Signer).address)] = { balance: '0x1', nonce: '0x7' }
  alloc[text(0xea01n)] = { balance: '0x1' }
  for (const [address, code] of Object.entries(SYSTEM_CODES)) {
    alloc[address] = { code, balance: '0x0', nonce: '0x1' }
  }
  const blocks = [
    ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
    ...['istanbul', 'berlin', 'london'],
  ]
  const times = ['shanghai', 'cancun', 'prague', 'osaka']
  const schedule = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
  return JSON.stringify({
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries(blocks.map((name) => [`${name}Block`, 0])),
      ...Object.fromEntries(times.map((name) => [`${name}Time`, 0])),
      ...(last === 'amsterdam' && { amsterdamTime: AMSTERDAM_TIME }),
      terminalTotalDifficulty: 0,
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
      blobSchedule: {
        cancun: { ...schedule, max: 6, target: 3 },
        prague: schedule,
        osaka: schedule,
      },
    },
    difficulty: '0x0',
    gasLimit: '0x3938700',
    timestamp: formatQuantity(FIRST_TIME),
    baseFeePerGas: '0x7',
    alloc,
  })
}

/** Returns the encoding with a sidecar, which geth's block builder requires but does not check. */
function withSidecar(raw: Uint8Array, count: number): Uint8Array {
  const each = (bytes: Uint8Array): RlpItem => Array.from({ length: count }, () => bytes)
  const payload = [
    decodeRlp(raw.subarray(1)),
    each(new Uint8Array(BLOB_BYTES)),
    each(new Uint8Array(48)),
    each(new Uint8Array(48)),
  ]
  return concatBytes([Uint8Array.of(3), encodeRlp(payload)])
}

/** Gas of a transaction that asks for none: state costs more in Amsterdam (EIP-8037). */
const USUAL_GAS: Readonly<Record<LastFork, bigint>> = { osaka: 500_000n, amsterdam: 3_000_000n }

function encode(
  dice: Dice,
  asked: Asked,
  nonce: bigint,
  signer: Signer,
  usualGas: bigint,
): Uint8Array {
  const type =
    asked.type ??
    (asked.accessList?.length ? dice.pick([1, 2] as const) : dice.pick([0, 2, 2] as const))
  const hasBlobs = type === 3
  const raw = signTransaction(
    {
      to: undefined,
      gas: usualGas,
      value: 0n,
      data: new Uint8Array(),
      authorizations: [],
      blobHashes: [],
      maxFeePerGas: 20n * GWEI,
      maxFeePerBlobGas: hasBlobs ? GWEI : 0n,
      ...asked,
      maxPriorityFeePerGas: type < 2 ? 20n * GWEI : BigInt(dice.below(3)) * GWEI,
      accessList: type === 0 ? [] : (asked.accessList ?? []),
      chainId: type === 0 && dice.chance(0.2) ? undefined : CHAIN_ID,
      type,
      nonce,
    },
    signer,
  )
  return hasBlobs ? withSidecar(raw, asked.blobHashes?.length ?? 0) : raw
}

/** Makes a chain with geth up to a fork: all named transactions, then `random` generated ones. */
export async function makePeerChain(
  geth: string,
  folder: string,
  seed: number,
  random: number,
  lastFork: LastFork = 'osaka',
): Promise<PeerChain> {
  const dice = makeDice(seed)
  const home = join(folder, 'geth')
  const genesis = makeGenesis(dice, lastFork)
  initArchive(geth, home, genesis)
  const { rpc, stop } = await startArchive(geth, home)
  try {
    await fill(rpc, dice, random, lastFork)
    const last = Number(await call<Hex>(rpc, 'eth_blockNumber'))
    let transactions = 0
    for (let height = 1; height <= last; height++) {
      const count = await call<Hex>(rpc, 'eth_getBlockTransactionCountByNumber', [
        formatQuantity(height),
      ])
      transactions += Number(count)
    }
    await stop()
    const blocks = join(folder, 'chain.rlp')
    exportArchive(geth, home, blocks, last)
    const genesisFile = join(folder, 'genesis.json')
    writeFileSync(genesisFile, genesis)
    return { home, genesis: genesisFile, blocks, last, transactions }
  } finally {
    await stop()
  }
}

async function fill(rpc: string, dice: Dice, random: number, last: LastFork): Promise<void> {
  const usualGas = USUAL_GAS[last]
  const named = namedTransactions()
  let height = 0
  let left = random
  if (last === 'amsterdam') {
    while (height < 2) height = await commit(rpc, dice, height, [], last)
  }
  const nonce = async ({ address }: Signer) =>
    BigInt(await call<Hex>(rpc, 'eth_getTransactionCount', [text(address), 'latest']))
  while (named.length > 0 || left > 0) {
    const authorityNonces = await Promise.all(AUTHORITIES.map(nonce))
    let blobs = 0
    let hasDelegations = false
    const chosen: Asked[] = []
    let gas = 0n
    while (chosen.length < SENDERS.length && (named.length > 0 || left > 0)) {
      const isNamed = named.length > 0 && (left === 0 || dice.chance(0.6))
      const asked = isNamed ? (named.shift() as Asked) : anyTransaction(dice, authorityNonces)
      gas += asked.gas ?? usualGas
      if (gas > 55_000_000n) {
        if (isNamed) named.unshift(asked)
        break
      }
      blobs += asked.blobHashes?.length ?? 0
      if (blobs > MAX_BLOBS || (asked.type === 4 && hasDelegations)) continue
      hasDelegations ||= asked.type === 4
      if (!isNamed) left--
      chosen.push(asked)
    }
    const raws: Uint8Array[] = []
    for (const [i, asked] of chosen.entries()) {
      const sender = SENDERS[i] as Signer
      raws.push(encode(dice, asked, await nonce(sender), sender, usualGas))
    }
    height = await commit(rpc, dice, height, raws, last)
  }
  // A block without transactions, and one without any content
  await commit(rpc, dice, height, [], last)
}

/** Adds a block. If geth refuses one of its transactions, adds a block for each valid one. */
async function commit(
  rpc: string,
  dice: Dice,
  height: number,
  raws: readonly Uint8Array[],
  last: LastFork,
): Promise<number> {
  const attributes = (at: number) => ({
    timestamp: formatQuantity(FIRST_TIME + SLOT * (at + 1)),
    prevRandao: formatData(dice.bytes(32)),
    suggestedFeeRecipient: text(dice.pick([0xc0ffeen, 0xc0ffeen, 0xc000n, 0xea01n])),
    withdrawals: Array.from({ length: dice.below(3) }, (_, i) => ({
      index: formatQuantity(16 * at + i),
      validatorIndex: formatQuantity(dice.below(1000)),
      address: text(dice.pick([0xc0ffeen, 0xdead_0003n, 0xc001n])),
      amount: formatQuantity(dice.below(100)),
    })),
    parentBeaconBlockRoot: formatData(dice.bytes(32)),
    ...(last === 'amsterdam' && at >= 2 && { slotNumber: formatQuantity(1000 + at) }),
  })
  const add = (some: readonly Uint8Array[], at: number) =>
    post(rpc, 'testing_commitBlockV1', [attributes(at), some.map(formatData), '0x'])
  const { error } = await add(raws, height)
  if (error === undefined) return height + 1
  let now = height
  for (const raw of raws) {
    const alone = await add([raw], now)
    if (alone.error === undefined) now++
    else console.log(`geth takes no such transaction: ${alone.error.message}`)
  }
  return now
}
