import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { OPCODES } from '../../../host/evm/engine/opcode.ts'

const CODES: ReadonlyMap<string, number> = new Map(
  OPCODES.flatMap((opcode, code) => (opcode === undefined ? [] : [[opcode.name, code] as const])),
)

/** Encodes the shortest PUSH that holds the value. */
function push(value: bigint): Uint8Array {
  let width = 1
  while (value >> BigInt(8 * width) !== 0n) width++
  return concatBytes([new Uint8Array([0x5f + width]), bigintToBytes(value, width)])
}

/**
 * Assembles code from opcode names, numbers to push, and raw bytes. The operands of an opcode come before it, the top
 * of the stack last.
 */
export function assemble(...items: readonly (string | number | bigint | Uint8Array)[]): Uint8Array {
  return concatBytes(
    items.map((item) => {
      if (typeof item === 'number' || typeof item === 'bigint') return push(BigInt(item))
      if (item instanceof Uint8Array) return item
      const code = CODES.get(item)
      if (code === undefined) throw new Error(`no opcode ${item}`)
      return new Uint8Array([code])
    }),
  )
}
