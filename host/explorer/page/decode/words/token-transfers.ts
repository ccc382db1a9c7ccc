import { keccak256, toBytes } from 'viem'
import type { Hex } from '../../../../base/hex.ts'
import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../abi/contract-registry.ts'
import { decodeLog } from '../abi/decode-item.ts'
import type { Decoded } from '../abi/decoded.ts'

/** A token transfer shown by a log. A transfer from or to address 0 is a mint or a burn. */
export interface LoggedTransfer {
  readonly standard: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly token: Hex
  readonly from: Hex
  readonly to: Hex
  /** Undefined for ERC-20. */
  readonly id: bigint | undefined
  /** 1 for ERC-721. */
  readonly amount: bigint
  /** Index of the frame that emitted the log. */
  readonly call: number
}

/** Topics of the events of which transfers are read. */
export const TRANSFER_TOPICS: ReadonlySet<Hex> = new Set(
  [
    'Transfer(address,address,uint256)',
    'TransferSingle(address,address,address,uint256,uint256)',
    'TransferBatch(address,address,address,uint256[],uint256[])',
  ].map((signature) => keccak256(toBytes(signature))),
)

function integers(decoded: Decoded, place: number): bigint[] {
  const value = decoded.values[place]
  const all = value?.parts ?? (value === undefined ? [] : [value])
  return all.map(({ data }) => data).filter((data) => typeof data === 'bigint')
}

function movesOf(decoded: Decoded, token: Hex, call: number): LoggedTransfer[] {
  const text = (place: number) => decoded.values[place]?.data as Hex
  switch (decoded.item.signature) {
    case 'Transfer(address,address,uint256)': {
      const [amount = 0n] = integers(decoded, 2)
      const base = { token, from: text(0), to: text(1), call }
      const third = decoded.item.inputs[2]
      if (third !== undefined && 'indexed' in third && third.indexed === true) {
        return [{ ...base, standard: 'ERC-721', id: amount, amount: 1n }]
      }
      return [{ ...base, standard: 'ERC-20', id: undefined, amount }]
    }
    case 'TransferSingle(address,address,address,uint256,uint256)':
    case 'TransferBatch(address,address,address,uint256[],uint256[])': {
      const amounts = integers(decoded, 4)
      return integers(decoded, 3).map((id, i) => {
        const amount = amounts[i] ?? 0n
        return { standard: 'ERC-1155', token, from: text(1), to: text(2), id, amount, call }
      })
    }
    default:
      return []
  }
}

/** Ether that a call or creation transferred. */
export interface EtherTransfer {
  readonly from: Hex
  readonly to: Hex
  readonly wei: bigint
  readonly call: number
}

/** Returns the ether transfers of a transaction, in the order of its calls, without reverted ones. */
export function etherTransfers(nodes: readonly CallNode[]): EtherTransfer[] {
  const undone = new Set<number>()
  const moves: EtherTransfer[] = []
  // A frame comes after its parent.
  for (const { index, parent, fault, type, from, to, value } of nodes) {
    if (fault !== undefined || (parent !== undefined && undone.has(parent))) undone.add(index)
    const moved = type === 'DELEGATECALL' || type === 'CALLCODE' ? 0n : (value ?? 0n)
    if (moved > 0n && !undone.has(index)) moves.push({ from, to, wei: moved, call: index })
  }
  return moves
}

/** Returns the token transfers of a transaction, in the order of its logs, without reverted ones. */
export function tokenTransfers(
  nodes: readonly CallNode[],
  lens: ContractRegistry,
): LoggedTransfer[] {
  const logs = nodes.flatMap((node) => node.logs.map((log) => ({ log, call: node.index })))
  const order = (step: number | undefined) => step ?? 0
  return logs
    .filter(({ log }) => !log.isReverted)
    .sort((a, b) => order(a.log.step) - order(b.log.step))
    .flatMap(({ log, call }) => {
      const decoded = decodeLog(log, lens)
      return decoded.kind === 'decoded' ? movesOf(decoded, log.address, call) : []
    })
}
