import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { bytesKey, compareBytes } from '../../../host/base/bytes.ts'
import { formatData } from '../../../host/base/hex.ts'
import { encodeRlp, rlpInteger } from '../../../host/base/rlp.ts'
import { decodeGenesis, writableGenesis } from '../../../host/evm/chain-types/genesis-codec.ts'
import { OWN_REVISIONS, REVISIONS } from '../../../host/evm/chain-types/revision.ts'
import { noReads, slotKey } from '../../../host/evm/state/recorded-state.ts'
import { decodeBundle, encodeBundle } from '../../../host/evm/trace/bundle/bundle.ts'
import { openChallenges } from '../../../host/payments/challenge/challenges.ts'
import { encodeKey } from '../../../host/payments/claim/claim-codec.ts'
import { DeliveryLog, readDeliveries } from '../../../host/payments/claim/delivery-log.ts'
import { transaction } from '../../support/chain/fake-chain.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, data, few, flag, integer, optional, text, time } from './hostile.ts'

const least = (lowest: bigint) => (value: bigint) =>
  value >= 0n && value < lowest ? value + lowest : value

const word = bytes(32)
const address = bytes(20)

const fees = fc.record({
  initialBaseFee: integer(100),
  over: integer(100),
  under: integer(100),
  targetGas: integer(64),
  maxUpward: integer(59),
  maxDownward: integer(59),
})

const holdings = few(fc.record({ address, amount: integer(200) }), 2)

const denominations = few(
  fc.record({
    denomination: fc.oneof(
      { weight: 20, arbitrary: fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9/:._-]{2,20}$/) },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: fc.constant('constructor') },
    ),
    name: text,
    symbol: text,
    decimals: count(255),
    pointer: optional(address),
    balances: holdings,
  }),
  2,
)

/** Sorts items by the key, since readers require ascending order. */
function ascending<Item>(items: readonly Item[], key: (item: Item) => Uint8Array): Item[] {
  return [...items].sort((a, b) => compareBytes(key(a), key(b)))
}

const accounts = few(
  fc.record({
    address,
    balance: integer(),
    nonce: integer(64),
    code: data(60),
    storage: few(fc.record({ slot: word, value: word }), 2),
  }),
  3,
)

const genesis = fc
  .record({
    consensusChainId: fc.oneof({ weight: 20, arbitrary: fc.string({ maxLength: 50 }) }, text),
    time,
    initialHeight: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, count()),
    continued: optional(fc.record({ appHash: word, genesisBlock: word })),
    isContinued: flag,
    maxBlockBytes: count(104_857_600),
    validators: few(
      fc.record({
        publicKey: word,
        power: count(2 ** 52),
        name: text,
        operator: optional(address),
      }),
      2,
    ),
    unbondingSeconds: optional(count(9_999_999_999)),
    downtime: optional(
      fc.record({
        window: count(100_000),
        minSigned: integer(59),
        jailSeconds: count(9_999_999_999),
      }),
    ),
    chainId: integer(64).map(least(1n)),
    revision: fc.constantFrom(...OWN_REVISIONS),
    maxGas: integer(63).map(least(21_000n)),
    fees,
    feeCollector: address,
    isDevelopment: flag,
    accounts,
    denominations,
  })
  .map(({ fees: { over, under, ...market }, isContinued, ...parts }) => {
    // Mostly values that are valid together.
    const { chainId, revision, maxGas, feeCollector, isDevelopment, ...rest } = parts
    const lower = market.initialBaseFee - under
    return {
      ...rest,
      ...(!isContinued && { initialHeight: 1, continued: undefined }),
      ...(isContinued && rest.initialHeight > 1 && { accounts: [] }),
      params: {
        chainId,
        revision,
        maxGas,
        feeMarket: {
          ...market,
          minBaseFee: lower < 0n && under >= 0n ? 0n : lower,
          maxBaseFee: market.initialBaseFee + over,
        },
        feeCollector,
        isDevelopment: isDevelopment ? (true as const) : undefined,
      },
    }
  })

const receipt = fc
  .record({
    type: fc.nat(4),
    status: fc.constantFrom(0n, 1n),
    gas: fc.nat().map(BigInt),
    data: data(20),
  })
  .map(({ type, status, gas, data: logged }) => {
    const logs = [[new Uint8Array(20), [], logged]]
    const payload = encodeRlp([rlpInteger(status), rlpInteger(gas), new Uint8Array(256), logs])
    return type === 0 ? payload : Uint8Array.of(type, ...payload)
  })

/** Replaces empty bytes by undefined, which has the same encoding. */
const given = (value: Uint8Array | undefined) => (value?.length === 0 ? undefined : value)

const reads = fc
  .record({
    accounts: few(
      fc.record({
        address,
        record: optional(fc.oneof(bytes(72), bytes(73))),
        code: optional(data(40)),
      }),
    ),
    slots: few(fc.record({ address, slot: word, value: optional(word) })),
    blockHashes: few(fc.tuple(count(), optional(word)), 2),
  })
  .map(({ accounts: found, slots, blockHashes }) => {
    const made = { ...noReads(), blockHashes: new Map(blockHashes) }
    for (const { address: at, record, code } of found) {
      // An additional byte marks that the account has storage.
      const marked =
        record?.length === 73 ? Uint8Array.of(...record.subarray(0, 72), 1) : given(record)
      made.accounts.set(bytesKey(at), { address: at, ...(marked && { record: marked }) })
      if (marked === undefined || code === undefined) continue
      const codeHash = marked.slice(40, 72)
      if (!made.codes.has(bytesKey(codeHash))) {
        made.codes.set(bytesKey(codeHash), { codeHash, code })
      }
    }
    for (const { address: at, slot, value } of slots) {
      made.slots.set(slotKey(at, slot), { address: at, slot, value: given(value) } as never)
    }
    return made
  })

const bundle = fc
  .record({
    engineHash: bytes(32).map((hash) => Buffer.from(hash).toString('hex')),
    reads,
    env: fc.record({
      revision: fc.constantFrom(...REVISIONS),
      chainId: integer(),
      number: count(),
      timestamp: fc.oneof(count(), integer(64).map(least(2n ** 53n))),
      gasLimit: integer(64),
      baseFee: integer(),
      coinbase: address,
      prevRandao: word,
      blobBaseFee: integer(),
      burnBaseFee: flag,
      chainPrecompiles: fc.constantFrom(true as const, undefined),
    }),
    blockHash: word,
    systemCalls: few(fc.record({ to: address, data: data(40) }), 1),
    first: fc.record({ index: count(), logIndex: count(), cumulativeGasUsed: integer(64) }),
    ran: few(
      fc.record({
        nonce: fc.nat().map(BigInt),
        from: address,
        gasUsed: integer(64),
        receipt,
        digests: optional(fc.uint32Array({ maxLength: 6 })),
      }),
      2,
    ),
  })
  .map(({ env, ran, blockHash, systemCalls, first, ...parts }) => ({
    ...parts,
    scope: ran.length === 1 ? ('transaction' as const) : ('block' as const),
    plan: {
      height: env.number,
      blockHash,
      env,
      systemCalls,
      first,
      transactions: ran.map(({ nonce, from, gasUsed }) => ({
        transaction: { ...transaction({ nonce }), from },
        gasUsed,
      })),
    },
    outcomes: ran.map(({ receipt: encoded, digests }) => ({
      receipt: encoded,
      digests: digests && Array.from(digests),
    })),
  }))

const typed = (one: unknown) => {
  const { outcomes, ...rest } = one as { outcomes: readonly { digests?: readonly number[] }[] }
  return {
    ...rest,
    outcomes: outcomes.map((outcome) => ({
      ...outcome,
      digests: outcome.digests && Uint32Array.from(outcome.digests),
    })),
  }
}

const untyped = (one: ReturnType<typeof decodeBundle>) => ({
  ...one,
  outcomes: one.outcomes.map((outcome) => ({
    ...outcome,
    digests: outcome.digests && Array.from(outcome.digests),
  })),
})

/** A new folder for each value, so that a reader has only what was written into it. */
class Folder {
  #path: string | undefined

  fresh(): string {
    this.remove()
    this.#path = mkdtempSync(join(tmpdir(), 'lockstep-codec-'))
    return this.#path
  }

  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true })
    this.#path = undefined
  }
}

function inFolder<Value>(parts: {
  readonly name: string
  readonly file: string
  readonly values: fc.Arbitrary<Value>
  readonly write: (folder: string, value: Value) => void
  readonly read: (folder: string, value: Value) => unknown
  readonly kept: (value: Value) => unknown
}): Codec {
  const { write, read, ...rest } = parts
  const folder = new Folder()
  const { check, ...shown } = codec({
    ...rest,
    encode: (value: Value) => {
      const path = folder.fresh()
      write(path, value)
      return { path, value }
    },
    decode: ({ path, value }) => read(path, value),
    runs: 60,
  })
  return { ...shown, check: (seed) => check(seed).finally(() => folder.remove()) }
}

const DELIVERED = 'delivered.log'

export const DOCUMENT_CODECS: readonly Codec[] = [
  codec({
    name: 'genesis.json',
    file: 'host/evm/chain-types/genesis-codec.ts',
    values: genesis,
    encode: (value) => writableGenesis(value as never),
    decode: decodeGenesis,
    kept: ({ denominations: named, accounts: all, ...rest }) => ({
      ...rest,
      accounts: ascending(all, (account) => account.address).map((account) => ({
        ...account,
        storage: ascending(account.storage, ({ slot }) => slot),
      })),
      ...(named.length > 0 && {
        denominations: [...named]
          .sort((a, b) => (a.denomination < b.denomination ? -1 : 1))
          .map((one) => ({ ...one, balances: ascending(one.balances, (held) => held.address) })),
      }),
    }),
    runs: 600,
  }),
  codec({
    name: 'bundles',
    file: 'host/evm/trace/bundle/bundle.ts',
    values: bundle,
    encode: (one) =>
      JSON.stringify(encodeBundle(typed(one) as never, { tendermint: [], receipt: [] })),
    decode: (written) => untyped(decodeBundle(JSON.parse(written), keccak_256)),
    runs: 400,
  }),
  inFolder({
    name: 'challenges and the times at which they were issued',
    file: 'host/payments/challenge/issue-log.ts',
    values: fc.record({
      resource: fc.oneof(
        text,
        fc.constantFrom('/report', '/a\nb', '/a\rb', '/a\u2028b', '/a =0123abcd', ' ', '7 /x'),
      ),
      second: integer(40),
    }),
    write: (folder, { resource, second }) => {
      const challenges = openChallenges(folder)
      try {
        challenges.issue(resource, second)
      } finally {
        challenges.close()
      }
    },
    read: (folder, { resource, second }) => {
      const challenges = openChallenges(folder)
      try {
        return challenges.issuedWithin(resource, second, second)
      } finally {
        challenges.close()
      }
    },
    kept: () => true,
  }),
  inFolder({
    name: 'deliveries',
    file: 'host/payments/claim/delivery-log.ts',
    values: few(
      fc.record({
        chainId: integer(64),
        kind: fc.constantFrom('transfer' as const, 'authorization' as const),
        id: bytes(32).map(formatData),
      }),
    ),
    write: (folder, keys) => {
      const log = new DeliveryLog(join(folder, DELIVERED))
      for (const key of keys) log.add(key)
    },
    read: (folder) => readDeliveries(join(folder, DELIVERED)),
    kept: (keys) => keys.map(encodeKey),
  }),
]
