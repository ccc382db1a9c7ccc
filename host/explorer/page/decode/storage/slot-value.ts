import { getAddress } from 'viem'
import { bytesToBigint } from '../../../../base/bytes.ts'
import { formatData } from '../../../../base/hex.ts'
import { utf8Text } from '../format/bytes-text.ts'
import type { EnumMembers, LayoutType } from './layout.ts'

/** Formats a big-endian value by its Solidity type label. */
export function valueText(label: string, bytes: Uint8Array, enums: EnumMembers): string {
  const value = bytesToBigint(bytes)
  if (/^uint\d*$/.test(label)) return `${value}`
  if (/^int\d*$/.test(label)) return `${BigInt.asIntN(8 * bytes.length, value)}`
  if (label === 'bool') return value > 1n ? `${value} (no bool)` : `${value === 1n}`
  if (/^(address( payable)?|contract .+)$/.test(label) && bytes.length === 20) {
    return getAddress(formatData(bytes))
  }
  if (label.startsWith('enum ')) {
    const member = enums.get(label.slice('enum '.length))?.[Number(value)]
    return member === undefined ? `${value}` : `${member} (${value})`
  }
  return formatData(bytes)
}

/** Formats a mapping key from its hashed form. */
export function mappingKeyText(type: LayoutType, key: Uint8Array, enums: EnumMembers): string {
  if (type.encoding === 'bytes')
    return type.label === 'string' ? (utf8Text(key) ?? formatData(key)) : formatData(key)
  if (key.length !== 32 || type.bytes > 32) return formatData(key)
  const own = /^bytes\d/.test(type.label)
    ? key.subarray(0, type.bytes)
    : key.subarray(32 - type.bytes)
  return valueText(type.label, own, enums)
}

/** Reads the head slot of a `bytes` or `string`: its bytes if there are fewer than 32, otherwise its length. */
export function readHeadSlot(
  word: Uint8Array,
): { readonly bytes: Uint8Array } | { readonly length: bigint } | undefined {
  const last = word[31] as number
  if ((last & 1) === 0) {
    const length = last / 2
    return length < 32 ? { bytes: word.subarray(0, length) } : undefined
  }
  const length = (bytesToBigint(word) - 1n) / 2n
  return length >= 32n ? { length } : undefined
}

/** Formats a complete `bytes` or `string`. */
export function blobText(label: string, bytes: Uint8Array): string {
  return label === 'string' ? (utf8Text(bytes) ?? formatData(bytes)) : formatData(bytes)
}
