import { type Hex, toHex } from 'viem'
import { parseData } from '../../../host/base/hex.ts'
import { makeDice } from '../../fuzz/dice.ts'
import { assemble } from '../engine/bytecode.ts'
import { signDynamicFee } from '../node/dev-wallet.ts'

const SENDERS = 10

/** Address of the first contract that the first development account creates. */
export const WORKER: Hex = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

const BUSY_BEGIN = assemble(
  ...[0, 'CALLDATALOAD'],
  'JUMPDEST',
  ...[64, 0, 'KECCAK256', 0, 'MSTORE', 1, 'SWAP1', 'SUB', 'DUP1', 3, 'JUMPI', 'POP'],
  ...[32, 'CALLDATALOAD', 'DUP1', 'ISZERO', 'CALLER', 'MUL', 'ADD'],
  ...['DUP1', 'SLOAD', 1, 'ADD', 'SWAP1', 'SSTORE', 'CALLER', 32, 0, 'LOG1'],
  ...[64, 'CALLDATALOAD'],
)

/**
 * Hashes as often as the first word of its data says. Then it counts up in the slot that the second word names, or in
 * the sender's own if that is zero, and logs. With a third word it also stores the hash of the previous block.
 */
export const BUSY_CODE = Uint8Array.from([
  ...BUSY_BEGIN,
  ...assemble(BUSY_BEGIN.length + 4, 'JUMPI', 'STOP', 'JUMPDEST'),
  ...assemble(1, 'NUMBER', 'SUB', 'BLOCKHASH', 'DUP1', 'SSTORE'),
])

/** Init code of the contract. */
const INITCODE = assemble(...[BUSY_CODE.length, 12, 0, 'CODECOPY', BUSY_CODE.length, 0, 'RETURN'])

/** Signed transactions by content, since the tests of a file make the same blocks. */
const signed = new Map<string, Uint8Array>()

/** Signed transactions of the development accounts to a slow contract. */
export class BusyBlocks {
  readonly #nonces = new Array<number>(SENDERS).fill(0)
  readonly #dice

  constructor(seed: number) {
    this.#dice = makeDice(seed)
  }

  async deployment(): Promise<Uint8Array> {
    const padding = new Uint8Array(12 - INITCODE.length)
    const data = toHex(Uint8Array.from([...INITCODE, ...padding, ...BUSY_CODE]))
    return this.#sign(0, { data, gas: 1_000_000n })
  }

  /**
   * Returns the transactions of a block. The share `hot` of them, 0 to 1, writes the same slot, and the share
   * `asking` reads the hash of the previous block.
   */
  async block(count: number, hot: number, rounds = 1000, asking = 0): Promise<Uint8Array[]> {
    const raws: Uint8Array[] = []
    for (let i = 0; i < count; i++) {
      const slot = this.#dice.chance(hot) ? '01' : '00'
      const times = rounds / 2 + this.#dice.below(rounds)
      const words = [times.toString(16), slot, ...(this.#dice.chance(asking) ? ['01'] : [])]
      const data: Hex = `0x${words.map((word) => word.padStart(64, '0')).join('')}`
      raws.push(await this.#sign(i % SENDERS, { to: WORKER, data, gas: 500_000n }))
    }
    return raws
  }

  async #sign(
    sender: number,
    fields: { readonly to?: Hex; readonly data: Hex; readonly gas: bigint },
  ): Promise<Uint8Array> {
    const nonce = this.#nonces[sender] as number
    this.#nonces[sender] = nonce + 1
    const content = `${sender} ${nonce} ${fields.to} ${fields.gas} ${fields.data}`
    const known = signed.get(content)
    if (known !== undefined) return known
    const raw = await signDynamicFee(sender, { nonce, ...fields })
    const bytes = parseData(raw)
    signed.set(content, bytes)
    return bytes
  }
}
