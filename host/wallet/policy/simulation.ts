import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToBigint } from '../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { arrayOf, type PolicyAbiType } from './abi-type.ts'
import { decodeArguments } from './canonical-abi.ts'
import type { SimulatedOutflow } from './decision.ts'

const topic = (signature: string): Hex =>
  formatData(keccak_256(new TextEncoder().encode(signature)))

const TRANSFER = topic('Transfer(address,address,uint256)')
const TRANSFER_SINGLE = topic('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = topic('TransferBatch(address,address,address,uint256[],uint256[])')
/** Emitter of logs for ether transfers in eth_simulateV1 with `traceTransfers`. */
const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** A token transfer; of a single id for tokens that are not fungible. */
interface Movement {
  readonly from: Hex
  readonly to: Hex
  /** Incoming tokens offset only outgoing ones of the same kind. */
  readonly kind: string
  readonly amount: bigint
}

const UINT = { kind: 'uint', bits: 256 } as const
const UINTS = arrayOf(UINT, undefined)
const unnamed = (type: PolicyAbiType) => ({ name: '', type })

function addressOf(word: Uint8Array): Hex {
  return formatData(word.subarray(12))
}

function movementsOf(topics: readonly Uint8Array[], data: Uint8Array): readonly Movement[] {
  const [name, first, second, third] = topics
  if (name === undefined || first === undefined || second === undefined) return []
  const signature = formatData(name)
  if (signature === TRANSFER) {
    const ends = { from: addressOf(first), to: addressOf(second) }
    if (third !== undefined) return [{ ...ends, kind: formatData(third), amount: 1n }]
    return data.length === 32 ? [{ ...ends, kind: '', amount: bytesToBigint(data) }] : []
  }
  const isSingle = signature === TRANSFER_SINGLE
  if (third === undefined || (!isSingle && signature !== TRANSFER_BATCH)) return []
  const type = isSingle ? UINT : UINTS
  const found = decodeArguments([unnamed(type), unnamed(type)], data)
  if (!('values' in found)) return []
  const [ids, amounts] = found.values.map((each) => (isSingle ? [each] : each)) as bigint[][]
  const ends = { from: addressOf(second), to: addressOf(third) }
  return (ids ?? []).map((id, at) => ({ ...ends, kind: String(id), amount: amounts?.[at] ?? 0n }))
}

/**
 * Parses the result of eth_simulateV1 with `traceTransfers` for one call of the wallet. Undefined if it is malformed.
 * @param wallet 0x-hex in lower case
 */
export function readSimulation(answer: unknown, wallet: Hex): SimulatedOutflow | undefined {
  const [block] = Array.isArray(answer) ? answer : []
  const [call] = Array.isArray(block?.calls) ? block.calls : []
  if (call?.status === '0x0') return { succeeds: false, out: new Map() }
  if (call?.status !== '0x1' || !Array.isArray(call.logs)) return undefined
  try {
    return { succeeds: true, out: outOf(call.logs, wallet) }
  } catch {
    return undefined
  }
}

function outOf(logs: readonly unknown[], wallet: Hex): ReadonlyMap<string, bigint> {
  const nets = new Map<string, { readonly asset: string; net: bigint }>()
  for (const log of logs) {
    const { address, topics, data } = log as { address: string; topics: string[]; data: string }
    const emitter = address.toLowerCase()
    const asset = emitter === ETHER ? 'native' : emitter
    for (const { from, to, kind, amount } of movementsOf(topics.map(parseData), parseData(data))) {
      const key = `${asset} ${kind}`
      const entry = nets.get(key) ?? { asset, net: 0n }
      if (from === wallet) entry.net += amount
      if (to === wallet) entry.net -= amount
      nets.set(key, entry)
    }
  }
  const out = new Map<string, bigint>()
  for (const { asset, net } of nets.values()) {
    if (net > 0n) out.set(asset, (out.get(asset) ?? 0n) + net)
  }
  return out
}
