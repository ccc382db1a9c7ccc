import { middleCut } from '../decode/format/middle-cut.ts'
import { BLOCK_TAGS, type ViewPage } from '../view/page.ts'

/** A parsed search text. */
export type Searched =
  | { readonly kind: 'page'; readonly page: ViewPage }
  /** A hash is that of a transaction or of a block: the node knows which. */
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'nothing'; readonly problem: string }

const EXAMPLES =
  'Type a hash (0x and 64 digits), an address (0x and 40 digits) or the number of a block'

/**
 * Parses a search: a hash, an address, a height (17, 1_000, 0x11), a block tag, or an explorer link with one of them.
 */
export function readSearch(typed: string): Searched {
  const words = typed.trim()
  if (words === '') return { kind: 'nothing', problem: `${EXAMPLES}.` }
  const inLink = /^https?:\/\//.test(words) ? linkedValue(words) : undefined
  const value = (inLink ?? words).toLowerCase()
  if (BLOCK_TAGS.includes(value)) return { kind: 'page', page: { kind: 'block', block: value } }
  const plain = value.replace(/(?<=\d)[_, ](?=\d)/g, '').replace(/^#/, '')
  if (/^\d+$/.test(plain)) return blockNumbered(BigInt(plain), typed)
  const digits = value.replace(/^0x/, '')
  if (!/^[0-9a-f]*$/.test(digits)) {
    return { kind: 'nothing', problem: `“${middleCut(words, 80)}” is not hex. ${EXAMPLES}.` }
  }
  if (digits.length === 64) return { kind: 'hash', hash: `0x${digits}` }
  if (digits.length === 40)
    return { kind: 'page', page: { kind: 'address', address: `0x${digits}` } }
  if (value.startsWith('0x') && digits.length > 0 && digits.length <= 14) {
    return blockNumbered(BigInt(value), typed)
  }
  return {
    kind: 'nothing',
    problem: `A hash has 64 digits after 0x and an address 40; this has ${digits.length}.`,
  }
}

function blockNumbered(number: bigint, typed: string): Searched {
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) {
    return {
      kind: 'nothing',
      problem: `${middleCut(typed.trim(), 80)} is too large for a block number.`,
    }
  }
  return { kind: 'page', page: { kind: 'block', block: number.toString() } }
}

/** Returns the hash, address or height in a link such as `https://explorer.example/tx/0x...`. */
function linkedValue(link: string): string | undefined {
  return /\/(?:tx|address|block)\/(0x[0-9a-fA-F]+|\d+)(?![0-9a-zA-Z])/.exec(link)?.[1]
}
