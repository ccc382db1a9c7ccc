import type { AddressIndexOptions } from '../../../../host/api/transaction-index/address-index.ts'
import type { TransactionIndexOptions } from '../../../../host/api/transaction-index/transaction-index.ts'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import { neverAborted } from '../../../../host/base/signal.ts'
import { BlockListeners } from '../../../../host/chain/consensus/head-feed.ts'
import { lockstepRules } from '../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import { planReplay } from '../../../../host/evm/execute/replay/replay-plan.ts'
import { runTraceJob } from '../../../../host/evm/trace/job/run-trace.ts'
import { ChunkedJsonWriter } from '../../../../host/evm/trace/json-writer.ts'
import { ROLE } from '../../../../host/storage/store/address/address-rows.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { keccak256 } from '../../../support/chain/fake-chain.ts'
import { devGenesis, emptyDisks, MemoryChain } from '../../../support/chain/memory-chain.ts'
import { MemoryStorage } from '../../../support/chain/memory-storage.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'

const RULES = () => lockstepRules(devGenesis().params, new MemoryStorage().state)

/** Returns the records of `before`, followed by one block for each list of transactions. */
export async function recordsOf(
  before: readonly BlockRecord[],
  blocks: readonly (readonly Hex[])[],
): Promise<BlockRecord[]> {
  const disks = { ...emptyDisks(), records: [...before] }
  const chain = await MemoryChain.open(await openEngine(await compileEngine()), { disks })
  if (before.length === 0) await chain.initialise()
  for (const raws of blocks) await chain.decide(raws.map((raw) => parseData(raw)))
  return disks.records
}

/**
 * Returns the records with other block hashes from a height on. Those in memory have the same hashes at the same
 * heights.
 */
export function rehashed(records: readonly BlockRecord[], from: number): BlockRecord[] {
  return records.map((record, height) => {
    if (height < from) return record
    const { executed } = record
    const { block } = executed
    const header = { ...block.header, hash: keccak256(block.header.hash) }
    return { ...record, executed: { ...executed, block: { ...block, header } } }
  })
}

/** A chain whose latest blocks are added and removed. */
export class ChangingChain {
  readonly heads = new BlockListeners((error) => {
    throw error
  })
  #storage = new MemoryStorage()
  #earliest = 0

  /** Replaces the chain by these records. Heads are announced if they follow the previous ones. */
  show(records: readonly BlockRecord[], earliest = 0): void {
    const { latest } = this.#storage.chain
    this.#storage = new MemoryStorage([...records])
    this.#earliest = earliest
    for (const { executed } of records.slice(latest + 1)) this.heads.announce(executed)
  }

  get parts(): Pick<TransactionIndexOptions, 'chain' | 'heads'> {
    const newest = () => this.#storage
    const kept = () => this.#earliest
    return {
      chain: new Proxy(this.#storage.chain, {
        get: (_, name) =>
          name === 'earliest' ? kept() : Reflect.get(newest().chain, name as string),
      }),
      heads: this.heads,
    }
  }

  /** What a replay of its blocks reads. */
  get replay(): Pick<AddressIndexOptions, 'state' | 'history' | 'rules'> {
    const newest = () => this.#storage
    const kept = () => this.#earliest
    return {
      state: {
        get evmWholeFrom() {
          return kept()
        },
      },
      history: { before: (height) => newest().state.view(height - 1) },
      rules: RULES(),
    }
  }
}

interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
}

/** Everything that an index must report about a chain. */
export interface Expected {
  /** `address` to `height/index/roles`. */
  readonly places: Map<Hex, string[]>
  /** `sender/nonce` to `height/index`. */
  readonly nonces: Map<string, string>
  /** Contract to `height/index/creator`. */
  readonly creations: Map<Hex, string>
}

/** Computes what the index must contain from the traces of callTracer, which the index does not use. */
export async function expectedOf(records: readonly BlockRecord[]): Promise<Expected> {
  const storage = new MemoryStorage([...records])
  const engine = await openEngine(await compileEngine())
  const expected: Expected = { places: new Map(), nonces: new Map(), creations: new Map() }
  const history = storage.chain
  for (let height = 1; height < records.length; height++) {
    const plan = planReplay({ history, rules: RULES(), keccak256 }, height)
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk.slice()))
    await runTraceJob(
      {
        tracer: 'callTracer',
        config: {},
        limits: { structLogBytes: 1 << 30 },
        plan,
        target: { kind: 'block' },
      },
      {
        engine,
        view: storage.state.view(height - 1),
        writer,
        signal: neverAborted(),
        pause: () => undefined,
        onReplayed: () => {},
        scripts: () => Promise.reject(new Error('no script')),
      },
    )
    writer.flush()
    const traces = JSON.parse(Buffer.concat(chunks).toString()) as { readonly result: Frame }[]
    for (const [index, { result }] of traces.entries()) {
      const roles = new Map<Hex, number>()
      collect(result, 0, true, roles, (contract, creator) => {
        expected.creations.set(contract, `${height}/${index}/${creator}`)
      })
      for (const [address, sum] of roles) {
        const places = expected.places.get(address) ?? []
        places.push(`${height}/${index}/${sum}`)
        expected.places.set(address, places)
      }
      const { transaction } = plan.transactions[index] as (typeof plan.transactions)[number]
      const sender = formatData(transaction.from)
      expected.nonces.set(`${sender}/${transaction.nonce}`, `${height}/${index}`)
    }
  }
  return expected
}

function collect(
  frame: Frame,
  depth: number,
  counts: boolean,
  roles: Map<Hex, number>,
  onCreation: (contract: Hex, creator: Hex) => void,
): void {
  const add = (address: Hex, role: number) => {
    roles.set(address, (roles.get(address) ?? 0) | role)
  }
  const stays = counts && frame.error === undefined
  add(frame.from, depth === 0 ? ROLE.SENDER : ROLE.INTERNAL_FROM)
  for (const call of frame.calls ?? []) collect(call, depth + 1, stays, roles, onCreation)
  if (frame.to === undefined) return
  if (frame.type.startsWith('CREATE')) {
    add(frame.to, ROLE.CREATED)
    if (stays) onCreation(frame.to, frame.from)
  } else add(frame.to, depth === 0 ? ROLE.RECIPIENT : ROLE.INTERNAL_TO)
}
