import type { CompiledCode } from './artifact.ts'

/**
 * Forms of the metadata hash in code: CBOR of {"ipfs": hash}, {"bzzr0": hash}, {"bzzr1": hash}, without the map head.
 * `length` bytes of hash follow.
 */
const METADATA_HASHES: readonly { readonly head: readonly number[]; readonly length: number }[] = [
  { head: [0x64, 0x69, 0x70, 0x66, 0x73, 0x58, 0x22], length: 34 },
  { head: [0x65, 0x62, 0x7a, 0x7a, 0x72, 0x30, 0x58, 0x20], length: 32 },
  { head: [0x65, 0x62, 0x7a, 0x7a, 0x72, 0x31, 0x58, 0x20], length: 32 },
]

/** A library's code begins with PUSH20 and its own address, which the compiler leaves zero. */
const LIBRARY = { push: 0x73, end: 21, next: [0x30, 0x14] }

function hasBytes(bytes: Uint8Array, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, i) => bytes[at + i] === byte)
}

/** Returns the bytes with a library's own address zeroed. */
function withoutAddress(bytes: Uint8Array): Uint8Array {
  const masked = bytes.slice()
  if (masked[0] === LIBRARY.push && hasBytes(masked, LIBRARY.end, LIBRARY.next)) {
    masked.fill(0, 1, LIBRARY.end)
  }
  return masked
}

/** Also zeroes metadata hashes, including those of contracts that the code creates. */
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

/** Code in comparable form: without deployment-specific parts and metadata. */
export interface CodeShape {
  readonly exact: Uint8Array
  readonly masked: Uint8Array
}

export function shapeOf(code: Uint8Array): CodeShape {
  return { exact: withoutAddress(code), masked: withoutHashes(code) }
}

/**
 * Returns true if on-chain code equals the compiler's, except for libraries and immutables. Constructor arguments may
 * follow creation code, and Vyper's immutables deployed code.
 */
export function isSameCode(
  onChain: Uint8Array,
  bytes: Uint8Array,
  { holes, hasTail }: Pick<CompiledCode, 'holes' | 'hasTail'>,
  isCreation: boolean,
): boolean {
  const more = onChain.length - bytes.length
  if (more < 0 || (more > 0 && !isCreation && !(hasTail && more % 32 === 0))) return false
  const isHole = (at: number) =>
    holes.some(({ start, length }) => at >= start && at < start + length)
  for (let at = 0; at < bytes.length; at++) {
    if (onChain[at] !== bytes[at] && !isHole(at)) return false
  }
  return true
}
