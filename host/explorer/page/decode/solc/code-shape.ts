import type { CompiledCode } from './artifact.ts'

/**
 * Where a compiler puts the hash of a contract's metadata: CBOR of {"ipfs": hash}, {"bzzr0": hash}, {"bzzr1": hash},
 * the head of the map left out. Each stands before `length` bytes of hash.
 */
const METADATA_HASHES: readonly { readonly head: readonly number[]; readonly length: number }[] = [
  { head: [0x64, 0x69, 0x70, 0x66, 0x73, 0x58, 0x22], length: 34 },
  { head: [0x65, 0x62, 0x7a, 0x7a, 0x72, 0x30, 0x58, 0x20], length: 32 },
  { head: [0x65, 0x62, 0x7a, 0x7a, 0x72, 0x31, 0x58, 0x20], length: 32 },
]

/** A library's code begins with PUSH20 and its own address, which a compiler leaves zero. */
const LIBRARY = { push: 0x73, end: 21, next: [0x30, 0x14] }

function hasBytes(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, i) => bytes[at + i] === byte)
}

/** The bytes with zeros for the address in a library's code. */
function withoutAddress(bytes: Uint8Array): Uint8Array {
  const masked = bytes.slice()
  if (masked[0] === LIBRARY.push && hasBytes(masked, LIBRARY.end, LIBRARY.next)) {
    masked.fill(0, 1, LIBRARY.end)
  }
  return masked
}

/** The bytes with zeros for hashes of metadata too, also those of contracts that the code creates. */
function withoutHashes(bytes: Uint8Array): Uint8Array {
  const masked = withoutAddress(bytes)
  for (const { head, length } of METADATA_HASHES) {
    let at = masked.indexOf(head[0] as number)
    while (at >= 0) {
      if (hasBytes(masked, at, head)) masked.fill(0, at + head.length, at + head.length + length)
      at = masked.indexOf(head[0] as number, at + 1)
    }
  }
  return masked
}

/** Code as it is compared: without what differs from one deployment to the next, and without metadata. */
export interface CodeShape {
  readonly exact: Uint8Array
  readonly masked: Uint8Array
}

export function shapeOf(code: Uint8Array): CodeShape {
  return { exact: withoutAddress(code), masked: withoutHashes(code) }
}

/**
 * True where the code of a chain is that of the compiler but for libraries and immutables. Creation code has the
 * constructor's arguments behind it.
 */
export function isSameCode(
  onChain: Uint8Array,
  bytes: Uint8Array,
  holes: CompiledCode['holes'],
  isCreation: boolean,
): boolean {
  if (isCreation ? onChain.length < bytes.length : onChain.length !== bytes.length) return false
  const isHole = (at: number) =>
    holes.some(({ start, length }) => at >= start && at < start + length)
  for (let at = 0; at < bytes.length; at++) {
    if (onChain[at] !== bytes[at] && !isHole(at)) return false
  }
  return true
}
