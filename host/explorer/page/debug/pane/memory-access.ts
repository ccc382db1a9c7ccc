import { lookup } from '../../../../base/lookup.ts'
/** A range of memory bytes. */
export interface MemoryRange {
  readonly offset: number
  readonly size: number
}

export interface MemoryAccess {
  readonly reads: readonly MemoryRange[]
  readonly writes: readonly MemoryRange[]
}

/** Stack positions, the top being 0, of a range's offset and size; a fixed size is a number of bytes. */
interface Operands {
  readonly offset: number
  readonly size: { readonly place: number } | { readonly bytes: number }
}

interface Access {
  readonly reads?: Operands
  readonly writes?: Operands
}

const at = (offset: number, size: number): Operands => ({ offset, size: { place: size } })
const fixed = (offset: number, bytes: number): Operands => ({ offset, size: { bytes } })

const ACCESS: Readonly<Record<string, Access>> = {
  KECCAK256: { reads: at(0, 1) },
  CALLDATACOPY: { writes: at(0, 2) },
  CODECOPY: { writes: at(0, 2) },
  EXTCODECOPY: { writes: at(1, 3) },
  RETURNDATACOPY: { writes: at(0, 2) },
  MLOAD: { reads: fixed(0, 32) },
  MSTORE: { writes: fixed(0, 32) },
  MSTORE8: { writes: fixed(0, 1) },
  MCOPY: { reads: at(1, 2), writes: at(0, 2) },
  LOG0: { reads: at(0, 1) },
  LOG1: { reads: at(0, 1) },
  LOG2: { reads: at(0, 1) },
  LOG3: { reads: at(0, 1) },
  LOG4: { reads: at(0, 1) },
  CREATE: { reads: at(1, 2) },
  CREATE2: { reads: at(1, 2) },
  CALL: { reads: at(3, 4), writes: at(5, 6) },
  CALLCODE: { reads: at(3, 4), writes: at(5, 6) },
  DELEGATECALL: { reads: at(2, 3), writes: at(4, 5) },
  STATICCALL: { reads: at(2, 3), writes: at(4, 5) },
  RETURN: { reads: at(0, 1) },
  REVERT: { reads: at(0, 1) },
}

/**
 * Returns the memory that an opcode is about to read and write. Ranges past 2^32 are left out: no gas pays for them.
 */
export function memoryAccess(name: string, stack: readonly bigint[]): MemoryAccess {
  const access = lookup(ACCESS, name)
  return { reads: rangeOf(access?.reads, stack), writes: rangeOf(access?.writes, stack) }
}

function rangeOf(operands: Operands | undefined, stack: readonly bigint[]): readonly MemoryRange[] {
  if (operands === undefined) return []
  const offset = stack.at(-1 - operands.offset)
  const size =
    'bytes' in operands.size ? BigInt(operands.size.bytes) : stack.at(-1 - operands.size.place)
  if (offset === undefined || size === undefined || size === 0n) return []
  if (offset + size > 1n << 32n) return []
  return [{ offset: Number(offset), size: Number(size) }]
}

const SLOT_OPCODES: Readonly<Record<string, 'storage' | 'transient'>> = {
  SLOAD: 'storage',
  SSTORE: 'storage',
  TLOAD: 'transient',
  TSTORE: 'transient',
}

/** Returns the slot that an opcode is about to access. */
export function slotAccess(
  name: string,
  stack: readonly bigint[],
): { readonly kind: 'storage' | 'transient'; readonly slot: bigint } | undefined {
  const kind = lookup(SLOT_OPCODES, name)
  const slot = stack.at(-1)
  return kind === undefined || slot === undefined ? undefined : { kind, slot }
}
